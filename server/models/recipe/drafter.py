"""Trains the drafter of the demo model, from random weights, on what the model itself answers. One GPU.

python drafter.py TEXTS.npz --out FOLDER [--model ../pebble.gguf] [--seconds 300] [--seed 1]

A drafter proposes the next tokens, which the model then checks in one pass. It has no keys and values of its own: it reads
those of the model's last layers that have any, and the hidden state that the last token came from. From there it goes
on with a hidden state that it makes itself, so DRAFTS steps are trained at once, one after another. At each the
labels are the model's probabilities and its likeliest token. TEXTS.npz is of drafter_texts.py.

As in train.py, the schedule ends at --seconds: two runs give similar weights, not the same.
"""

import argparse
import json
import math
import os
import time
import numpy as np

try:
    import torch
except ModuleNotFoundError as error:
    raise SystemExit(f"{error}: install the packages of requirements.txt first")

import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

import config as C
from model import Norm, lin, rot


# ------------------------------------------------------------------ the network
class Attn(nn.Module):
    def __init__(s, width, hd):
        super().__init__()
        s.hd = hd
        s.q_proj = lin(width, C.NH * hd)
        s.o_proj = lin(C.NH * hd, width)
        s.q_norm = Norm(hd, hd**-0.25)

    def forward(s, x, cs, kv, mask):
        B, A, _ = x.shape
        q = rot(s.q_norm(s.q_proj(x).view(B, A, C.NH, s.hd)).transpose(1, 2), *cs)
        w = (q @ kv[0].transpose(-1, -2)).float().masked_fill(~mask, -1e30).softmax(-1)
        return s.o_proj((w.to(q.dtype) @ kv[1]).transpose(1, 2).reshape(B, A, -1))


class MLP(nn.Module):
    def __init__(s, width, ff):
        super().__init__()
        s.gate_proj = lin(width, ff)
        s.up_proj = lin(width, ff)
        s.down_proj = lin(ff, width)

    def forward(s, x):
        return s.down_proj(F.gelu(s.gate_proj(x), approximate="tanh") * s.up_proj(x))


class Layer(nn.Module):
    def __init__(s, width, ff, hd):
        super().__init__()
        s.self_attn = Attn(width, hd)
        s.mlp = MLP(width, ff)
        s.input_layernorm = Norm(width)
        s.post_attention_layernorm = Norm(width, 0.5)
        s.pre_feedforward_layernorm = Norm(width)
        s.post_feedforward_layernorm = Norm(width, 0.5)
        s.layer_scalar = nn.Parameter(torch.ones(1))

    def forward(s, y, cs, kv, mask):
        y = y + s.post_attention_layernorm(s.self_attn(s.input_layernorm(y), cs, kv, mask))
        y = y + s.post_feedforward_layernorm(s.mlp(s.pre_feedforward_layernorm(y)))
        return y * s.layer_scalar.to(y.dtype)


class Drafter(nn.Module):
    """Names of parameters are those of transformers, without the leading `model.` of all but the projections."""

    def __init__(s, width=C.DD, ff=C.DFF, pattern=C.DPATTERN):
        super().__init__()
        s.pattern = pattern
        s.embed_tokens = nn.Embedding(C.VOCAB, width)
        nn.init.normal_(s.embed_tokens.weight, std=width**-0.5)
        s.pre_projection = lin(2 * C.D, width)
        s.layers = nn.ModuleList(Layer(width, ff, C.HD_G if c == "G" else C.HD_S) for c in pattern)
        s.norm = Norm(width)
        s.post_projection = lin(width, C.D)

    def forward(s, e, h, view):
        """e: the model's scaled embedding of the last token; h: the hidden state before it -> normed state, next h"""
        y = s.pre_projection(torch.cat((e, h), -1))
        for c, layer in zip(s.pattern, s.layers):
            y = layer(y, *view[c])
        y = s.norm(y)
        return y, s.post_projection(y)

    def logits(s, y):
        return F.linear(y, s.embed_tokens.weight.to(y.dtype)).float()


