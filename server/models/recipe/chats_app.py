"""Conversations with the tools of the page, as `app/src/tools/declarations.json` declares them."""

import datetime
import json
from fractions import Fraction
from pathlib import Path

from conversations import SYS
from facts import CATS, NAMES
from singles import one
from source import Skip, rword

TOOLS = Path(__file__).resolve().parents[3] / "app" / "src" / "tools" / "declarations.json"
LONGEST = 896  # tokens of a conversation with all tools
Q = '<|"|>'


def declared(tool):
    """A tool as the chat template declares it."""
    out = f"<|tool>declaration:{tool['name']}{{description:{Q}{tool['description']}{Q}"
    parameters = tool["parameters"]
    if parameters:
        props = ",".join(
            f"{name}:{{description:{Q}{it['description']}{Q},type:{Q}{it['type'].upper()}{Q}}}"
            for name, it in sorted(parameters["properties"].items())
        )
        required = ",".join(Q + name + Q for name in parameters["required"])
        out += f",parameters:{{properties:{{{props}}},required:[{required}],type:{Q}OBJECT{Q}}}"
    return out + "}<tool|>"


DECLARED = {tool["name"]: declared(tool) for tool in json.loads(TOOLS.read_text())}
CALC, TIME, SEARCH, CODE = DECLARED


def call(name, **arguments):
    inside = ",".join(f"{key}:{Q}{value}{Q}" for key, value in arguments.items())
    return f"<|tool_call>call:{name}{{{inside}}}<tool_call|>"


def response(name, text):
    return f"<|tool_response>response:{name}{{value:{Q}{text}{Q}}}<tool_response|>"


def decimal(x, digits=15):
    """A fraction as the calculator writes it."""
    rounded = Fraction(round(x * 10**digits), 10**digits)
    sign, whole = "-" if rounded < 0 else "", abs(rounded.numerator) // rounded.denominator
    behind = f"{int((abs(rounded) - whole) * 10**digits):0{digits}d}".rstrip("0")
    return ("" if rounded == x else "≈ ") + f"{sign}{whole}" + (f".{behind}" if behind else "")


def number(g):
    """A number as people write it, and its value."""
    u = g.r.random()
    if u < 0.65:
        text = str(g.r.randint(0, g.c([12, 99, 999, 9999, 999999])))
    else:
        text = f"{g.r.randint(0, g.c([9, 99, 999]))}.{g.c(['5', '25', '75', str(g.r.randint(1, 99))])}"
    return text, Fraction(text)


def equation(left, result):
    return f"{left} {result}." if result.startswith("≈") else f"{left} = {result}."


