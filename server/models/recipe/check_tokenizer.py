"""Checks the tokenizer: every conversation comes back from its ids, and lengths are as the training expects.

python check_tokenizer.py [--template FILE]

With the file of the public chat template of the small Gemma 4 models, every rendered prompt is compared with it too.
"""

import argparse
import re
import sys
from pathlib import Path

import chats_tools
import config as C
import conversations
import source
import tokenizer

# What `train.py` packs a row into.
LONGEST = 768


def plain(text):
    return text.replace("\x01", "").replace("\x02", "")


def check_round_trip(count):
    """Conversations whose ids do not give their text again, and the lengths of all."""
    encoder = tokenizer.Enc()
    g = source.G(5)
    bad, lengths = [], []
    for _ in range(count):
        segments = conversations.render(conversations.conversation(g))
        ids, _ = encoder.conv(segments)
        lengths.append(len(ids))
        text = plain("".join(text for text, _ in segments))
        if encoder.t.decode(ids, skip_special_tokens=False) != text:
            bad.append(text)
        if max(ids) >= C.VOCAB:
            bad.append(text)
    return bad, sorted(lengths)


def check_template(path, count):
    """Prompts that differ from the template's."""
    import jinja2

    template = jinja2.Environment(trim_blocks=True, lstrip_blocks=True).from_string(path.read_text())
    g = source.G(5)
    bad = []
    for _ in range(count):
        c = conversations.conversation(g)
        if c.tools:
            continue
        messages = [{"role": "system", "content": c.system}] if c.system else []
        for question, answer, _ in c.turns:
            messages.append({"role": "user", "content": question})
            messages.append({"role": "assistant", "content": plain(answer)})
        messages.pop()
        expected = template.render(
            messages=messages, enable_thinking=c.think, add_generation_prompt=True, bos_token="<bos>"
        )
        mine = plain("".join(text for text, _ in conversations.render(c)[:-1]))
        if mine != expected:
            bad.append((mine, expected))
    declarations = "".join(chats_tools.decl(*tool) for tool in (chats_tools.T_WEA[0], chats_tools.T_TIME[0]))
    weather = {"city": {"type": "string", "description": "The city name"}}
    tools = [
        ("get_weather", "Get the current weather for a city.", weather, ["city"]),
        ("get_time", "Get the current time.", {}, []),
    ]
    schema = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": description,
                "parameters": {"type": "object", "properties": properties}
                | ({"required": required} if required else {}),
            },
        }
        for name, description, properties, required in tools
    ]
    expected = template.render(
        messages=[{"role": "user", "content": "hi"}],
        tools=schema,
        add_generation_prompt=True,
        bos_token="<bos>",
    )
    found = re.search(r"<\|tool>.*<tool\|>", expected, re.S)
    if not found or found.group(0) != declarations:
        bad.append((declarations, expected))
    return bad


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--template", type=Path, help="chat_template.jinja of a small Gemma 4 model")
    ap.add_argument("--count", type=int, default=2000, help="conversations to check")
    a = ap.parse_args()
    if a.template and not a.template.is_file():
        ap.error(f"there is no {a.template}")
    bad, lengths = check_round_trip(a.count)
    at = {share: lengths[int(len(lengths) * share)] for share in (0.5, 0.9, 0.99)}
    print(f"{a.count} conversations, tokens by percentile {at}, longest {lengths[-1]}")
    for text in bad[:3]:
        print("not the same again:", repr(text))
    mismatches = check_template(a.template, a.count) if a.template else []
    for mine, expected in mismatches[:2]:
        print("rendered:", repr(mine), "template:", repr(expected), sep="\n  ")
    if lengths[-1] > LONGEST:
        print(f"a conversation is longer than {LONGEST} tokens and would be cut")
    compared = f", {len(mismatches)} unlike the template" if a.template else ""
    print(f"{len(bad)} not the same again{compared}")
    sys.exit(bool(bad or mismatches))


if __name__ == "__main__":
    main()