def donors(own):
    """Of the keys and values of all layers that have their own, those that the drafter reads."""
    return {c: own[C.PATTERN.rindex(c, 0, C.L - C.SHARED)] for c in "SG"}


def view(target, own, pos):
    """What drafts at `pos` [B,A] see: rotation of the query, keys and values, mask. `pos` is the index of the last token,
    whose own key is not there yet, and stays the same in all steps of a round."""
    k = torch.arange(own[0][0].shape[2], device=pos.device)
    d = (pos[..., None] - k)[:, None]
    masks = {"G": d > 0, "S": (d > 0) & (d < C.WINDOW)}
    ropes = dict(zip("SG", target.ropes(len(k) + 1, pos.device, torch.float32)))
    return {c: (tuple(t[pos][:, None] for t in ropes[c]), kv, masks[c]) for c, kv in donors(own).items()}


def take(x, pos):
    return x.gather(1, pos[..., None].expand(*pos.shape, x.shape[-1]))


def steps(net, target, ids, h, own, pos, count, free=False):
    """The normed states of `count` drafting steps at all of `pos` [B,A]. Each step gets the token of the text, or the one
    that was drafted (`free`)."""
    seen = view(target, own, pos)
    x, h = ids.gather(1, pos), take(h, pos - 1)
    for j in range(count):
        y, h = net(target.embed_tokens(x) * C.D**0.5, h, seen)
        yield y
        x = net.logits(y).argmax(-1) if free else ids.gather(1, (pos + j + 1).clamp(max=ids.shape[1] - 1))


# ------------------------------------------------------------------ training
class Texts:
    def __init__(s, path, device):
        d = np.load(path)
        s.length, s.start = d["length"].astype(np.int64), d["start"].astype(np.int64)
        s.first = np.cumsum(s.length) - s.length
        s.ids = torch.from_numpy(d["ids"].astype(np.int64)).to(device)
        s.device = device
        # Rounds begin at every token of the answer but the one that ends it.
        s.rounds = s.length - 1 - s.start

    def groups(s, r, positions, tokens):
        """Groups of texts of similar lengths, in random order."""
        r.shuffle(keep := np.flatnonzero(s.rounds > 0))
        order = keep[np.lexsort((s.rounds[keep], s.length[keep] // 32))]
        out, group, longest, widest = [], [], 0, 0
        for i in order:
            a, b = max(longest, s.length[i]), max(widest, s.rounds[i])
            if group and ((len(group) + 1) * b > positions or (len(group) + 1) * a > tokens):
                out.append(np.array(group))
                group, a, b = [], s.length[i], s.rounds[i]
            group.append(i)
            longest, widest = a, b
        out.append(np.array(group))
        r.shuffle(out)
        return out

    def batch(s, group):
        """ids [B,T], pos [B,A], and of each step: which of the B·A places count, and the place of its label among those
        of the first step."""
        n, T, A = s.rounds[group], s.length[group].max(), s.rounds[group].max()
        i = np.minimum(np.arange(T), s.length[group][:, None] - 1) + s.first[group][:, None]
        a = np.arange(A)
        pos = s.start[group][:, None] + np.minimum(a, n[:, None] - 1)
        label = (np.cumsum(n) - n)[:, None] + a
        counts = []
        for j in range(C.DRAFTS):
            use = a < n[:, None] - j
            counts.append((np.flatnonzero(use), label[use] + j))
        to = lambda x: torch.from_numpy(x).to(s.device, non_blocking=True)
        return s.ids[to(i)], to(pos), [(to(x), to(y)) for x, y in counts]


def losses(net, target, ids, pos, counts, bf16):
    """The loss of each step, and how often its likeliest token is the model's."""
    with torch.no_grad():
        h, own = target.run(ids)
        z = target.logits(take(h, pos).flatten(0, 1)[counts[0][0]])
        p, best = z.softmax(-1), z.argmax(-1)
    out, right = [], []
    with torch.autocast(ids.device.type, torch.bfloat16, enabled=bf16):
        for y, (places, labels) in zip(steps(net, target, ids, h, own, pos, C.DRAFTS), counts):
            if len(places) == 0:
                break
            q = net.logits(y.flatten(0, 1)[places])
            log = q.log_softmax(-1)
            soft = -(p[labels] * log).sum(-1).mean()
            out.append(0.5 * soft + 0.5 * F.nll_loss(log, best[labels]))
            right.append((q.argmax(-1) == best[labels]).float().mean().detach())
    return out, right


def train(net, target, texts, a):
    decay = [p for n, p in net.named_parameters() if p.ndim >= 2 and "embed_tokens" not in n]
    rest = [p for n, p in net.named_parameters() if p.ndim < 2 or "embed_tokens" in n]
    opt = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}],
        lr=a.lr,
        betas=(0.9, 0.98),
        fused=a.device == "cuda",
    )
    r = np.random.RandomState(a.seed)
    begun, n, epochs, seen, log = time.time(), 0, 0, 0, []
    groups = []
    while (part := (time.time() - begun) / a.seconds) < 1:
        if not groups:
            groups = texts.groups(r, a.positions, 12 * a.positions)
            epochs += 1
        ids, pos, counts = texts.batch(groups.pop())
        for g in opt.param_groups:
            g["lr"] = a.lr * min(1, (n + 1) / 100) * (0.5 + 0.5 * math.cos(math.pi * part))
        loss, right = losses(net, target, ids, pos, counts, a.device == "cuda")
        opt.zero_grad(set_to_none=True)
        sum(loss).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        n += 1
        seen += len(counts[0][0])
        if n % 200 == 0 or a.device == "cpu":
            log.append([n, round(time.time() - begun), [round(float(x), 3) for x in right]])
            print(f"step {n}, {time.time() - begun:.0f} s, right {log[-1][2]}", flush=True)
    return {
        "steps": n,
        "seconds": round(time.time() - begun),
        "epochs": epochs,
        "positions": seen,
        "log": log,
    }


