"""Questions about numbers: arithmetic, comparing, even and odd, number words."""

from source import words_of


def arith_pair(g):
    u = g.r.random()
    if u < 0.42:
        d = g.c([1, 2, 2, 3, 3, 3])
        e = g.c([1, 2, 2, 3, 3, 3])
        a, b, op = g.r.randint(0, 10**d - 1), g.r.randint(0, 10**e - 1), "+"
    elif u < 0.76:
        d = g.c([1, 2, 2, 3, 3, 3])
        e = g.c([1, 2, 2, 3, 3])
        a, b, op = g.r.randint(0, 10**d - 1), g.r.randint(0, 10**e - 1), "-"
        if a < b and g.r.random() < 0.85:
            a, b = b, a
    elif u < 0.93:
        a, b, op = g.r.randint(0, 12), g.r.randint(0, 12), "*"
    else:
        b = g.r.randint(1, 12)
        a = b * g.r.randint(0, 12)
        op = "/"
    if op in "+-" and max(a, b) > 20 or op == "*":
        key = (op, a, b) if op != "*" else ("*t", a, b, g.r.randint(0, 3))
        if op != "*":
            g.need(*key)
    res = {"+": a + b, "-": a - b, "*": a * b, "/": a // b if b else 0}[op]
    return a, b, op, res


OPW = {
    "+": ["plus", "and", "added to"],
    "-": ["minus", "take away"],
    "*": ["times", "multiplied by"],
    "/": ["divided by", "over"],
}


def ask_arith(g, a, b, op):
    s = {"*": g.c(["*", "x", "×", "*"]), "/": g.c(["/", "÷", "/"])}.get(op, op)
    sp = g.c([" ", " ", ""])
    e = f"{a}{sp}{s}{sp}{b}"
    w = g.c(OPW[op][:1] if op != "*" else OPW[op])
    A, B = (words_of(a), words_of(b)) if max(a, b) < 21 and g.r.random() < 0.25 else (a, b)
    T = [
        "What is {e}?",
        "{e}",
        "{e} =",
        "{e}=",
        "{e} = ?",
        "Calculate {e}.",
        "Compute {e}",
        "how much is {e}?",
        "What's {e}?",
        "solve {e}",
        "What is {A} {w} {B}?",
        "What's {A} {w} {B}",
        "{A} {w} {B}",
        "How much is {A} {w} {B}?",
        "Please calculate {A} {w} {B}.",
        "Can you tell me what {e} is?",
        "Tell me {A} {w} {B}",
        "Work out {e}",
        "What does {e} equal?",
        "Quick: {e}?",
        "Do the math: {e}",
    ]
    if op == "+":
        T += [
            "Add {a} and {b}.",
            "What is the sum of {a} and {b}?",
            "Sum of {a} and {b}?",
            "Add {a} to {b}",
            "If I have {a} apples and get {b} more, how many do I have?",
        ]
    if op == "-":
        T += [
            "Subtract {b} from {a}.",
            "What is the difference between {a} and {b}?" if a >= b else "Subtract {b} from {a}.",
            "Take {b} away from {a}",
            "If I have {a} apples and eat {b}, how many are left?" if a >= b else "{e}",
        ]
    if op == "*":
        T += [
            "Multiply {a} by {b}.",
            "What is the product of {a} and {b}?",
            "multiply {a} and {b}",
            "{a} times {b}?",
        ]
    if op == "/":
        T += ["Divide {a} by {b}.", "divide {a} by {b}"]
    return g.c(T).format(e=e, A=A, B=B, w=w, a=a, b=b)


def think_arith(a, b, op, res):
    n = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}[op]
    return f"I {n}: {a} {op} {b} = {res}."


def g_arith(g):
    a, b, op, res = arith_pair(g)
    p = ask_arith(g, a, b, op)
    s = {"*": "×", "/": "÷"}.get(op, op)
    u = g.r.random()
    if u < 0.1:
        p += g.c([" Answer with the number only.", " Just the number, please.", " Only the number."])
        ans = str(res)
    elif u < 0.16:
        k = g.c(["sum", "result", "answer"]) if op == "+" else g.c(["result", "answer"])
        p += (
            g.c(
                [' Answer as JSON {"%s": …}.', ' Reply as JSON like {"%s": 0}.', ' as JSON with the key "%s"']
            )
            % k
        )
        ans = '{"%s": %d}' % (k, res)
    else:
        ans = f"{a} {s} {b} = {res}" + "."
    return p, ans, think_arith(a, b, op, res)


