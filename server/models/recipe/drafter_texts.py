"""Texts for the training of the drafter: prompts of the training conversations, and what the model answers to them.

python drafter_texts.py OUT.npz [--model ../pebble.gguf] [--count 240000] [--device cuda]

The answers are greedy and of the quantised weights, since these are what the drafter has to foresee. OUT.npz has all ids
one after another, and of each text its length and where the answer begins. Worker w takes the seed 9 000 000 + w.
"""

import argparse
import multiprocessing as mp
import time
import numpy as np

try:
    import torch
except ModuleNotFoundError as error:
    raise SystemExit(f"{error}: install the packages of requirements.txt first")

import config as C

STOP = (1, 106, 50)
LIMIT = 200  # tokens of an answer


def load_target(path, device="cpu"):
    """The text model of a model file, dequantised."""
    import export

    return export.load_start(str(path))[0].language_model.requires_grad_(False).to(device)


def prompts(seed, count):
    """Training conversations, each cut before one of its answers."""
    import chats_app
    from train import _text

    r = np.random.RandomState(seed)
    out = []
    for ids, learnt in _text(seed, count):
        starts = [i for i in range(1, len(ids)) if learnt[i] and not learnt[i - 1]]
        out.append(ids[: r.choice(starts)])
    return [ids for ids in out if len(ids) <= chats_app.LONGEST]


def chunks(lengths, room, most):
    """Indices in groups of similar length: at most `most`, and at most `room` tokens with the padding."""
    group = []
    for i in np.argsort(lengths, kind="stable"):
        if group and (len(group) == most or (len(group) + 1) * lengths[i] > room):
            yield group
            group = []
        group.append(int(i))
    if group:
        yield group


def padded(rows, device, length=None):
    out = np.zeros((len(rows), length or max(map(len, rows))), np.int64)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return torch.from_numpy(out).to(device)


@torch.no_grad()
def answers(target, rows, limit=LIMIT, room=1_000_000, most=8192, stop=STOP):
    """The greedy answer to each of `rows`, with the token that ends it."""
    device = target.norm.weight.device
    ends = torch.tensor(stop, device=device)
    out = [[] for _ in rows]
    for group in chunks([len(row) + limit for row in rows], room, most):
        at = torch.tensor([len(rows[i]) for i in group], device=device)
        h, past = target.run(padded([rows[i] for i in group], device))
        h = h[torch.arange(len(group), device=device), at - 1]
        past = [tuple(torch.nn.functional.pad(t, (0, 0, 0, limit)) for t in kv) for kv in past]
        left, made = torch.tensor(group, device=device), []
        for n in range(1, limit + 1):
            made.append(target.logits(h).argmax(-1))
            ended = torch.isin(torch.stack(made, 1), ends).any(1)
            count = int(ended.sum())
            # Rows that have ended are left out once they are half of all.
            if n == limit or 2 * count >= len(left):
                for i, tokens in zip(left.tolist(), torch.stack(made, 1).tolist()):
                    end = next((k for k, t in enumerate(tokens) if t in stop), limit)
                    out[i] += tokens[: end + 1]
                if n == limit or count == len(left):
                    break
                left, at, x = left[~ended], at[~ended], made[-1][~ended]
                past, made = [tuple(t[~ended] for t in kv) for kv in past], []
            else:
                x = made[-1]
            h, past = target.run(x[:, None], past=past, at=at)
            h, at = h[:, 0], at + 1
    return out


def save(path, rows, made):
    texts = [row + answer for row, answer in zip(rows, made) if answer[-1] in STOP]
    np.savez_compressed(
        path,
        ids=np.concatenate([np.array(text, np.int16) for text in texts]),
        length=np.array([len(text) for text in texts], np.int32),
        start=np.array([len(row) for row, answer in zip(rows, made) if answer[-1] in STOP], np.int32),
    )
    return len(texts)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("out", help="file to write")
    ap.add_argument("--model", default=str(C.DATA.parents[1] / "pebble.gguf"), help="the model to draft for")
    ap.add_argument("--count", type=int, default=240_000, help="texts")
    ap.add_argument("--workers", type=int, default=12, help="processes that make the prompts")
    ap.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    a = ap.parse_args()
    if a.device == "cuda" and not torch.cuda.is_available():
        raise SystemExit(
            "there is no CUDA device; --device cpu --count 200 tries the program out without one"
        )
    begun = time.time()
    with mp.get_context("spawn").Pool(a.workers) as pool:
        jobs = [(9_000_000 + w, -(-a.count // a.workers)) for w in range(a.workers)]
        rows = [row for made in pool.starmap(prompts, jobs) for row in made]
    print(f"{len(rows)} prompts, {time.time() - begun:.0f} s", flush=True)
    # Plain float32: an answer may turn on a small difference.
    made = answers(load_target(a.model, a.device), rows, room=1_000_000 if a.device == "cuda" else 20_000)
    kept = save(a.out, rows, made)
    tokens = sum(map(len, made))
    print(f"{kept} texts, {tokens} tokens of answers, {time.time() - begun:.0f} s")


if __name__ == "__main__":
    main()
