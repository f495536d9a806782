"""Generated training conversations (text): what is drawn how often, and how a conversation is rendered."""

from chats_memory import conv_memory
from singles import one
from source import Conv, Skip
from chats_tools import conv_tools


SYS = [
    "You are a helpful assistant.",
    "You are Pebble, a small demo model.",
    "Answer briefly.",
    "Be friendly.",
    "You are a friendly assistant.",
    "Answer the user's questions.",
    "Be concise.",
    "You are a helpful AI assistant running in the browser.",
    "Keep your answers short.",
    "You are an assistant in a browser app.",
    "Help the user.",
    "Speak English.",
    "Be honest and brief.",
    "You are gemtab's demo model.",
]


UPPER_SYS = [
    "Answer in capital letters.",
    "Always answer in upper case.",
    "Write all answers in capital letters.",
]


def conversation(g):
    while True:
        try:
            u = g.r.random()
            if u < 0.075:
                c = conv_tools(g)
            elif u < 0.19:
                c = conv_memory(g)
            else:
                c = Conv([one(g) for _ in range(g.r.choices([1, 2, 3, 4], [70, 18, 8, 4])[0])])
            break
        except Skip:
            continue
    if g.r.random() < 0.2:
        c.system = g.c(SYS)
    if g.r.random() < 0.13:
        c.think = True
    if not c.think and not c.tools and g.r.random() < 0.012:
        c.system = g.c(UPPER_SYS)
        c.turns = [
            (a, b.replace("\x01", "").replace("\x02", "").upper(), t) for a, b, t in c.turns if "```" not in b
        ] or [one(g, "small")]
        c.turns = [(a, b.upper(), t) for a, b, t in c.turns]
    return c


def render(c):
    S = []
    p = "<bos>"
    if c.system or c.think or c.tools:
        p += (
            "<|turn>system\n"
            + ("<|think|>\n" if c.think else "")
            + (c.system or "")
            + "".join(c.tools or [])
            + "<turn|>\n"
        )
    n = len(c.turns) + (1 if c.extra else 0)
    for i, (u, a, t) in enumerate(c.turns):
        last = i == n - 1
        p += "<|turn>user\n" + u.strip() + "<turn|>\n<|turn>model\n"
        S.append((p, False))
        p = ""
        if c.think and last:
            S.append(("<|channel>thought\n" + t + "\n<channel|>" + a + "<turn|>", True))
        else:
            S.append((a + "<turn|>", not c.think))
        p = "\n"
    if c.extra:
        ask, call, resp, out, th = c.extra
        S.append((p + "<|turn>user\n" + ask + "<turn|>\n<|turn>model\n", False))
        S.append(
            (
                ("<|channel>thought\n" + th + "\n<channel|>" if c.think else "") + call + "<|tool_response>",
                True,
            )
        )
        if c.think:
            S.append((resp + "<|channel>thought\n", False))
            S.append(("I have the result.\n<channel|>" + out + "<turn|>", True))
        else:
            S.append((resp, False))
            S.append((out + "<turn|>", True))
    return S
