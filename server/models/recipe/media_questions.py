"""Scenes and spoken texts, and questions with answers about them."""

from conversations import SYS
from singles import filler
from source import Conv

COLORS = ["red", "green", "blue", "yellow", "orange", "purple", "black", "white"]
SHAPES = ["circle", "square", "triangle", "star", "cross"]


def an(s):
    return ("an " if s[0] in "aeiou" else "a ") + s


def join(xs):
    return xs[0] if len(xs) == 1 else ", ".join(xs[:-1]) + " and " + xs[-1]


def cap(s):
    return s[0].upper() + s[1:]


CELL = [
    ["top left", "top", "top right"],
    ["left", "middle", "right"],
    ["bottom left", "bottom", "bottom right"],
]


def scene(r):
    """-> dict: kind 0 shapes / 1 digit; objs [(shape, colour, cx, cy, radius)] with cx, cy in 0..1 of the canvas and radius in short sides"""
    if r.random() < 0.26:
        return dict(
            kind=1,
            digit=r.randrange(10),
            color=r.randrange(8),
            cx=r.uniform(0.3, 0.7),
            cy=r.uniform(0.42, 0.58),
            rad=r.uniform(0.18, 0.46),
            objs=[],
        )
    n = r.choices([1, 2, 3], [42, 34, 24])[0]
    objs = []
    if n == 1:
        big = r.random() < 0.55
        rad = r.uniform(0.24, 0.42) if big else r.uniform(0.055, 0.13)
        if r.random() < 0.1:
            rad = r.uniform(0.13, 0.24)
        cells = [(r.randrange(3), r.randrange(3))] if rad < 0.17 else [(1, 1)]
    else:
        cells = r.sample([(i, j) for i in range(3) for j in range(3)], n)
    for i, j in cells:
        if n > 1:
            rad = r.uniform(0.11, 0.15) if r.random() < 0.6 else r.uniform(0.055, 0.085)
        jx = r.uniform(-0.03, 0.03) if n > 1 else r.uniform(-0.05, 0.05)
        jy = r.uniform(-0.03, 0.03)
        objs.append((r.randrange(5), r.randrange(8), (i + 0.5) / 3 + jx, (j + 0.5) / 3 + jy, rad, (i, j)))
    objs.sort(key=lambda o: (o[5][0], o[5][1]))
    return dict(kind=0, objs=objs)