def load(folder):
    """A trained drafter, as `train` leaves it."""
    state = load_file(os.path.join(folder, "drafter.safetensors"))
    sizes = (len(norm) for name, norm in sorted(state.items()) if name.endswith("q_norm.weight"))
    pattern = "".join("G" if size == C.HD_G else "S" for size in sizes)
    net = Drafter(len(state["norm.weight"]), len(state["layers.0.mlp.up_proj.weight"]), pattern)
    net.load_state_dict(state)
    return net.eval().requires_grad_(False)


def main():
    import drafter_texts

    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("texts", help="texts of drafter_texts.py")
    ap.add_argument("--out", required=True, help="folder for drafter.safetensors and drafter.json")
    ap.add_argument("--model", default=str(C.DATA.parents[1] / "pebble.gguf"), help="the model to draft for")
    ap.add_argument("--seconds", type=float, default=300, help="of training (default: 300)")
    ap.add_argument("--lr", type=float, default=3e-3, help="peak learning rate")
    ap.add_argument("--positions", type=int, default=8192, help="places of a batch where a round begins")
    ap.add_argument("--width", type=int, default=C.DD)
    ap.add_argument("--ff", type=int, default=C.DFF)
    ap.add_argument("--pattern", default=C.DPATTERN, help="its layers: S is sliding, G is full")
    ap.add_argument("--seed", type=int, default=1, help="of weights and batches")
    ap.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    a = ap.parse_args()
    if a.device == "cuda" and not torch.cuda.is_available():
        raise SystemExit(
            "there is no CUDA device; --device cpu --positions 256 tries the program out without one"
        )
    os.makedirs(a.out, exist_ok=True)
    torch.manual_seed(a.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    target = drafter_texts.load_target(a.model, a.device)
    net = Drafter(a.width, a.ff, a.pattern).to(a.device)
    made = train(net, target, Texts(a.texts, a.device), a)
    made["parameters"] = sum(p.numel() for p in net.parameters())
    save_file({n: t.float().cpu() for n, t in net.state_dict().items()}, f"{a.out}/drafter.safetensors")
    json.dump(made, open(f"{a.out}/drafter.json", "w"), indent=1)


if __name__ == "__main__":
    main()
