"""How many of its drafts the model accepts, on the text prompts of evaluate.py: held out from training where those are.

python drafter_evaluate.py DRAFTER.gguf OUT.json [--model ../pebble.gguf] [--n 120]
python drafter_evaluate.py DRAFTER.gguf OUT.json --reference

Both files are dequantised and computed in float32. A round drafts N tokens from the last token x; the model checks them
in one pass, keeps those before the first that is not its own choice, and adds its own next one. The text is the one
without a drafter. --reference writes single rounds of a few prompts instead, for tests of an engine.
"""

import argparse
import json
import random

try:
    import torch
except ModuleNotFoundError as error:
    raise SystemExit(f"{error}: install the packages of requirements.txt first")

import chats_memory
import chats_tools
import config as C
import conversations as T
import drafter
import drafter_file
import drafter_texts as DT
import singles
import source
import tokenizer as U
from heldout import HELD, UNSEEN_TOPICS
from persona import PERSONA, SMALLTALK


# ------------------------------------------------------------------ prompts
def prompts(e, n):
    """(skill, ids) of all prompts that evaluate.py asks in its part about text, drawn in the same order."""

    def ask(q, **how):
        return e.conv(T.render(source.Conv([(q, "", "")], **how))[:1])[0]

    for skill in ("arith", "compare", "numfun", "word", "sort", "seq", "fact", "format"):
        g = source.G(4242, "eval")
        for _ in range(n):
            yield skill, ask(singles.one(g, skill)[0])
    r = random.Random(7)
    for q, _ in HELD:
        yield "persona_unseen_wording", ask(q)
    for qs, _ in PERSONA:
        yield "persona", ask(r.choice(qs))
    for qs, _ in SMALLTALK:
        yield "small_talk", ask(r.choice(qs))
    for x in UNSEEN_TOPICS:
        q = r.choice(["What is {}?", "Explain {}.", "Tell me about {}.", "What do you know about {}?"])
        yield "says_it_does_not_know", ask(q.format(x))
    g = source.G(777, "eval")
    for _ in range(n):
        c = drawn(chats_memory.conv_memory, g)
        if hasattr(c, "check"):
            yield "memory", e.conv(T.render(c)[:-1])[0]
    for _ in range(n):
        c = drawn(chats_tools.conv_tools, g, lambda c: c.extra)
        c.turns = []
        S = T.render(c)
        yield "tool_call", e.conv(S[:1])[0]
        yield "tool_answer", e.conv(S[:3])[0]
    for _ in range(n):
        yield "thinking_on", ask(singles.one(g, g.c(["arith", "fact", "word"]))[0], think=True)


def drawn(make, g, good=lambda c: True):
    while True:
        try:
            c = make(g)
            if good(c):
                return c
        except source.Skip:
            pass


# ------------------------------------------------------------------ rounds
@torch.no_grad()
def draft_everywhere(target, net, texts, starts, count):
    """The drafts of rounds that begin at each token of the answers -> for each text {position: (ids, margins)}.

    A round reads only the text before it, which is the same whether it was drafted or not: the order does not matter."""
    ids = DT.padded(texts, "cpu")
    h, own = target.run(ids)
    length = max(len(t) - s for t, s in zip(texts, starts))
    pos = torch.tensor([[min(s + a, len(t) - 1) for a in range(length)] for t, s in zip(texts, starts)])
    drafts, margins = [], []
    for y in drafter.steps(net, target, ids, h, own, pos, count, free=True):
        top = net.logits(y).topk(2, dim=-1)
        drafts.append(top.indices[..., 0])
        margins.append(top.values[..., 0] - top.values[..., 1])
    drafts, margins = torch.stack(drafts, -1).tolist(), torch.stack(margins, -1).tolist()
    return [
        {p: (drafts[b][a], margins[b][a]) for a, p in enumerate(row)} for b, row in enumerate(pos.tolist())
    ]


def rounds(text, start, made, N):
    """(position, drafts, how many are accepted) of each round, until the text ends. What the model itself chooses after a
    token is the text's next one."""
    p = start
    while p < len(text) - 1:
        drafts = made[p][0][:N]
        k = 0
        while k < N and p + 1 + k < len(text) and drafts[k] == text[p + 1 + k]:
            k += 1
        yield p, drafts, k
        p += k + 1


def figures(texts, starts, made, N):
    drafted = accepted = within = total = tokens = 0
    first = [[0, 0] for _ in range(N)]
    for text, start, m in zip(texts, starts, made):
        tokens += len(text) - start - 1  # without the first, which comes with the prompt
        for p, drafts, k in rounds(text, start, m, N):
            left = min(N, len(text) - 1 - p)
            total += 1
            drafted += N
            accepted += k
            within += left
            for i in range(min(k + 1, left)):
                first[i][0] += i < k
                first[i][1] += 1
    share = lambda a, b: round(a / b, 3) if b else None
    return {
        "rounds": total,
        "acceptance": share(accepted, drafted),
        "acceptance_before_the_end": share(accepted, within),
        "tokens_a_round": round(tokens / total, 2) if total else None,
        "accepted_if_all_before_were": [share(*x) for x in first],
    }