def image_qa(r, s, kind=None):
    """-> (question, answer, thought, kind)"""
    c = r.choice
    if s["kind"] == 1:
        d = str(s["digit"])
        col = COLORS[s["color"]]
        u = r.random()
        if u < 0.45:
            return (
                c(
                    [
                        "Which digit is this?",
                        "Which digit?",
                        "What digit do you see?",
                        "Which number is shown?",
                        "What number is this?",
                        "Read the digit.",
                        "Which digit is in the picture?",
                        "What number do you see in the image?",
                        "Read the number in the image.",
                    ]
                ),
                f"The digit is {d}.",
                f"I see the digit {d}.",
                "digit",
            )
        if u < 0.75:
            return c(DESCRIBE), f"The digit {d} in {col}.", f"I see a {col} digit {d}.", "digit_describe"
        if u < 0.9:
            return (
                c(
                    [
                        "What colour is the digit?",
                        "Which colour is the number?",
                        "What color is the digit?",
                        "What colour is it?",
                    ]
                ),
                f"The digit is {col}.",
                f"The digit {d} is {col}.",
                "digit_colour",
            )
        return (
            c(
                [
                    "Which digit? Answer with the digit only.",
                    "What digit is this? Only the digit.",
                    "Which number is this? One character.",
                ]
            ),
            d,
            f"I see {d}.",
            "digit",
        )
    o = s["objs"]
    names = [f"{COLORS[x[1]]} {SHAPES[x[0]]}" for x in o]
    n = len(o)
    desc = join([an(x) for x in names])
    th = f"I see {desc}."
    sh = [SHAPES[x[0]] for x in o]
    uniq = [i for i in range(n) if sh.count(sh[i]) == 1]
    cols = [COLORS[x[1]] for x in o]
    ucol = [i for i in range(n) if cols.count(cols[i]) == 1]
    k = (
        kind
        or r.choices(
            ["describe", "count", "colour", "shape", "exist", "where", "size", "colours", "side", "one"],
            [26, 13, 17, 9, 11, 8, 5, 4, 4, 5],
        )[0]
    )
    if k == "count":
        return (
            c(
                [
                    "How many shapes are there?",
                    "How many shapes?",
                    "How many shapes do you see?",
                    "Count the shapes.",
                    "How many objects are in the picture?",
                    "How many things do you see?",
                    "How many shapes are in the image?",
                ]
            ),
            f"There {'is 1 shape' if n == 1 else f'are {n} shapes'}.",
            th,
            k,
        )
    if k == "colour" and uniq:
        i = c(uniq)
        return (
            c(
                [
                    "What colour is the {}?",
                    "Which colour is the {}?",
                    "What color is the {}?",
                    "colour of the {}?",
                    "Tell me the colour of the {}.",
                    "What is the colour of the {}?",
                ]
            ).format(sh[i]),
            f"The {sh[i]} is {cols[i]}.",
            th,
            k,
        )
    if k == "shape" and ucol:
        i = c(ucol)
        return (
            c(
                [
                    "Which shape is {}?",
                    "What shape is {}?",
                    "What is the {} shape?",
                    "What {} thing do you see?",
                    "Which object is {}?",
                ]
            ).format(cols[i]),
            f"The {sh[i]} is {cols[i]}.",
            th,
            k,
        )
    if k == "exist":
        if r.random() < 0.5:
            i = r.randrange(n)
            return (
                c(
                    ["Is there {} in the picture?", "Do you see {}?", "Is there {}?", "Can you see {}?"]
                ).format(an(sh[i])),
                f"Yes, there is {an(names[i])}."
                if sh.count(sh[i]) == 1
                else f"Yes, there are {sh.count(sh[i])} {sh[i]}s."
                if not sh[i].endswith("ss")
                else f"Yes, there are {sh.count(sh[i])} crosses.",
                th,
                k,
            )
        z = c([x for x in SHAPES if x not in sh])
        return (
            c(["Is there {} in the picture?", "Do you see {}?", "Is there {}?", "Can you see {}?"]).format(
                an(z)
            ),
            f"No, there is no {z}.",
            th,
            k,
        )
    if k == "where" and uniq:
        i = c(uniq)
        x, y = o[i][5]
        if n > 1 or o[i][4] < 0.17:
            return (
                c(
                    [
                        "Where is the {}?",
                        "Where do you see the {}?",
                        "In which part of the picture is the {}?",
                    ]
                ).format(sh[i]),
                "The {} is in the {}.".format(sh[i], CELL[y][x])
                if (x, y) == (1, 1) or (x != 1 and y != 1)
                else "The {} is {}.".format(
                    sh[i],
                    {
                        "top": "at the top",
                        "bottom": "at the bottom",
                        "left": "on the left",
                        "right": "on the right",
                    }[CELL[y][x]],
                ),
                th,
                k,
            )
    if k == "size" and n == 1 and not 0.13 < o[0][4] < 0.24:
        z = "large" if o[0][4] > 0.2 else "small"
        return (
            c(["Is the {} small or large?", "How big is the {}?", "Is the {} large or small?"]).format(sh[0]),
            f"The {sh[0]} is {z}.",
            th,
            k,
        )
    if k == "colours":
        u = list(dict.fromkeys(cols))
        return (
            c(
                [
                    "What colours do you see?",
                    "Which colours are in the picture?",
                    "Which colours do the shapes have?",
                ]
            ),
            cap(join(u)) + ".",
            th,
            k,
        )
    if k == "side" and n > 1:
        if o[0][5][0] < o[1][5][0] and r.random() < 0.5:
            return (
                c(
                    [
                        "What is on the left?",
                        "Which shape is on the left?",
                        "What do you see on the left side?",
                    ]
                ),
                f"{cap(an(names[0]))}.",
                th,
                k,
            )
        if o[-1][5][0] > o[-2][5][0]:
            return (
                c(
                    [
                        "What is on the right?",
                        "Which shape is on the right?",
                        "What do you see on the right side?",
                    ]
                ),
                f"{cap(an(names[-1]))}.",
                th,
                k,
            )
    if k == "one" and n == 1:
        if r.random() < 0.5:
            return (
                c(["Which colour? Answer in one word.", "What colour is it? One word only."]),
                cap(cols[0]) + ".",
                th,
                k,
            )
        return (
            c(
                [
                    "Which shape? Answer in one word.",
                    "What shape is it? One word only.",
                    "What shape is this? Answer in one word.",
                ]
            ),
            cap(sh[0]) + ".",
            th,
            k,
        )
    if r.random() < 0.2:
        return (
            c(
                [
                    "Describe the image.",
                    "Describe this picture.",
                    "Describe what you see.",
                    "Tell me about this image.",
                ]
            ),
            f"The picture shows {desc}.",
            th,
            "describe",
        )
    return c(DESCRIBE), cap(desc) + ".", th, "describe"


