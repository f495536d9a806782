"""Facts, formats, persona, small talk, and what the model says that it does not know."""

import json

from facts import CAPITALS, CATS, CITIES, NAMES, SING, fact
from persona import PERSONA, SMALLTALK, UNKNOWN_A, UNKNOWN_T, UNKNOWN_X
from source import pseudo, rword, words_of


def g_fact(g):
    q_, a, short, key = fact(g.r)
    g.need("f", q_)
    u = g.r.random()
    if u < 0.14 and short:
        return (
            q_ + g.c([" Answer in one word.", " One word only.", " Answer with one word.", " (one word)"]),
            short,
            f"The answer is {short}.",
        )
    return q_, a, (f"I remember this fact: {short}." if short else "I remember this fact.")


def items(g, n):
    cat = g.c(sorted(CATS))
    return cat, g.r.sample(CATS[cat], min(n, len(CATS[cat])))


LANGS = {
    "Python": ("python", 'print("{}")'),
    "Rust": ("rust", 'fn main() {{\n    println!("{}");\n}}'),
    "JavaScript": ("javascript", 'console.log("{}");'),
    "C": ("c", '#include <stdio.h>\n\nint main(void) {{\n    puts("{}");\n    return 0;\n}}'),
    "Go": ("go", 'package main\n\nimport "fmt"\n\nfunc main() {{\n    fmt.Println("{}")\n}}'),
    "Bash": ("bash", 'echo "{}"'),
    "Ruby": ("ruby", 'puts "{}"'),
}


def g_format(g):
    u = g.r.random()
    if u < 0.2:
        n = g.r.randint(2, 6)
        cat, xs = items(g, n)
        n = len(xs)
        g.need("bul", cat, n)
        return (
            g.c(
                [
                    f"List {n} {cat} as a bullet list.",
                    f"Give me a bullet list of {n} {cat}.",
                    f"{n} {cat} as bullet points",
                    f"Write a bullet list with {words_of(n)} {cat}.",
                ]
            ),
            "\n".join("- " + x for x in xs),
            f"I need {n} {cat}.",
        )
    if u < 0.38:
        n = g.r.randint(2, 6)
        cat, xs = items(g, n)
        n = len(xs)
        g.need("num", cat, n)
        return (
            g.c(
                [
                    f"Give me a numbered list of {n} {cat}.",
                    f"List {n} {cat} as a numbered list.",
                    f"Make a numbered list with {n} {cat}.",
                ]
            ),
            "\n".join(f"{i + 1}. {x}" for i, x in enumerate(xs)),
            f"I need {n} {cat}.",
        )
    if u < 0.48:
        n = g.r.randint(1, 5)
        cat, xs = items(g, n)
        n = len(xs)
        g.need("nam", cat, n)
        w = cat if n > 1 else SING[cat]
        return (
            g.c(
                [
                    f"Name {n if n > 1 else 'a' if w[0] not in 'aeiou' else 'an'} {w}.",
                    f"Tell me {words_of(n)} {w}.",
                ]
            ),
            (", ".join(xs[:-1]) + " and " + xs[-1] if n > 1 else xs[0]) + ".",
            f"I need {n}.",
        )
    if u < 0.6:
        xs = [rword(g, 3, 8) for _ in range(g.r.randint(2, 5))]
        g.need("fm", tuple(xs))
        L = ", ".join(xs)
        v = g.r.random()
        if v < 0.4:
            return (
                g.c(
                    [
                        f"Turn this into a bullet list: {L}",
                        f"Make a bullet list: {L}",
                        f"Bullet list please: {L}",
                    ]
                ),
                "\n".join("- " + x for x in xs),
                "One line for each item.",
            )
        if v < 0.7:
            return (
                g.c([f"Turn this into a numbered list: {L}", f"Make a numbered list: {L}"]),
                "\n".join(f"{i + 1}. {x}" for i, x in enumerate(xs)),
                "One number for each item.",
            )
        return (
            g.c([f"Write this as a JSON list: {L}", f"Make a JSON array: {L}"]),
            json.dumps(xs),
            "JSON needs quotes.",
        )
    if u < 0.74:
        ks = g.r.sample(["name", "city", "colour", "animal", "age", "food", "pet", "country"], 2)
        vals = []
        for k in ks:
            vals.append(
                g.c(NAMES)
                if k == "name"
                else g.c(CITIES)
                if k == "city"
                else g.c(CATS["colours"])
                if k == "colour"
                else g.c(CATS["animals"])
                if k in ("animal", "pet")
                else g.r.randint(3, 99)
                if k == "age"
                else g.c(CATS["fruits"])
                if k == "food"
                else g.c([c for c, _ in CAPITALS])
            )
        g.need("js", str(vals))
        return (
            g.c(
                [
                    "Write JSON with {} {} and {} {}.",
                    "Make a JSON object with {} {} and {} {}.",
                    "JSON: {} {}, {} {}",
                    "as JSON: {} = {}, {} = {}",
                ]
            ).format(ks[0], vals[0], ks[1], vals[1]),
            json.dumps(dict(zip(ks, vals)), ensure_ascii=False),
            "I write the keys and values.",
        )
    if u < 0.86:
        if g.r.random() < 0.5:
            n = g.r.randint(2, 4)
            xs = g.r.sample(CAPITALS, n)
            g.need("tab", xs[0], n)
            return (
                g.c(
                    [
                        f"Make a table of countries and capitals: {', '.join(c for c, _ in xs)}.",
                        f"Make a Markdown table with the capitals of {', '.join(c for c, _ in xs)}.",
                    ]
                ),
                "| Country | Capital |\n| --- | --- |\n" + "\n".join(f"| {a} | {b} |" for a, b in xs),
                "Two columns.",
            )
        n = g.r.randint(2, 4)
        xs = [(rword(g, 3, 7), g.r.randint(1, 99)) for _ in range(n)]
        g.need("tb", str(xs))
        return (
            g.c(["Make a table: ", "Make a Markdown table with these: ", "Show this as a table: "])
            + ", ".join(f"{a} {b}" for a, b in xs),
            "| Name | Value |\n| --- | --- |\n" + "\n".join(f"| {a} | {b} |" for a, b in xs),
            "Two columns.",
        )
    L = g.c(sorted(LANGS))
    tag, t = LANGS[L]
    w = g.c(["Hello, world!", "hello", "Hello", "Hello, gemtab!", "hi"] + [rword(g) for _ in range(3)])
    g.need("code", L, w)
    if g.r.random() < 0.15:
        n = g.r.randint(2, 20)
        return (
            g.c([f"Write a Python loop that counts to {n}.", f"Python: print the numbers from 1 to {n}."]),
            f"```python\nfor i in range(1, {n + 1}):\n    print(i)\n```",
            "I use a for loop.",
        )
    return (
        g.c(
            [
                f"Print {w} in {L}.",
                f'Write {L} code that prints "{w}".',
                f"How do I print {w} in {L}?",
                f"{L} code to print {w}",
                f'Show me how to print "{w}" in {L}.',
            ]
        ),
        f"```{tag}\n{t.format(w)}\n```",
        f"A short {L} program.",
    )