def evaluate(target, net, n):
    e = U.Enc()
    asked = list(prompts(e, n))
    rows = [ids for _, ids in asked]
    answers = DT.answers(target, rows, room=20_000)
    texts = [row + answer for row, answer in zip(rows, answers)]
    made = [None] * len(rows)
    for group in DT.chunks([len(t) for t in texts], 8_000, 64):
        parts = draft_everywhere(
            target, net, [texts[i] for i in group], [len(rows[i]) for i in group], C.DRAFTS
        )
        for i, part in zip(group, parts):
            made[i] = part
    skills = {}
    for i, (skill, _) in enumerate(asked):
        skills.setdefault(skill, []).append(i)
    skills["all"] = list(range(len(asked)))
    out = {}
    for N in (3, 4):
        out[f"N={N}"] = {}
        for skill, which in skills.items():
            pick = lambda xs: [xs[i] for i in which]
            f = figures(pick(texts), [len(rows[i]) for i in which], pick(made), N)
            answer = sum(len(answers[i]) for i in which) / len(which)
            out[f"N={N}"][skill] = {"n": len(which), "tokens_an_answer": round(answer, 1), **f}
    return out


# ------------------------------------------------------------------ reference
def reference_prompts(e):
    """(key, question, ids): prompts of which drafts are accepted in all numbers, and a chat longer than the window."""
    asked = [
        ("count", "Count from 1 to 18.", {}),
        ("table", "Show this as a table: support 30, trees 67, buy 6, soft 82", {}),
        ("sort", "Sort unhappy museum guy wgmh group eraser from A to Z.", {}),
        ("words", "Put these words in alphabetical order: oslo, ocean, many, hes, vienna, cakin", {"think": True}),
        ("difference", "Do the math: 205 - 63", {"think": True}),
        ("spanish", "What is blue in Spanish?", {"think": True}),
    ]
    for key, q, how in asked:
        yield key, q, e.conv(T.render(source.Conv([(q, "", "")], **how))[:1])[0]
    g = source.G(5, "eval")
    turns = [singles.one(g, k) for k in ("fact", "seq", "format", "compare") * 6]
    q = "Sort these numbers: 22, 49, 72, 28, 52"
    yield "longer_than_the_window", q, e.conv(T.render(source.Conv([*turns, (q, "", "")]))[:-1])[0]


@torch.no_grad()
def reference(target, net, count=C.DRAFTS):
    out = []
    for key, q, ids in reference_prompts(U.Enc()):
        answer = DT.answers(target, [ids])[0]
        text = ids + answer
        z = target.logits(target(torch.tensor([text])))[0, len(ids) - 1 : -1]
        assert z.argmax(-1).tolist() == answer
        top = z.topk(2, dim=-1).values
        margins = (top[:, 0] - top[:, 1]).tolist()
        made = draft_everywhere(target, net, [text], [len(ids)], count)[0]
        listed = []
        for p, drafts, k in rounds(text, len(ids), made, count):
            if p + k + 1 >= len(text):  # the text ends among its drafts
                break
            listed.append(
                {
                    "position": p,
                    "token": text[p],
                    "draft_ids": drafts,
                    "draft_margins": [round(m, 4) for m in made[p][1]],
                    "accepted": k,
                    "target_token": text[p + k + 1],
                }
            )
        out.append(
            {
                "key": key,
                "text": q,
                "ids": ids,
                "greedy": answer,
                "greedy_margins": [round(m, 4) for m in margins],
                "min_margin": round(min(margins), 4),
                "heads": {
                    "full": {
                        "acceptance": sum(r["accepted"] for r in listed) / (count * len(listed)),
                        "tokens_per_round": sum(r["accepted"] + 1 for r in listed) / len(listed),
                        "rounds": listed,
                    }
                },
            }
        )
    return {
        "target": "pebble",
        "assistant": "pebble-drafter",
        "n_draft": count,
        "donor_layers": {
            {"S": "sliding_attention", "G": "full_attention"}[c]: C.PATTERN.rindex(c, 0, C.L - C.SHARED)
            for c in sorted(set(net.pattern))
        },
        "heads": ["full"],
        "note": "float32, dequantised weights. `greedy` ends with the token that ends the answer. A round whose "
        "accepted drafts include that token is not listed. A margin is the likeliest logit minus the next.",
        "prompts": out,
    }


def compact(value):
    """JSON with lists of numbers on one line."""
    if isinstance(value, dict):
        inside = ",\n".join(f"{json.dumps(k)}: {compact(v)}" for k, v in value.items())
        if "draft_ids" in value:
            return json.dumps(value)
        return "{\n" + inside + "\n}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(map(compact, value)) + "\n]"
    return json.dumps(value)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("drafter", help="the drafter's file")
    ap.add_argument("out", help="file to write")
    ap.add_argument("--model", default=str(C.DATA.parents[1] / "pebble.gguf"), help="the model it drafts for")
    ap.add_argument("--n", type=int, default=120, help="prompts of each kind of text")
    ap.add_argument("--reference", action="store_true", help="write reference rounds instead")
    a = ap.parse_args()
    target, net = DT.load_target(a.model), drafter_file.load(a.drafter)
    made = reference(target, net) if a.reference else evaluate(target, net, a.n)
    with open(a.out, "w") as f:
        f.write(compact(made) + "\n" if a.reference else json.dumps(made, indent=1) + "\n")
    if not a.reference:
        for skill, f in made["N=4"].items():
            print(f"{skill:24} {f['acceptance']:.1%} of drafts, {f['tokens_a_round']} tokens a round")


if __name__ == "__main__":
    main()
