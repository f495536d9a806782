"""Questions about words and lists: spelling, sorting, counting on, days, months, the alphabet."""

from source import CH, q, rword, words_of


def sp(w, sep):
    return sep.join(w)


def g_word(g):
    w = rword(g)
    k = g.r.randint(0, 11)
    qq = q(g, w)
    g.need("w", k if k < 9 else 9, w)
    if k in (0, 10):
        p = g.c(
            [
                "Reverse the word {}.",
                "Reverse {}",
                "Write {} backwards.",
                "Spell {} backwards.",
                "What is {} backwards?",
                "reverse this word: {}",
                "Can you reverse the word {}?",
                "Please reverse {}.",
                "Turn around the letters of {}.",
            ]
        ).format(qq)
        return p, CH(w[::-1]), f"Letters: {CH(sp(w, ' '))}. Backwards: {CH(sp(w[::-1], ' '))}."
    if k == 1:
        p = g.c(
            [
                "Write {} in upper case.",
                "Uppercase {}",
                "Make {} uppercase.",
                "Convert {} to upper case.",
                "Write {} in capital letters.",
                "Put {} in all caps.",
                "to uppercase: {}",
                "Please uppercase the word {}.",
            ]
        ).format(qq)
        return p, CH(w.upper()), f"Capital letters: {CH(w.upper())}."
    if k == 2:
        W = w.upper()
        p = g.c(
            ["Write {} in lower case.", "Make {} lowercase.", "Convert {} to lower case.", "lowercase {}"]
        ).format(q(g, W))
        return p, CH(w), "Small letters."
    if k in (3, 11):
        p = g.c(
            [
                "Spell {}.",
                "Spell the word {}.",
                "How do you spell {}?",
                "Can you spell {}?",
                "spell {} for me",
                "Spell {} letter by letter.",
                "Split {} into letters.",
            ]
        ).format(qq)
        return p, CH(sp(w, "-")), f"Letters: {CH(sp(w, ' '))}."
    if k == 4:
        p = g.c(
            [
                "How many letters are in {}?",
                "How many letters does {} have?",
                "Count the letters in {}.",
                "How long is the word {}?",
                "count letters: {}",
                "Number of letters in the word {}?",
            ]
        ).format(qq)
        return (
            p,
            f"{CH(sp(w, '-'))}: {len(w)} letters." if len(w) != 1 else "1 letter.",
            f"Letters: {CH(sp(w, ' '))}. That is {len(w)}.",
        )
    if k == 5:
        p = g.c(
            [
                "What is the first letter of {}?",
                "First letter of {}?",
                "Which letter does {} start with?",
                "{}: first letter?",
                "What letter does the word {} begin with?",
            ]
        ).format(qq)
        return p, f"The first letter is {CH(w[0])}.", f"{CH(sp(w, ' '))}: first is {CH(w[0])}."
    if k == 6:
        p = g.c(
            [
                "What is the last letter of {}?",
                "Last letter of {}?",
                "Which letter does {} end with?",
                "What letter does the word {} end with?",
            ]
        ).format(qq)
        return p, f"The last letter is {CH(w[-1])}.", f"{CH(sp(w, ' '))}: last is {CH(w[-1])}."
    if k == 7:
        l = g.c(w) if g.r.random() < 0.75 else g.c("abcdefghijklmnopqrstuvwxyz")
        n = w.count(l)
        p = g.c(
            [
                "How many times does {l} appear in {w}?",
                "How many {l}'s are in {w}?",
                "Count the letter {l} in {w}.",
                "How many letters {l} are in the word {w}?",
            ]
        ).format(l=g.c([l, f'"{l}"', l.upper()]), w=qq)
        mark = CH("-".join(x.upper() if x == l else x for x in w))
        return (
            p,
            f"{mark}: {n} time{'s' if n != 1 else ''}.",
            f"Letters: {CH(sp(w, ' '))}. {CH(l)} appears {n} times.",
        )
    if k == 8:
        i = g.r.randint(1, min(len(w), 5))
        o = ["first", "second", "third", "fourth", "fifth"][i - 1]
        return (
            g.c([f"What is the {o} letter of {qq}?", f"{o} letter of {qq}?"]),
            f"The {o} letter is {CH(w[i - 1])}.",
            f"{CH(sp(w, ' '))}: number {i} is {CH(w[i - 1])}.",
        )
    n = g.r.randint(2, 5)
    return (
        g.c([f"Repeat the word {qq} {n} times.", f"Say {qq} {n} times.", f"Write {w} {n} times."]),
        " ".join([w] * n),
        f"{n} times.",
    )