def arithmetic(g):
    """A question, the expression, its result and what to answer."""
    (a, x), (b, y) = number(g), number(g)
    u = g.r.random()
    ask = g.c(["What is {}?", "Calculate {}.", "Compute {}", "How much is {}?", "{}", "{} = ?", "what's {}"])
    if u < 0.55:
        op = g.c("++-**/")
        g.need("app", a, op, b)
        if op == "/" and y == 0:
            return (
                ask.format(f"{a} / {b}"),
                f"{a} / {b}",
                '{"error":"division-by-zero"}',
                "I can't divide by zero.",
            )
        said = g.c(
            {"+": ["+", "+", "plus"], "-": ["-", "-", "minus"], "*": ["*", "×", "x", "times"]}.get(
                op, ["/", "/", "divided by"]
            )
        )
        expression, value = (
            f"{a} {op} {b}",
            x + y if op == "+" else x - y if op == "-" else x * y if op == "*" else x / y,
        )
        spoken = f"{a} {said} {b}" if len(said) > 1 or g.r.random() < 0.7 else f"{a}{said}{b}"
        return ask.format(spoken), expression, decimal(value), equation(expression, decimal(value))
    if u < 0.67:
        p = g.c([str(g.r.randint(1, 99)), f"{g.r.randint(1, 30)}.5"])
        g.need("app", p, "%", a)
        result = decimal(Fraction(p) * x / 100)
        said = g.c(["{}% of {}", "{} percent of {}", "{} % of {}"]).format(p, a)
        return ask.format(said), f"{p}% * {a}", result, equation(f"{p}% of {a}", result)
    if u < 0.8:
        c = g.r.randint(2, 99)
        g.need("app", a, b, c)
        expression, value = g.c(
            [
                (f"({a} + {b}) * {c}", (x + y) * c),
                (f"{a} + {b} * {c}", x + y * c),
                (f"{a} + {b} + {c}", x + y + c),
                (f"({a} + {b}) / {c}", (x + y) / c),
                (f"{a} * {b} - {c}", x * y - c),
            ]
        )
        return ask.format(expression), expression, decimal(value), equation(expression, decimal(value))
    if u < 0.9:
        n, e = g.r.randint(2, 30), g.r.randint(2, 9)
        g.need("app", n, "^", e)
        e = g.c([2, 3, e])
        said = {2: ["{0}^{1}", "{0} squared", "{0} to the power of {1}"], 3: ["{0}^{1}", "{0} cubed"]}
        said = g.c(said.get(e, ["{0}^{1}", "{0} to the power of {1}"])).format(n, e)
        return ask.format(said), f"{n} ^ {e}", str(n**e), f"{n} ^ {e} = {n**e}."
    n = g.r.randint(2, 200)
    g.need("app", "sqrt", n)
    exact = g.r.random() < 0.6
    result = str(n) if exact else f"≈ {n**0.5:.15f}" if round(n**0.5) ** 2 != n else str(round(n**0.5))
    n = n * n if exact else n
    said = g.c(["the square root of {}", "sqrt({})", "the root of {}"]).format(n)
    return (
        g.c(["What is {}?", "Calculate {}.", "{}?"]).format(said),
        f"sqrt({n})",
        result,
        equation(f"sqrt({n})", result),
    )


# Pairs of units, what they are called in questions, and how many of the second the first is.
UNITS = [
    ("km", "miles", "1000/1609.344", ["km", "kilometers"], ["miles"]),
    ("miles", "km", "1609.344/1000", ["miles"], ["km", "kilometers"]),
    ("inches", "cm", "2.54", ["inches"], ["cm", "centimeters"]),
    ("cm", "inches", "1/2.54", ["cm", "centimeters"], ["inches"]),
    ("ft", "m", "0.3048", ["ft", "feet"], ["m", "meters"]),
    ("m", "ft", "1/0.3048", ["m", "meters"], ["ft", "feet"]),
    ("kg", "lb", "1/0.45359237", ["kg", "kilograms"], ["lb", "pounds"]),
    ("lb", "kg", "0.45359237", ["lb", "pounds"], ["kg", "kilograms"]),
    ("oz", "g", "28.349523125", ["oz", "ounces"], ["g", "grams"]),
    ("l", "gallons", "1/3.785411784", ["l", "liters"], ["gallons"]),
    ("cups", "ml", "236.5882365", ["cups"], ["ml"]),
    ("h", "min", "60", ["h", "hours"], ["min", "minutes"]),
    ("days", "h", "24", ["days"], ["h", "hours"]),
    ("weeks", "days", "7", ["weeks"], ["days"]),
    ("km/h", "m/s", "1000/3600", ["km/h"], ["m/s"]),
    ("mph", "km/h", "1.609344", ["mph"], ["km/h"]),
    ("GB", "MB", "1000", ["GB"], ["MB"]),
    ("°C", "°F", "", ["°C", "degrees Celsius"], ["°F", "Fahrenheit"]),
    ("°F", "°C", "", ["°F", "degrees Fahrenheit"], ["°C", "Celsius"]),
]