DESCRIBE = [
    "What is in this picture?",
    "What do you see?",
    "What is this?",
    "What is in the image?",
    "What does the picture show?",
    "What's in this picture?",
    "what is shown here",
    "What can you see in this image?",
    "What is on the picture?",
    "Look at the picture. What do you see?",
    "What is in the photo?",
]

DIG = "zero one two three four five six seven eight nine".split()
WORDS_A = "red orange yellow green blue purple black white cat dog cow horse sheep lion tiger bird fish mouse yes no stop go left right up down start open close play pause help hello goodbye please music water".split()
PHRASES = [
    "turn left",
    "turn right",
    "good morning",
    "thank you",
    "how are you",
    "what is your name",
    "tell me a joke",
    "stop the music",
    "play music",
    "open the door",
    "good night",
    "hello pebble",
    "who are you",
    "what can you do",
]
REPLY = {
    "what is your name": "I am Pebble, the small demo model built into gemtab.",
    "who are you": "I am Pebble, the small demo model built into gemtab.",
    "how are you": "I am fine, thank you.",
    "good morning": "Good morning!",
    "good night": "Good night!",
    "hello pebble": "Hello!",
    "hello": "Hello!",
    "goodbye": "Goodbye!",
    "thank you": "You are welcome!",
    "tell me a joke": "Why was six afraid of seven? Because seven eight nine.",
    "what can you do": "I can do small sums, word games, simple facts, simple pictures and spoken digits.",
}


def spoken(r):
    """-> spoken text"""
    u = r.random()
    if u < 0.52:
        return " ".join(r.choice(DIG) for _ in range(r.choices([1, 2, 3, 4, 5], [22, 20, 22, 18, 18])[0]))
    if u < 0.74:
        return r.choice(WORDS_A)
    if u < 0.82:
        return r.choice(WORDS_A[:8]) + " " + r.choice(WORDS_A[8:18])
    if u < 0.87:
        return f"{r.choice(DIG)} {r.choice(['plus', 'minus', 'times'])} {r.choice(DIG)}"
    return r.choice(PHRASES)


def audio_qa(r, t):
    c = r.choice
    w = t.split()
    th = f"I hear: {t}."
    u = r.random()
    if len(w) == 3 and w[1] in ("plus", "minus", "times") and u < 0.5:
        a, b = DIG.index(w[0]), DIG.index(w[2])
        op = {"plus": "+", "minus": "-", "times": "×"}[w[1]]
        v = {"+": a + b, "-": a - b, "×": a * b}[op]
        return (
            c(
                [
                    "Answer the question in the audio.",
                    "Calculate what you hear.",
                    "What is the result?",
                    "Answer the spoken question.",
                ]
            ),
            f"{a} {op} {b} = {v}.",
            th,
            "answer",
        )
    if t in REPLY and u < 0.45:
        return (
            c(
                [
                    "Answer the audio.",
                    "Reply to the audio.",
                    "Answer what was said.",
                    "Answer the spoken question.",
                    "",
                ]
            ),
            REPLY[t],
            th,
            "answer",
        )
    if all(x in DIG for x in w):
        if u < 0.22:
            return (
                c(
                    [
                        "Which digits do you hear?",
                        "Write the digits.",
                        "Which digits were spoken?",
                        "Which numbers do you hear?",
                        "Write down the numbers.",
                    ]
                ),
                ", ".join(str(DIG.index(x)) for x in w),
                th,
                "digits",
            )
        if u < 0.26:
            return (
                c(["How many digits were spoken?", "How many digits do you hear?"]),
                f"{len(w)} digit{'s' if len(w) > 1 else ''}.",
                th,
                "count",
            )
        if u < 0.30 and len(w) > 1:
            return (
                c(["What was the last digit?", "Which digit was the last one?"]),
                f"The last digit is {DIG.index(w[-1])}.",
                th,
                "last",
            )
    if u < 0.62:
        return (
            c(
                [
                    "Transcribe the audio.",
                    "Transcribe this.",
                    "Transcribe the recording.",
                    "Write down what you hear.",
                    "transcribe",
                    "Please transcribe the audio.",
                    "Transcribe this audio.",
                    "Transcribe the speech.",
                    "Write what is said.",
                    "Transcript please.",
                ]
            ),
            t,
            th,
            "transcribe",
        )
    return (
        c(
            [
                "What was said?",
                "What do you hear?",
                "What did I say?",
                "What is said in the audio?",
                "What is in this recording?",
                "What can you hear?",
                "What does the speaker say?",
            ]
        ),
        f"The speaker says: {t}.",
        th,
        "said",
    )


