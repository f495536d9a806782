"""Checks the drafter's file: its keys and shapes fit the model, and drafter.py computes what the file means.

python check_drafter.py [DRAFTER.gguf] [--model ../pebble.gguf]

The second is a round drafted in float64 with numpy from the file alone, given the keys, values and hidden state of the
model. Of the published file, the checksum and the size in README.md are checked too.
"""

import argparse
import hashlib
import re
import sys
from pathlib import Path

import numpy as np

try:
    import torch
except ModuleNotFoundError as error:
    raise SystemExit(f"{error}: install the packages of requirements.txt first")

import config as C
import conversations
import drafter
import drafter_file
import drafter_texts
import gguf_file as G
import singles
import source
import tokenizer

MODELS = Path(__file__).resolve().parents[1]
P = drafter_file.ARCH + "."
# What has to be as in the model, because the keys are the model's.
SAME = (
    "attention.head_count_kv",
    "attention.key_length",
    "attention.key_length_swa",
    "attention.value_length",
    "attention.value_length_swa",
    "attention.sliding_window",
    "rope.dimension_count",
    "rope.dimension_count_swa",
    "rope.freq_base",
    "rope.freq_base_swa",
)


def contents(reader):
    return {key: field.contents() for key, field in reader.fields.items() if not key.startswith("GGUF.")}


def shapes(kv):
    """Every tensor that the metadata asks for, with its shape."""
    width, ff, heads = (
        kv[P + k] for k in ("embedding_length", "feed_forward_length", "attention.head_count")
    )
    out, vocab = kv[P + "embedding_length_out"], len(kv["tokenizer.ggml.tokens"])
    want = {
        "token_embd.weight": (vocab, width),
        "output_norm.weight": (width,),
        "nextn.pre_projection.weight": (width, 2 * out),
        "nextn.post_projection.weight": (out, width),
        "rope_freqs.weight": (kv[P + "attention.key_length"] // 2,),
    }
    for i, sliding in enumerate(kv[P + "attention.sliding_window_pattern"]):
        hd = kv[P + ("attention.key_length_swa" if sliding else "attention.key_length")]
        for name, shape in {
            "attn_norm": (width,),
            "attn_q": (heads * hd, width),
            "attn_q_norm": (hd,),
            "attn_output": (width, heads * hd),
            "post_attention_norm": (width,),
            "ffn_norm": (width,),
            "ffn_gate": (ff, width),
            "ffn_up": (ff, width),
            "ffn_down": (width, ff),
            "post_ffw_norm": (width,),
            "layer_output_scale": (1,),
        }.items():
            want[f"blk.{i}.{name}.weight"] = shape
    return want


def wrong(kv, d, model, theirs):
    expected = {
        "general.architecture": drafter_file.ARCH,
        P + "block_count": len(C.DPATTERN),
        P + "nextn_predict_layers": len(C.DPATTERN),
        P + "embedding_length_out": model["gemma4.embedding_length"],
        P + "attention.sliding_window_pattern": [c == "S" for c in C.DPATTERN],
        **{P + k: model["gemma4." + k] for k in SAME},
        **{k: model[k] for k in model if k.startswith("tokenizer.ggml.") and k != "tokenizer.ggml.model"},
    }
    for key, wanted in expected.items():
        if kv.get(key) != wanted:
            yield f"{key} is {str(kv.get(key))[:80]}, expected {str(wanted)[:80]}"
    if kv[P + "embedding_length"] == kv[P + "embedding_length_out"]:
        yield "its width is the model's, which llama.cpp refuses"
    found, want = {name: t[2].shape for name, t in d.items()}, shapes(kv)
    for name in sorted(found.keys() | want.keys()):
        if found.get(name) != want.get(name):
            yield f"{name} has the shape {found.get(name)}, expected {want.get(name)}"
    if not np.array_equal(d["rope_freqs.weight"][2], theirs["rope_freqs.weight"][2]):
        yield "its rope_freqs.weight are not the model's"


# ------------------------------------------------------------------ one round, from the file alone
def rms(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight


def rotate(q, p, base, factors):
    half = q.shape[-1] // 2
    angle = p * base ** (-np.arange(half) / half) / factors
    a, b = q[..., :half], q[..., half:]
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)], -1)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def draft(kv, w, table, x, h, p, own, count):
    """ids and logits of one round; `table` is the model's, `own` the keys and values of its positions below `p`"""
    heads = kv[P + "attention.head_count"]
    out = []
    for _ in range(count):
        u = np.concatenate([table[x] * np.sqrt(table.shape[1]), h])
        y = w["nextn.pre_projection.weight"] @ u
        for i, sliding in enumerate(kv[P + "attention.sliding_window_pattern"]):
            weight = lambda name: w[f"blk.{i}.{name}.weight"]
            q = (weight("attn_q") @ rms(y, weight("attn_norm"))).reshape(heads, -1)
            q = rms(q, weight("attn_q_norm"))
            first = max(0, p - kv[P + "attention.sliding_window"] + 1) if sliding else 0
            base = kv[P + ("rope.freq_base_swa" if sliding else "rope.freq_base")]
            q = rotate(q, p, base, 1.0 if sliding else w["rope_freqs.weight"])
            k, v = (t[first:p] for t in own["S" if sliding else "G"])
            a = np.exp((s := q @ k.T) - s.max(-1, keepdims=True))
            o = (a / a.sum(-1, keepdims=True) @ v).reshape(-1)
            y = y + rms(weight("attn_output") @ o, weight("post_attention_norm"))
            n = rms(y, weight("ffn_norm"))
            n = weight("ffn_down") @ (gelu(weight("ffn_gate") @ n) * (weight("ffn_up") @ n))
            y = (y + rms(n, weight("post_ffw_norm"))) * weight("layer_output_scale")
        y = rms(y, w["output_norm.weight"])
        z = w["token_embd.weight"] @ y
        h = w["nextn.post_projection.weight"] @ y
        x = int(z.argmax())
        out.append((x, z))
    return out