def conversion(g):
    a, x = number(g)
    one_unit, other, factor, said, said_to = g.c(UNITS)
    g.need("app", a, one_unit, other)
    if factor:
        over, _, under = factor.partition("/")
        x = x * Fraction(over) / Fraction(under or 1)
    else:
        x = x * 9 / 5 + 32 if one_unit == "°C" else (x - 32) * 5 / 9
    result = f"{decimal(x)} {other}"
    ask = g.c(
        [
            "Convert {0} {1} to {2}.",
            "What is {0} {1} in {2}?",
            "How many {2} are {0} {1}?",
            "{0} {1} in {2}",
            "{0} {1} to {2}",
        ]
    )
    return (
        ask.format(a, g.c(said), g.c(said_to)),
        f"{a} {one_unit} to {other}",
        result,
        equation(f"{a} {one_unit}", result),
    )


ZONES = [
    "Europe/Berlin",
    "America/New_York",
    "Asia/Tokyo",
    "UTC",
    "Europe/London",
    "Asia/Kolkata",
    "America/Los_Angeles",
]
ZONES += [
    "Australia/Sydney",
    "Africa/Lagos",
    "America/Sao_Paulo",
    "Europe/Madrid",
    "Asia/Shanghai",
    "Asia/Dubai",
]


def clock(g):
    """A question, the result and what to answer."""
    at = datetime.datetime(2024, 1, 1) + datetime.timedelta(seconds=g.r.randint(0, 12 * 365 * 86400))
    ahead = g.c([-480, -300, -180, 0, 0, 60, 60, 120, 330, 480, 540])
    zone = g.c(ZONES)
    offset = f"{'-' if ahead < 0 else '+'}{abs(ahead) // 60:02d}:{abs(ahead) % 60:02d}"
    result = f"{at.isoformat(timespec='seconds')}{offset}, {at:%A}, {zone}"
    date = f"{at.day} {at:%B} {at.year}"
    ask, answer = g.c(
        [
            (
                [
                    "What time is it?",
                    "Tell me the time.",
                    "What's the time?",
                    "time please",
                    "How late is it?",
                ],
                f"It is {at:%H:%M}.",
            ),
            (
                [
                    "What day is it?",
                    "Which day of the week is it?",
                    "What weekday is today?",
                    "What day is it today?",
                ],
                f"Today is {at:%A}.",
            ),
            (
                ["What is the date?", "What's today's date?", "Which date is it today?", "the date please"],
                f"Today is {at:%A}, {date}.",
            ),
            (["What year is it?", "Which year do we have?"], f"It is {at.year}."),
            (["What month is it?", "Which month is it?"], f"It is {at:%B}."),
            (["Which time zone am I in?", "What is my time zone?"], f"Your time zone is {zone}."),
        ]
    )
    return g.c(ask), result, answer


def searched(g):
    words = g.c(
        [rword(g, 3, 9), g.c(CATS[g.c(sorted(CATS))]), g.c(NAMES), f"{rword(g, 3, 8)} {rword(g, 3, 8)}"]
    )
    g.need("app", "search", words)
    ask = g.c(
        [
            "Search my conversations for {}.",
            "What did I say about {}?",
            "Have we talked about {} before?",
            "Find what I wrote about {}.",
            "Did I ask you about {}?",
            "When did we talk about {}?",
            "Look for {} in my other conversations.",
        ]
    ).format(words)
    found = []
    for _ in range(g.c([0, 1, 1, 1, 2, 3])):
        kinds = ["arith", "fact", "small", "persona", "unknown"]
        title, text = (one(g, g.c(kinds))[0].replace("\x01", "").replace("\x02", "") for _ in "ab")
        title = g.c([title, title, words.capitalize(), f"About {words}"])
        it = [("excerpt", g.c([text, f"…{words} {text}", None])), ("title", title[:60])]
        found.append(dict(it if g.r.random() < 0.5 else it[::-1]))
    titles = [f'"{it["title"]}"' for it in found]
    listed = ", ".join(titles[:-1]) + " and " + titles[-1] if titles[1:] else "".join(titles)
    answer = f"I found {listed}." if found else f"I found nothing about {words}."
    return ask, words, json.dumps(found, ensure_ascii=False, separators=(",", ":")), answer