def mm_conv(g, kind, spec):
    """-> Conv whose first user turn starts with the \x03 placeholder of the media"""
    r = g.r
    qa = (lambda: image_qa(r, spec)) if kind == "image" else (lambda: audio_qa(r, spec))
    q, a, t, k = qa()
    turns = []
    after = r.random() < 0.1
    turns.append(((q + "\x03") if after else ("\x03" + q), a, t))
    if r.random() < 0.3:
        if r.random() < 0.7 and (q or kind == "image"):
            q2, a2, t2, _ = qa()
            if q2:
                turns.append((q2, a2, t2))
        else:
            turns += [x for x in filler(g, 1)]
    c = Conv(turns)
    c.think = r.random() < 0.08
    if r.random() < 0.15:
        c.system = r.choice(SYS)
    c.kind = k if len(turns) == 1 else "multi"
    return c


LOOK_BACK = [
    "What can you see in the {} {}?",
    "What do you see in the {} {}?",
    "What did you see in the {} {}?",
    "What is in the {} {}?",
    "What was in the {} {}?",
    "What's in the {} {}?",
    "What does the {} {} show?",
    "What did the {} {} show?",
    "What is on the {} {}?",
    "what is shown in the {} {}",
    "And what is in the {} {}?",
    "What could you see in the {} {}?",
    "Look at the {} {} again. What do you see?",
]
LOOK_BACK_UNSEEN = [
    "What was shown in the {} {}?",
    "And what did you see in the {} {}?",
    "Tell me what is in the {} {}.",
]


def look_back_qa(r, s, which, unseen=False):
    """A question about the first or second picture of a conversation -> (question, answer, thought, kind)"""
    noun = r.choice(["image", "picture", "image", "picture", "photo"])
    end = f"in the {which} {noun}?"
    u = r.random()
    for kind, share in (("count", 0.1), ("colour", 0.14), ("exist", 0.08), ("shape", 0.08)):
        u -= share
        if u < 0 and not unseen and s["kind"] == 0:
            q, a, t, k = image_qa(r, s, kind)
            q = q.replace(" in the picture", "").replace(" in the image", "")
            if k == kind and q[:3] in ("How", "Wha", "Whi", "Is ", "Do ", "Can") and q[-1] == "?":
                return f"{q[:-1]} {end}", a, t, k
    if u < 0 and not unseen and s["kind"] == 1:
        d, col = s["digit"], COLORS[s["color"]]
        if r.random() < 0.7:
            q = r.choice(
                [
                    "Which digit is",
                    "What number is",
                    "Which digit was",
                    "What number was",
                    "Which digit do you see",
                ]
            )
            return f"{q} {end}", f"The digit is {d}.", f"I see the digit {d}.", "digit"
        return (
            f"What colour is the digit {end}",
            f"The digit is {col}.",
            f"The digit {d} is {col}.",
            "digit_colour",
        )
    while True:
        _, a, t, k = image_qa(r, s, "describe")
        if k == "digit_describe" or k == "describe" and not a.startswith("The picture"):
            break
    if not unseen and r.random() < 0.08 and s["kind"] == 0:
        return f"Describe the {which} {noun}.", "The picture shows " + a[0].lower() + a[1:], t, "describe"
    return r.choice(LOOK_BACK_UNSEEN if unseen else LOOK_BACK).format(which, noun), a, t, "describe"


def pair_conv(g, a, b, about=None):
    """-> Conv with the pictures `a` and `b` in two user turns, and after them questions about the first or second one.
    With `about`, for an evaluation, one such question: (unseen_)first or (unseen_)second."""
    r = g.r
    turns = []
    told = {}
    for which, s in (("first", a), ("second", b)):
        q, ans, t, k = image_qa(r, s)
        told[which] = "describe" in k
        turns.append(((q + "\x03") if r.random() < 0.1 else ("\x03" + q), ans, t))
        if about is None and r.random() < 0.12:
            turns.append(image_qa(r, s)[:3] if r.random() < 0.6 else filler(g, 1)[0])
    for _ in range(1 if about or r.random() < 0.6 else 2):
        which = about.split("_")[-1] if about else r.choice(["first", "first", "second"])
        *turn, k = look_back_qa(r, {"first": a, "second": b}[which], which, about and "unseen" in about)
        turns.append(tuple(turn))
    if about is None and r.random() < 0.06:
        turns += filler(g, 1)
    c = Conv(turns)
    c.think = about is None and r.random() < 0.06
    if r.random() < 0.15:
        c.system = r.choice(SYS)
    c.kind = ("told" if told[which] else "untold") if k == "describe" else "other"
    return c