PRE = [
    "",
    "",
    "",
    "",
    "",
    "",
    "Hey, ",
    "Hi, ",
    "Hello! ",
    "Please tell me: ",
    "I want to know: ",
    "Quick question: ",
    "Pebble, ",
    "So, ",
    "Ok, ",
    "Tell me, ",
]


def rough(g, s):
    """surface noise: greetings in front, case, punctuation, a rare typo"""
    p = g.c(PRE)
    if p and p[-2] in ",:" and len(s) > 1 and s[1].islower() and not s.startswith(("I ", "I'")):
        s = s[0].lower() + s[1:]
    s = p + s
    u = g.r.random()
    if u < 0.12:
        s = s.lower()
    elif u < 0.14:
        s = s.upper()
    if g.r.random() < 0.15:
        s = s.rstrip("?.!")
    if g.r.random() < 0.06:
        s += g.c([" please", " Thanks!", " Thank you."])
    if g.r.random() < 0.05 and len(s) > 12:
        i = g.r.randint(3, len(s) - 3)
        s = s[:i] + s[i + 1 :] if g.r.random() < 0.5 else s[:i] + s[i + 1] + s[i] + s[i + 2 :]
    return s


def g_persona(g):
    k = g.r.randint(0, len(PERSONA) - 1)
    qs, ans = PERSONA[k]
    return rough(g, g.c(qs)), g.c(ans), "The user asks about me or the app. I answer honestly."


def g_small(g):
    qs, ans = g.c(SMALLTALK)
    return rough(g, g.c(qs)) if g.r.random() < 0.5 else g.c(qs), g.c(ans), "A friendly short answer fits."


def g_unknown(g):
    t = g.c(UNKNOWN_T)
    x = (
        g.c(UNKNOWN_X)
        if g.r.random() < 0.75
        else g.c(
            [
                pseudo(g.r).capitalize(),
                pseudo(g.r),
                g.c(NAMES) + " " + pseudo(g.r).capitalize(),
                "the " + rword(g) + " " + rword(g),
            ]
        )
    )
    return rough(g, t.format(x=x)), g.c(UNKNOWN_A), "I do not know this. I say so."