def chart(g):
    kind = g.c(["bar", "bar", "line", "pie"])
    values = [g.r.randint(0, g.c([9, 99, 999])) for _ in range(g.r.randint(2, 6))]
    names = (
        g.r.sample(sorted({w for c in CATS.values() for w in c if w.isalpha()}), len(values))
        if g.r.random() < 0.6
        else None
    )
    g.need("app", kind, tuple(values))
    if names:
        data = ", ".join(f"{name} {value}" for name, value in zip(names, values))
        if g.r.random() < 0.3:
            data = ", ".join(f"{name}: {value}" for name, value in zip(names, values))
        ask = g.c(
            ["Draw a {} chart: {}", "Make a {} chart of {}.", "Show a {} chart of this: {}", "{} chart: {}"]
        )
    else:
        data = ", ".join(map(str, values))
        if g.r.random() < 0.5:
            data = ", ".join(map(str, values[:-1])) + f" and {values[-1]}"
        ask = g.c(
            [
                "Draw a {} chart of {}.",
                "Make a {} chart of {}.",
                "Plot a {} chart with {}.",
                "{} chart of {}",
                "Show me a {} chart of {}.",
            ]
        )
    labels = json.dumps(names or [str(i + 1) for i in range(len(values))])
    code = (
        f'chart({{ type: "{kind}", title: "{kind.capitalize()} chart", x: {labels}, '
        f'series: [{{ name: "Values", values: {json.dumps(values)} }}] }})'
    )
    result = g.c(
        [
            '{"charts":"1 shown to the user","result":"undefined"}',
            '{"result":"undefined","charts":"1 shown to the user"}',
        ]
    )
    return ask.format(kind, data), code, result, f"Here is the {kind} chart."