@torch.no_grad()
def unlike(path, model, kv, d):
    """The largest difference of a logit, over a short text and one that is longer than the window."""
    net, target = drafter_file.load(path), drafter_texts.load_target(model)
    w = {name: t[2].astype(np.float64) for name, t in d.items()}
    table = target.embed_tokens.weight.double().numpy()
    g, e, worst = source.G(6), tokenizer.Enc(), 0.0
    for turns in (1, 60):
        c = source.Conv([singles.one(g) for _ in range(turns)])
        ids, _ = e.conv(conversations.render(c))
        h, own = target.run(torch.tensor([ids]))
        seen = {c: [t[0, 0].double().numpy() for t in k] for c, k in drafter.donors(own).items()}
        for p in (8, len(ids) - 3):
            found = []
            for y in drafter.steps(
                net, target, torch.tensor([ids]), h, own, torch.tensor([[p]]), C.DRAFTS, free=True
            ):
                found.append(net.logits(y)[0, 0].double().numpy())
            wanted = draft(kv, w, table, ids[p], h[0, p - 1].double().numpy(), p, seen, C.DRAFTS)
            if [int(z.argmax()) for z in found] != [x for x, _ in wanted]:
                return float("inf")
            worst = max(worst, *(np.abs(a - b).max() for a, (_, b) in zip(found, wanted)))
    return worst


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    published = MODELS / "pebble-drafter.gguf"
    ap.add_argument("drafter", nargs="?", type=Path, default=published)
    ap.add_argument("--model", type=Path, default=MODELS / "pebble.gguf", help="the model it drafts for")
    a = ap.parse_args()
    for path in (a.drafter, a.model):
        if not path.is_file():
            ap.error(f"there is no {path}")
    reader, d = G.read(a.drafter)
    model, theirs = G.read(a.model)
    kv = contents(reader)
    found = list(wrong(kv, d, contents(model), theirs))
    if not found:
        worst = unlike(a.drafter, a.model, kv, d)
        print(f"logits differ by at most {worst:.1e} from those of float64")
        if worst > 1e-3:
            found.append("drafter.py computes something else than the file means")
    if a.drafter.resolve() == published:
        data, readme = published.read_bytes(), (MODELS / "README.md").read_text()
        stated = re.search(r"`pebble-drafter\.gguf`, (\d+) bytes.*?sha256 \| ([0-9a-f]{64})", readme, re.S)
        if not stated or stated.groups() != (str(len(data)), hashlib.sha256(data).hexdigest()):
            found.append("README.md states another size or sha256")
    for problem in found:
        print(problem)
    print(f"{a.drafter.name}: {'as it should be' if not found else f'{len(found)} problems'}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
