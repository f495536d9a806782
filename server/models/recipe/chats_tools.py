"""Conversations with tools."""

from facts import CITIES
from singles import filler, one
from source import Conv, pseudo


Q = '<|"|>'


def prop(name, desc, typ):
    return f"{name}:{{description:{Q}{desc}{Q},type:{Q}{typ}{Q}}}"


def decl(name, desc, props, req):
    s = f"<|tool>declaration:{name}{{description:{Q}{desc}{Q}"
    s += (
        ",parameters:{"
        + ("properties:{" + ",".join(prop(*p) for p in sorted(props)) + "}," if props else "")
        + ("required:[" + ",".join(Q + r + Q for r in req) + "]," if req else "")
        + f"type:{Q}OBJECT{Q}}}"
    )
    return s + "}<tool|>"


T_TIME = [
    ("get_time", "Get the current time.", [], []),
    ("get_time", "Returns the current time", [], []),
    ("get_time", "Get the time in a city.", [("city", "The city", "STRING")], []),
    ("get_time", "Tells what time it is.", [], []),
]
T_WEA = [
    ("get_weather", "Get the current weather for a city.", [("city", "The city name", "STRING")], ["city"]),
    ("get_weather", "Get the weather in a city", [("city", "City", "STRING")], ["city"]),
    ("get_weather", "Returns the weather of a place.", [("city", "Name of the city", "STRING")], ["city"]),
]
T_CALC = [
    (
        "calculator",
        "Evaluate an arithmetic expression.",
        [("expression", "The expression", "STRING")],
        ["expression"],
    ),
    (
        "calculator",
        "A calculator for arithmetic.",
        [("expression", "Arithmetic expression, for example 2+2", "STRING")],
        ["expression"],
    ),
    (
        "calculator",
        "Calculates a result",
        [("expression", "expression to calculate", "STRING")],
        ["expression"],
    ),
]
WEATHER = ["sunny", "rainy", "cloudy", "windy", "snowy", "foggy", "clear", "stormy"]


def conv_tools(g):
    tools = {"get_time": g.c(T_TIME), "get_weather": g.c(T_WEA), "calculator": g.c(T_CALC)}
    have = g.r.sample(sorted(tools), g.r.randint(1, 3))
    D = [decl(*tools[k]) for k in have]
    turns = filler(g, g.c([0, 0, 0, 1])) if g.r.random() < 0.4 else []
    u = g.r.random()
    city = g.c(CITIES) if g.r.random() < 0.85 else pseudo(g.r).capitalize()
    want = g.c(have) if u < 0.78 else None
    if want is None and u < 0.9 and len(have) < 3:  # the needed tool is missing
        miss = g.c([k for k in sorted(tools) if k not in have and k != "calculator"] or ["none"])
        if miss == "none":
            turns.append(one(g, "persona"))
        elif miss == "get_time":
            turns.append(
                (
                    g.c(["What time is it?", "Tell me the time."]),
                    "I have no tool for the time, so I cannot know it.",
                    "No tool fits.",
                )
            )
        else:
            turns.append(
                (
                    g.c(["What is the weather in {}?", "How is the weather in {}?"]).format(city),
                    "I have no tool for the weather, so I cannot know it.",
                    "No tool fits.",
                )
            )
        return Conv(turns, tools=D)
    if want is None:
        turns.append(one(g, g.c(["fact", "persona", "small", "word", "seq"])))
        return Conv(turns, tools=D)
    g.need("tool", want, city)
    if want == "get_time":
        wc = bool(tools["get_time"][2])
        h, m = g.r.randint(0, 23), g.r.randint(0, 59)
        t = f"{h:02d}:{m:02d}"
        if wc and g.r.random() < 0.6:
            ask = g.c(["What time is it in {}?", "Tell me the time in {}.", "time in {}?"]).format(city)
            args = f"city:{Q}{city}{Q}"
            out = f"It is {t} in {city}."
        else:
            ask = g.c(
                [
                    "What time is it?",
                    "Tell me the time.",
                    "What's the time?",
                    "What is the current time?",
                    "time please",
                    "Can you tell me what time it is?",
                    "Do you know the time?",
                    "How late is it?",
                ]
            )
            args = ""
            out = f"It is {t}."
        resp = g.c([f"time:{Q}{t}{Q}", f"value:{Q}{t}{Q}"])
        th = "I need the time, so I call get_time."
    elif want == "get_weather":
        ask = g.c(
            [
                "What is the weather in {}?",
                "How is the weather in {}?",
                "Weather in {}?",
                "what's the weather like in {}",
                "Tell me the weather in {}.",
                "Is it sunny in {}?",
                "Do I need an umbrella in {}?",
                "Give me the weather for {}.",
            ]
        ).format(city)
        args = f"city:{Q}{city}{Q}"
        w = g.c(WEATHER)
        n = g.r.randint(-10, 38)
        v = g.r.random()
        if v < 0.4:
            resp = f"condition:{Q}{w}{Q},temperature:{n}"
            out = f"The weather in {city} is {w} with {n} degrees."
        elif v < 0.7:
            resp = f"value:{Q}{w}, {n} C{Q}"
            out = f"The weather in {city} is {w} with {n} degrees."
        else:
            resp = g.c([f"weather:{Q}{w}{Q}", f"value:{Q}{w}{Q}"])
            out = f"The weather in {city} is {w}."
        th = "I need the weather, so I call get_weather."
    else:
        n = g.c([99, 999, 9999])
        a, b = g.r.randint(0, n), g.r.randint(0, n)
        op = g.c("+-*/*")
        e = f"{a} {op} {b}"
        val = a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a // b if b else 0
        ask = g.c(
            ["What is {}?", "Calculate {}.", "Use the calculator: {}", "Compute {}", "How much is {}?", "{}"]
        ).format(g.c([e, e, e.replace(" ", "")]))
        args = f"expression:{Q}{e}{Q}"
        resp = g.c(["result", "value"]) + ":" + g.c([str(val), Q + str(val) + Q])
        out = f"{e} = {val}."
        th = "I use the calculator for this."
    return Conv(
        turns,
        tools=D,
        extra=(
            ask,
            f"<|tool_call>call:{want}{{{args}}}<tool_call|>",
            f"response:{want}{{{resp}}}<tool_response|>",
            out,
            th,
        ),
    )