def g_compare(g):
    n = g.c([9, 99, 999, 999])
    a, b = g.r.randint(0, n), g.r.randint(0, n)
    if a == b:
        b = a + 1
    g.need("cmp", a, b)
    big = max(a, b)
    sm = min(a, b)
    u = g.r.random()
    if u < 0.35:
        w = g.c(["bigger", "larger", "greater", "higher"])
        p = g.c(
            [
                f"Which is {w}, {a} or {b}?",
                f"Which number is {w}: {a} or {b}?",
                f"what is {w}, {a} or {b}",
                f"{a} or {b}: which is {w}?",
            ]
        )
        ans = f"{big} is {w} than {sm}."
    elif u < 0.6:
        w = g.c(["smaller", "less", "lower"])
        p = g.c(
            [f"Which is {w}, {a} or {b}?", f"Which number is {w}: {a} or {b}?", f"{a} or {b}: which is {w}?"]
        )
        ans = f"{sm} is {'less' if w == 'less' else w} than {big}."
    else:
        w, t = g.c(
            [("bigger than", a > b), ("greater than", a > b), ("less than", a < b), ("smaller than", a < b)]
        )
        p = g.c([f"Is {a} {w} {b}?", f"is {a} {w} {b}", f"Tell me if {a} is {w} {b}."])
        inv = {
            "bigger than": "smaller than",
            "greater than": "less than",
            "less than": "greater than",
            "smaller than": "bigger than",
        }[w]
        ans = f"Yes, {a} is {w} {b}." if t else f"No, {a} is {inv} {b}."
    return p, ans, f"I compare {a} and {b}: {big} is larger."


def g_numfun(g):
    u = g.r.random()
    n = g.r.randint(0, 100)
    if u < 0.2:
        g.need("even", n)
        w = g.c(["even", "odd"])
        t = (n % 2 == 0) == (w == "even")
        r = "even" if n % 2 == 0 else "odd"
        return (
            g.c([f"Is {n} {w}?", f"is the number {n} {w}?", f"Is {n} an {w} number?"]),
            (f"Yes, {n} is {r}." if t else f"No, {n} is {r}."),
            f"{n} ends in {n % 10}, so it is {r}.",
        )
    if u < 0.25:
        r = "even" if n % 2 == 0 else "odd"
        return f"Is {n} even or odd?", f"{n} is {r}.", f"{n} ends in {n % 10}."
    if u < 0.4:
        n = g.r.randint(0, 998)
        g.need("next", n)
        return (
            g.c(
                [
                    f"What comes after {n}?",
                    f"Which number comes after {n}?",
                    f"What is the next number after {n}?",
                ]
            ),
            f"{n + 1} comes after {n}.",
            f"{n} + 1 = {n + 1}.",
        )
    if u < 0.5:
        n = g.r.randint(1, 999)
        g.need("prev", n)
        return (
            g.c([f"What comes before {n}?", f"Which number comes before {n}?"]),
            f"{n - 1} comes before {n}.",
            f"{n} - 1 = {n - 1}.",
        )
    if u < 0.62:
        g.need("dbl", n)
        return (
            g.c([f"What is double {n}?", f"double {n}", f"Double the number {n}."]),
            f"Double {n} is {2 * n}.",
            f"2 * {n} = {2 * n}.",
        )
    if u < 0.72:
        n = 2 * g.r.randint(0, 50)
        g.need("half", n)
        return (
            g.c([f"What is half of {n}?", f"half of {n}"]),
            f"Half of {n} is {n // 2}.",
            f"{n} / 2 = {n // 2}.",
        )
    n = g.r.randint(0, 130) if g.r.random() < 0.6 else g.r.randint(0, 999)
    g.need("words", n)
    if u < 0.9:
        return (
            g.c(
                [
                    f"Write {n} in words.",
                    f"Spell the number {n}.",
                    f"How do you write {n} in words?",
                    f"{n} in words",
                ]
            ),
            f"{n} in words is {words_of(n)}.",
            f"{n} is {words_of(n)}.",
        )
    return (
        g.c(
            [
                f"Write {words_of(n)} as a number.",
                f"Write {words_of(n)} in digits.",
                f"What is {words_of(n)} in digits?",
            ]
        ),
        f"{n}",
        f"{words_of(n)} is {n}.",
    )