def program(g):
    u = g.r.random()
    if u < 0.4:
        xs = [g.r.randint(0, g.c([9, 99, 999])) for _ in range(g.r.randint(3, 7))]
        listed = ", ".join(map(str, xs))
        ask, code, value = g.c(
            [
                (
                    "Sort {} with JavaScript.",
                    f'[{listed}].sort((a, b) => a - b).join(", ")',
                    ", ".join(map(str, sorted(xs))),
                ),
                ("Add up {} with JavaScript.", f"[{listed}].reduce((a, b) => a + b)", str(sum(xs))),
                ("Use JavaScript to find the largest of {}.", f"Math.max({listed})", str(max(xs))),
            ]
        )
        ask = ask.format(listed)
    elif u < 0.7:
        word = rword(g, 3, 9)
        ask, code, value = g.c(
            [
                ("Reverse {} with JavaScript.", f'"{word}".split("").reverse().join("")', word[::-1]),
                ("Use JavaScript to count the letters of {}.", f'"{word}".length', str(len(word))),
                ("Use JavaScript to write {} in capital letters.", f'"{word}".toUpperCase()', word.upper()),
            ]
        )
        ask = ask.format(word)
    else:
        n = g.r.randint(2, 100)
        ask = g.c(
            ["Add the numbers from 1 to {} with JavaScript.", "Use JavaScript to add up 1 to {}."]
        ).format(n)
        code, value = f"let sum = 0; for (let i = 1; i <= {n}; i++) sum += i; sum", str(n * (n + 1) // 2)
    g.need("app", "code", code)
    return ask, code, json.dumps({"result": value}, separators=(",", ":")), f"The result is {value}."


def exchange(g, have, want=None):
    """A question, the calls, their results, the answer and a thought; no calls where no tool fits."""
    want = want or g.c(have)
    if want == CALC:
        ask, expression, result, answer = arithmetic(g) if g.r.random() < 0.7 else conversion(g)
        return (
            ask,
            [(call(CALC, expression=expression), response(CALC, result))],
            answer,
            "I use the calculator for this.",
        )
    if want == TIME:
        ask, result, answer = clock(g)
        return ask, [(call(TIME), response(TIME, result))], answer, "I need the current time."
    if want == SEARCH:
        ask, words, result, answer = searched(g)
        return (
            ask,
            [(call(SEARCH, words=words), response(SEARCH, result))],
            answer,
            "I search the other conversations.",
        )
    ask, code, result, answer = chart(g) if g.r.random() < 0.6 else program(g)
    return ask, [(call(CODE, code=code), response(CODE, result))], answer, "I need JavaScript for this."


def both(g):
    """A question that needs two calls."""
    ask, (first,), answer, _ = exchange(g, [TIME, CALC])
    other, (second,), also, _ = exchange(g, [CALC])
    other = (
        other[0].lower() + other[1:]
        if other.split()[0] in ("What", "Calculate", "Compute", "How", "Convert")
        else other
    )
    return (
        f"{ask.rstrip('.?')}, and {other}",
        [first, second],
        f"{answer} {also}",
        "I need two calls for this.",
    )


def missing(g, have):
    """A question whose tool is off."""
    off = [name for name in (TIME, SEARCH, CODE) if name not in have]
    if not off:
        return one(g, "persona")[:2]
    want = g.c(off)
    if want == TIME:
        return clock(g)[0], "I have no tool for the time, so I cannot know it."
    if want == SEARCH:
        return searched(g)[0], "I have no tool for other conversations, so I cannot know that."
    return chart(g)[0], "I have no tool for charts, so I cannot draw one."


def conversation(g, plain=False):
    """A rendered conversation, as `conversations.render` makes them. `plain`: one question that needs one call."""
    while True:
        try:
            return attempt(g, plain)
        except Skip:
            continue


def attempt(g, plain):
    """`conversation` with the tools of one draw; raises `Skip` if a question belongs to the other split."""
    u = g.r.random()
    names = list(DECLARED)
    have = (
        [g.c(names)] if u < 0.4 else names if u < 0.7 else [n for n in names if g.r.random() < 0.6] or [CALC]
    )
    think = not plain and g.r.random() < 0.12
    out = "<bos><|turn>system\n" + ("<|think|>\n" if think else "")
    out += (g.c(SYS) if g.r.random() < 0.1 else "") + "".join(DECLARED[n] for n in have) + "<turn|>\n"
    done = []
    turns = 1 if plain or think else g.r.choices([1, 2, 3], [70, 22, 8])[0]
    for i in range(turns):
        out += "\n" if i else ""
        u = 0.0 if plain else g.r.random()
        calls, thought = [], ""
        if u < 0.62:
            ask, calls, answer, thought = exchange(g, have)
        elif u < 0.7 and CALC in have and TIME in have:
            ask, calls, answer, thought = both(g)
        elif u < 0.76:
            ask, answer = missing(g, have)
        else:
            # What a tool is for is asked of the tool.
            kinds = ["fact", "persona", "small", "word", "seq", "sort", "format", "unknown"]
            ask, answer, thought = one(g, g.c(kinds))
        if calls and not plain:
            ask = ask.rstrip(".?") if g.r.random() < 0.1 else ask
            ask = ask[0].lower() + ask[1:] if g.r.random() < 0.1 else ask
        done.append((out + "<|turn>user\n" + ask.strip() + "<turn|>\n<|turn>model\n", False))
        out = ""
        before = "<|channel>thought\n" + (thought or "No tool fits.") + "\n<channel|>" if think else ""
        if calls:
            done.append((before + "".join(c for c, _ in calls) + "<|tool_response>", True))
            results = "".join(r for _, r in calls).removeprefix("<|tool_response>")
            done.append((results + ("<|channel>thought\n" if think else ""), False))
            before = "I have the result.\n<channel|>" if think else ""
        done.append((before + answer + "<turn|>", True))
    return done