def g_sort(g):
    n = g.r.randint(3, 6)
    if g.r.random() < 0.5:
        m = g.c([9, 20, 99, 99, 999])
        xs = g.r.sample(range(m + 1), n)
        g.need("sort", tuple(xs))
        L = g.c([", ", ", ", " ", ","]).join(map(str, xs))
        d = g.r.random() < 0.25
        p = (
            g.c(
                [
                    "Sort these numbers: {}",
                    "Sort {}",
                    "Put these numbers in order: {}",
                    "Sort the list {}.",
                    "Order {} from smallest to largest.",
                    "sort numbers {}",
                    "Arrange {} from low to high.",
                ]
            )
            if not d
            else g.c(
                [
                    "Sort these numbers from largest to smallest: {}",
                    "Sort {} in descending order.",
                    "Order {} from high to low.",
                ]
            )
        )
        return (
            p.format(L),
            ", ".join(map(str, sorted(xs, reverse=d))),
            "I look for the " + ("largest" if d else "smallest") + " number each time.",
        )
    if g.r.random() < 0.35:
        m = g.c([20, 99, 999])
        xs = g.r.sample(range(m + 1), n)
        g.need("mm", tuple(xs))
        big = g.r.random() < 0.5
        w = g.c(["largest", "biggest", "greatest", "highest"]) if big else g.c(["smallest", "lowest"])
        return (
            g.c(
                ["What is the {w} number in {L}?", "Which is the {w}: {L}?", "Find the {w} number: {L}"]
            ).format(w=w, L=", ".join(map(str, xs))),
            f"The {w} number is {max(xs) if big else min(xs)}.",
            "I compare all numbers.",
        )
    xs = []
    while len(xs) < n:
        w = rword(g, 3, 8)
        if w not in xs:
            xs.append(w)
    g.need("sortw", tuple(xs))
    p = g.c(
        [
            "Sort these words: {}",
            "Sort the words {} alphabetically.",
            "Put these words in alphabetical order: {}",
            "Alphabetical order: {}",
            "sort {}",
            "Sort {} from A to Z.",
        ]
    ).format(g.c([", ", ", ", " "]).join(xs))
    return (
        p,
        ", ".join(sorted(xs)),
        "I compare the first letters: " + ", ".join(x[0] for x in sorted(xs)) + ".",
    )


DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
ALPHA = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def g_seq(g):
    u = g.r.random()
    if u < 0.2:
        n = g.r.randint(2, 20)
        return (
            g.c(
                [
                    f"Count to {n}.",
                    f"Count from 1 to {n}.",
                    f"count to {n} please",
                    f"Can you count to {n}?",
                    f"List the numbers from 1 to {n}.",
                    f"Count up to {words_of(n)}.",
                ]
            ),
            ", ".join(map(str, range(1, n + 1))),
            f"1 to {n}.",
        )
    if u < 0.3:
        a = g.r.randint(2, 90)
        b = a + g.r.randint(2, 10)
        g.need("cnt", a, b)
        return (
            g.c([f"Count from {a} to {b}.", f"List the numbers from {a} to {b}.", f"count {a} to {b}"]),
            ", ".join(map(str, range(a, b + 1))),
            f"From {a} to {b}.",
        )
    if u < 0.37:
        n = g.r.randint(3, 12)
        return (
            g.c(
                [
                    f"Count down from {n}.",
                    f"Count backwards from {n}.",
                    f"countdown from {n}",
                    f"Count backwards from {n} to 1.",
                ]
            ),
            ", ".join(map(str, range(n, 0, -1))),
            f"{n} down to 1.",
        )
    if u < 0.5:
        n = g.r.randint(4, 30)
        w = g.c(["even", "odd"])
        xs = range(2 if w == "even" else 1, n + 1, 2)
        return (
            g.c(
                [
                    f"List the {w} numbers up to {n}.",
                    f"{w} numbers up to {n}",
                    f"Give me the {w} numbers from 1 to {n}.",
                    f"List all {w} numbers until {n}.",
                ]
            ),
            ", ".join(map(str, xs)),
            f"{w} numbers: steps of two.",
        )
    if u < 0.56:
        n = g.r.randint(1, 12)
        k = g.r.randint(3, 10)
        return (
            g.c([f"List the first {k} multiples of {n}.", f"first {k} multiples of {n}"]),
            ", ".join(str(n * i) for i in range(1, k + 1)),
            f"Steps of {n}.",
        )
    if u < 0.66:
        i = g.r.randint(0, 6)
        d = DAYS[i]
        v = g.r.random()
        if v < 0.3:
            return (
                g.c(
                    [
                        "List the days of the week.",
                        "What are the days of the week?",
                        "Name the days of the week",
                        "days of the week",
                        "Which days does a week have?",
                    ]
                ),
                ", ".join(DAYS),
                "Seven days.",
            )
        if v < 0.65:
            return (
                g.c(
                    [
                        f"What day comes after {d}?",
                        f"Which day is after {d}?",
                        f"What day is after {d}?",
                        f"If today is {d}, what day is tomorrow?",
                    ]
                ),
                f"{DAYS[(i + 1) % 7]} comes after {d}.",
                f"After {d}.",
            )
        return (
            g.c(
                [
                    f"What day comes before {d}?",
                    f"Which day is before {d}?",
                    f"If today is {d}, what day was yesterday?",
                ]
            ),
            f"{DAYS[(i - 1) % 7]} comes before {d}.",
            f"Before {d}.",
        )
    if u < 0.76:
        i = g.r.randint(0, 11)
        d = MONTHS[i]
        v = g.r.random()
        if v < 0.25:
            return (
                g.c(
                    [
                        "List the months of the year.",
                        "What are the months?",
                        "Name all months",
                        "months of the year",
                        "List all twelve months.",
                    ]
                ),
                ", ".join(MONTHS),
                "Twelve months.",
            )
        if v < 0.5:
            return (
                g.c([f"What month comes after {d}?", f"Which month is after {d}?"]),
                f"{MONTHS[(i + 1) % 12]} comes after {d}.",
                f"After {d}.",
            )
        if v < 0.75:
            return (
                g.c([f"What month comes before {d}?", f"Which month is before {d}?"]),
                f"{MONTHS[(i - 1) % 12]} comes before {d}.",
                f"Before {d}.",
            )
        o = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()[i]
        return (
            g.c([f"What is the {o} month of the year?", f"Which month is the {o}?"]),
            f"{d} is the {o} month.",
            "I count the months.",
        )
    if u < 0.92:
        i = g.r.randint(0, 25)
        L = ALPHA[i]
        v = g.r.random()
        if v < 0.25:
            return (
                g.c(
                    [
                        "Write the alphabet.",
                        "Say the alphabet.",
                        "List the letters of the alphabet.",
                        "What are the letters of the alphabet?",
                        "the alphabet please",
                    ]
                ),
                CH(" ".join(ALPHA)),
                "A to Z.",
            )
        if v < 0.6 and i < 25:
            return (
                g.c([f"Which letter comes after {L}?", f"What letter is after {L}?", f"letter after {L}"]),
                f"{CH(ALPHA[i + 1])} comes after {CH(L)}.",
                f"... {L} {ALPHA[i + 1]} ...",
            )
        if i > 0 and v < 0.85:
            return (
                g.c([f"Which letter comes before {L}?", f"What letter is before {L}?"]),
                f"{CH(ALPHA[i - 1])} comes before {CH(L)}.",
                f"... {ALPHA[i - 1]} {L} ...",
            )
        return (
            g.c([f"Is {L} a vowel?", f"Is the letter {L} a vowel or a consonant?"]),
            f"{L} is a {'vowel' if L in 'AEIOU' else 'consonant'}.",
            "Vowels are A, E, I, O, U.",
        )
    w = rword(g, 3, 8)
    v = rword(g, 3, 8)
    rword(g, 3, 8)  # used for nothing but the random sequence of the published run
    g.need("join", w, v)
    return (
        g.c([f"Join the words {w} and {v}.", f"Put together {w} and {v}."]),
        f"{w} {v}",
        "I write both words.",
    )
