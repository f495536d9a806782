"""Trains the demo model from random weights on generated data, text, pictures and speech together. One GPU.

python train.py --out FOLDER [--seconds 780] [--seed 1]
python train.py --out FOLDER --init ../pebble.gguf [--seconds 330] [--lr 4e-4] [--pairs 0.5]

With --init the weights of a model file or of an earlier run are trained further: only the text model learns, the towers
stay as they are. A part of the picture steps then has conversations with two pictures.


The schedule is bound to wall-clock time and ends exactly at --seconds, so two runs give similar weights, not the same.
Data workers write what they generate to a spool in memory while the GPU trains.
"""

import argparse
import atexit
import os
import time
import random
import math
import json
import multiprocessing as mp
import shutil
import tempfile
import numpy as np

W = 12  # data workers
BUCKETS = [48, 80, 128, 200, 320, 512]
APP = 0.25  # share of conversations with the page's tools
LP = 160  # text part of a conversation with two pictures


def _text(seed, n, split="train", kind=None):
    import chats_app
    import chats_memory
    import conversations as T
    import singles
    import source
    import tokenizer as U

    g = source.G(seed, split)
    e = U.Enc()
    rows = []
    for _ in range(n):
        if kind is None and g.r.random() < APP:
            kept = e.conv(chats_app.conversation(g))
            if len(kept[0]) <= chats_app.LONGEST:
                rows.append(kept)
            continue
        u = g.r.random()
        if kind is None and u < 0.012:  # long conversations
            c = source.Conv([singles.one(g) for _ in range(g.r.randint(6, 14))])
            if g.r.random() < 0.5:
                c = source.Conv(
                    chats_memory.conv_memory(g).turns[:1] + c.turns + chats_memory.conv_memory(g).turns
                )
        else:
            c = T.conversation(g) if kind is None else kind(g)
        rows.append(e.conv(c if isinstance(c, list) else T.render(c)))
    return rows


def pack(rows, maxlen):
    N = len(rows)
    ids = np.zeros((N, maxlen), np.int16)
    m = np.zeros((N, maxlen), bool)
    ln = np.zeros(N, np.int32)
    for i, (a, b) in enumerate(rows):
        a, b = a[:maxlen], b[:maxlen]
        ids[i, : len(a)] = a
        m[i, : len(a)] = b
        ln[i] = len(a)
    return ids, m, ln


def _media(seed, n, kind, ev=False):
    import config as C
    import conversations as T
    import source
    import media_questions as M
    import tokenizer as U
    import speech as S

    g = source.G(seed, "eval" if ev else "train")
    e = U.Enc()
    I = C.IDS
    rows, kinds = [], []
    ph = [I["boi"], I["image"], I["eoi"]] if kind == "image" else [I["boa"], I["audio"], I["eoa"]]
    specs, clips = [], []
    syn = S.Synth() if kind == "audio" else None
    ctc = []
    while len(rows) < n:
        if kind == "image":
            s = M.scene(g.r)
            specs.append(s)
            c = M.mm_conv(g, kind, s)
        else:
            s = M.spoken(g.r)
            x = syn.random(s, g.r, ev)
            if x is None:
                continue
            clips.append(x)
            ctc.append([AV.index(w) + 1 for w in s.split()])
            c = M.mm_conv(g, kind, s)
        rows.append(e.conv(T.render(c), ph))
        kinds.append(c.kind)
        if kind == "audio" and not ev:  # two more questions for the same clip
            specs.append(len(clips) - 1)
            for _ in range(2):
                rows.append(e.conv(T.render(M.mm_conv(g, kind, s)), ph))
                kinds.append("")
                specs.append(len(clips) - 1)
        elif kind == "audio":
            specs.append(len(clips) - 1)
    return rows, specs, clips, ctc, kinds


def _pairs(seed, n, ev=False, kind=None):
    """Conversations with two pictures. `kind`, in an evaluation: which picture the last question is about."""
    import config as C
    import conversations as T
    import source
    import media_questions as M
    import tokenizer as U

    g = source.G(seed, "eval" if ev else "train")
    e = U.Enc()
    ph = [C.IDS["boi"], C.IDS["image"], C.IDS["eoi"]]
    rows, first, second, kinds = [], [], [], []
    while len(rows) < n:
        a, b = M.scene(g.r), M.scene(g.r)
        c = M.pair_conv(g, a, b, kind) if ev else M.pair_conv(g, a, b)
        S = T.render(c)
        if ev:  # only the last answer counts
            S = [(x, t and i == len(S) - 1) for i, (x, t) in enumerate(S)]
        row = e.conv(S, ph)
        if len(row[0]) > LP:
            continue
        rows.append(row)
        first.append(a)
        second.append(b)
        kinds.append(c.kind)
    return rows, first, second, kinds


def _av():
    import media_questions as M

    w = (
        list(M.DIG)
        + [x for x in M.WORDS_A]
        + ["plus", "minus", "times"]
        + [x for p in M.PHRASES for x in p.split()]
    )
    return list(dict.fromkeys(w))


AV = _av()


def spec_np(sc):
    n = len(sc)
    o = dict(
        kind=np.zeros(n, np.int64),
        n=np.zeros(n, np.int64),
        digit=np.zeros(n, np.int64),
        dcol=np.zeros(n, np.int64),
        dcx=np.zeros(n, np.float32),
        dcy=np.zeros(n, np.float32),
        drad=np.ones(n, np.float32),
        shape=np.zeros((n, 3), np.int64),
        col=np.zeros((n, 3), np.int64),
        cx=np.zeros((n, 3), np.float32),
        cy=np.zeros((n, 3), np.float32),
        rad=np.ones((n, 3), np.float32),
        lab=np.zeros((n, 58), np.float32),
    )
    for i, s in enumerate(sc):
        o["kind"][i] = s["kind"]
        if s["kind"] == 1:
            o["digit"][i], o["dcol"][i], o["dcx"][i], o["dcy"][i], o["drad"][i] = (
                s["digit"],
                s["color"],
                s["cx"],
                s["cy"],
                s["rad"],
            )
            o["lab"][i, 40 + s["digit"]] = 1
            o["lab"][i, 50 + s["color"]] = 1
        o["n"][i] = len(s["objs"])
        for k, b in enumerate(s["objs"]):
            o["shape"][i, k], o["col"][i, k], o["cx"][i, k], o["cy"][i, k], o["rad"][i, k] = b[:5]
            o["lab"][i, b[0] * 8 + b[1]] = 1
    return o


def spec_tensors(sc, dev):
    import torch

    return {k: torch.tensor(v, device=dev) for k, v in spec_np(sc).items()}


def save_npz(path, **kw):
    np.savez(path + ".tmp.npz", **kw)
    os.rename(path + ".tmp.npz", path)


def worker(w, rounds, sizes, spool):
    """Generates the data of worker `w`: round `r` has the seed 1000·r + w + 7."""
    import chats_app

    os.nice(5 if w else 0)
    for r in range(rounds):
        k = 0 if r == 0 else 1
        nt, ni, na, n2 = sizes[k]
        s = 1000 * r + w + 7
        ids, m, ln = pack(_text(s, nt), chats_app.LONGEST)
        save_npz(f"{spool}/text_{r}_{w}.npz", ids=ids, m=m, ln=ln)
        rows, sp, _, _, _ = _media(s + 1_000_000, ni, "image")
        ids, m, ln = pack(rows, 128)
        save_npz(f"{spool}/image_{r}_{w}.npz", ids=ids, m=m, ln=ln, **spec_np(sp))
        rows, sp, cl, ctc, _ = _media(s + 2_000_000, na, "audio")
        ids, m, ln = pack(rows, 128)
        C = np.zeros((len(ctc), 6), np.int64)
        for i, c in enumerate(ctc):
            C[i, : len(c)] = c
        save_npz(
            f"{spool}/audio_{r}_{w}.npz",
            ids=ids,
            m=m,
            ln=ln,
            clip=np.array(sp),
            wav=np.concatenate(cl),
            wl=np.array([len(c) for c in cl]),
            ctc=C,
            cn=np.array([len(c) for c in ctc]),
        )
        if n2:
            rows, s1, s2, _ = _pairs(s + 3_000_000, n2)
            ids, m, ln = pack(rows, LP)
            both = {f"{k}{i}": v for i, sp in enumerate((s1, s2)) for k, v in spec_np(sp).items()}
            save_npz(f"{spool}/pairs_{r}_{w}.npz", ids=ids, m=m, ln=ln, **both)
        while r >= 1 and os.path.exists(f"{spool}/text_{r - 1}_{w}.npz"):
            time.sleep(0.5)  # at most one round ahead


def stop(procs, spool):
    """Ends the program at once: the workers may be in the middle of a round."""
    for p in procs:
        p.kill()
    shutil.rmtree(spool, ignore_errors=True)
    os._exit(0)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", required=True, help="folder for weights and train.json")
    ap.add_argument("--seconds", type=float, default=780, help="wall clock of the whole run (default: 780)")
    ap.add_argument("--lr", type=float, default=1.5e-3, help="peak learning rate")
    ap.add_argument("--seed", type=int, default=1, help="of weights, batches and augmentation")
    ap.add_argument("--ema", type=float, default=0.0012, help="share of a step in the averaged weights")
    ap.add_argument(
        "--init", default="", metavar="PATH", help="train these weights further: a model file, or a folder"
    )
    ap.add_argument(
        "--pairs",
        type=float,
        default=0.5,
        help="share of two-picture steps among the picture steps, with --init",
    )
    ap.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    ap.add_argument(
        "--small", action="store_true", help="a few steps on little data, to see that everything runs"
    )
    ap.add_argument("--no-eval", action="store_true", help="leave out the evaluation at the end")
    ap.add_argument("--eval-every", type=float, default=240, help="seconds between checkpoints")
    ap.add_argument("--bench", action="store_true", help="only measure steps a second")
    a = ap.parse_args()
    os.makedirs(a.out, exist_ok=True)
    in_memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    spool = tempfile.mkdtemp(prefix="pebble-", dir=in_memory)
    atexit.register(shutil.rmtree, spool, ignore_errors=True)
    t00 = time.time()
    nw = W if not a.small else 2
    if a.small:
        sizes = [(400, 100, 40, 100 if a.init else 0)] * 2
    elif a.init:
        sizes = [(16000, 5000, 1600, 5000), (40000, 9000, 3000, 10000)]
    else:
        sizes = [(40000, 8000, 2500, 0), (60000, 12000, 4000, 0)]
    parts = ("text", "image", "audio") + (("pairs",) if a.init else ())
    procs = [
        mp.Process(target=worker, args=(w, 40 if not a.small else 1, sizes, spool), daemon=True)
        for w in range(nw)
    ]
    for p in procs:
        p.start()
    import torch
    import torch.nn.functional as F
    import model as MD
    import media as SY
    import chats_app
    import chats_memory
    import chats_tools
    import singles
    import source
    import config as C
    import digits

    if a.device == "cuda" and not torch.cuda.is_available():
        for p in procs:
            p.kill()
        raise SystemExit("there is no CUDA device; --device cpu --small tries the program out without one")
    torch.manual_seed(a.seed)
    dev = a.device
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    gen = torch.Generator(device=dev).manual_seed(a.seed)
    rnd = random.Random(a.seed)
    net = MD.Pebble()
    if a.init:
        import export

        net, clamps = export.load_start(a.init)
        json.dump(clamps, open(f"{a.out}/clamps.json", "w"))
        net.train().requires_grad_(False)
        net.language_model.requires_grad_(True)
    net = net.to(dev)
    aux_i = torch.nn.Linear(C.D, 58).to(dev)
    aux_a = torch.nn.Linear(C.D, len(AV) + 1).to(dev)
    glyphs = digits.load(dev)
    glyphs_ev, glyphs_tr = glyphs[::9], torch.stack([glyphs[i] for i in range(len(glyphs)) if i % 9])
    MEL = MD.mel_filters(dev)
    decay, rest = [], []
    for n, p in list(net.named_parameters()) + [("aux", p) for m in (aux_i, aux_a) for p in m.parameters()]:
        if not p.requires_grad:
            continue
        (decay if p.ndim >= 2 and "embed_tokens" not in n and "position_embedding" not in n else rest).append(
            p
        )
    opt = torch.optim.AdamW(
        [dict(params=decay, weight_decay=0.1), dict(params=rest, weight_decay=0.0)],
        lr=torch.tensor(a.lr, device=dev) if dev == "cuda" else a.lr,
        betas=(0.9, 0.98),
        fused=dev == "cuda",
        capturable=dev == "cuda",
    )
    if dev == "cuda":
        torch.backends.cuda.enable_cudnn_sdp(False)
        opt.param_groups[1]["lr"] = torch.tensor(a.lr, device=dev)
    params = list(net.parameters())
    ema = [p.detach().clone() for p in params]

    def wait(kind, r):
        fs = [f"{spool}/{kind}_{r}_{w}.npz" for w in range(nw)]
        while not all(os.path.exists(f) for f in fs):
            time.sleep(0.2)
        return [np.load(f) for f in fs]

    def ready(r):
        return all(os.path.exists(f"{spool}/{k}_{r}_{w}.npz") for k in parts for w in range(nw))

    def load(r):
        D = {}
        z = wait("text", r)
        ids, m, ln = (np.concatenate([x[k] for x in z]) for k in ("ids", "m", "ln"))
        lo = 0
        D["text"] = []
        for b in BUCKETS + [chats_app.LONGEST]:
            s = np.flatnonzero((ln > lo) & (ln <= b))
            lo = b
            if len(s):
                D["text"].append(
                    (b, torch.tensor(ids[s, :b], device=dev), torch.tensor(m[s, :b], device=dev))
                )
        z = wait("image", r)
        D["image"] = {k: torch.tensor(np.concatenate([x[k] for x in z]), device=dev) for k in z[0].files}
        z = wait("audio", r)
        k0 = 0
        A = {k: [] for k in z[0].files}
        for x in z:
            for k in A:
                A[k].append(x[k] + k0 if k == "clip" else x[k])
            k0 += len(x["wl"])
        D["audio"] = {k: torch.tensor(np.concatenate(v), device=dev) for k, v in A.items()}
        wl = D["audio"]["wl"]
        D["audio"]["ws"] = torch.cumsum(wl, 0) - wl
        if a.init:
            z = wait("pairs", r)
            D["pairs"] = {k: torch.tensor(np.concatenate([x[k] for x in z]), device=dev) for k in z[0].files}
        for k in parts:
            for w in range(nw):
                os.remove(f"{spool}/{k}_{r}_{w}.npz")
        D["w"] = [len(x[1]) for x in D["text"]]
        return D

    LT = 80  # text part of picture / speech rows

    def expand(ids, m, slot, n, T, last=False):
        """replaces the first (or last) slot token of each row by n[b] slots -> ids, mask, start"""
        B, T0 = ids.shape
        p = (ids == slot).float()
        p = T0 - 1 - p.flip(1).argmax(1, keepdim=True) if last else p.argmax(1, keepdim=True)
        t = torch.arange(T, device=dev)[None].expand(B, T)
        n = n[:, None]
        src = torch.where(t < p, t, torch.where(t < p + n, p, t - n + 1))
        ok = src < T0
        src = src.clamp(max=T0 - 1)
        return ids.gather(1, src) * ok, m.gather(1, src) & ok, p[:, 0]

    LM = net.language_model

    def ce(ids, m, h):
        y = torch.where(m[:, 1:], ids[:, 1:], -100)
        return F.cross_entropy(LM.logits(h[:, :-1]).flatten(0, 1), y.flatten(), ignore_index=-100)

    def ce_em(ids, m, h):
        g = (LM.logits(h[:, :-1]).argmax(-1) == ids[:, 1:]) | ~m[:, 1:]
        return g.all(1), (g & m[:, 1:]).sum() / m[:, 1:].sum()

    def ctc(lp, lab, n, cn):
        """lp [B,T,V] log-probabilities (0 = blank), lab [B,U]; mean over rows of -log p / length"""
        B, T, _ = lp.shape
        U = lab.shape[1]
        ext = torch.zeros(B, 2 * U + 1, dtype=torch.long, device=dev)
        ext[:, 1::2] = lab
        skip = torch.zeros_like(ext, dtype=torch.bool)
        skip[:, 3::2] = lab[:, 1:] != lab[:, :-1]
        e = lp.gather(2, ext[:, None].expand(B, T, 2 * U + 1))
        k = torch.arange(2 * U + 1, device=dev)
        al = torch.where(k < 2, e[:, 0], -1e4)
        for t in range(1, T):
            p1 = F.pad(al[:, :-1], (1, 0), value=-1e4)
            p2 = torch.where(skip, F.pad(al[:, :-2], (2, 0), value=-1e4), -1e4)
            al = torch.where((t < n)[:, None], torch.logsumexp(torch.stack((al, p1, p2)), 0) + e[:, t], al)
        return -(torch.logsumexp(al.gather(1, torch.stack((2 * cn, 2 * cn - 1), 1)), 1) / cn).mean()

    def grid(budget, ratio):
        f = math.sqrt(budget * 9 * 256 / (1 * ratio))
        h = int(f * 1 / 48) * 48
        w = int(f * ratio / 48) * 48
        return max(h, 48), max(w, 48)

    SPK = ("kind", "n", "digit", "dcol", "dcx", "dcy", "drad", "shape", "col", "cx", "cy", "rad")

    def image_rows(I, idx, H, Wd, gl):
        img = SY.render_images({k: I[k][idx] for k in SPK}, H, Wd, gl, gen)
        n = torch.full((len(idx),), H * Wd // 2304, device=dev)
        ids, m, st = expand(
            I["ids"][idx, :LT].long(), I["m"][idx, :LT], C.IDS["image"], n, LT - 1 + H * Wd // 2304
        )
        return dict(img=img, ids=ids, m=m, st=st, n=n, lab=I["lab"][idx])

    def pair_rows(I, idx, grids, gl):
        d = {}
        ids, m = I["ids"][idx].long(), I["m"][idx]
        for i in (1, 0):  # from the end, so that the places before stay where they are
            H, Wd = grids[i]
            k = H * Wd // 2304
            d[f"img{i}"] = SY.render_images({x: I[f"{x}{i}"][idx] for x in SPK}, H, Wd, gl, gen)
            n = torch.full((len(idx),), k, device=dev)
            ids, m, st = expand(ids, m, C.IDS["image"], n, ids.shape[1] - 1 + k, last=i == 1)
            d[f"st{i}"], d[f"n{i}"] = st, n
        d["st1"] = d["st1"] + d["n0"] - 1
        return d | dict(ids=ids, m=m)

    S_AUD = 76800

    def audio_rows(A, idx):
        c = A["clip"][idx]
        x, ln, eq = SY.augment_audio(A["wav"], A["wl"][c], A["ws"][c], S_AUD, gen)
        mel, mm = MD.logmel(x, ln, MEL, eq)
        n = mm[:, ::4].sum(1)
        ids, m, st = expand(A["ids"][idx, :LT].long(), A["m"][idx, :LT], C.IDS["audio"], n, LT - 1 + 120)
        return dict(
            mel=mel,
            mm=mm,
            ids=ids,
            m=m,
            st=st,
            n=n,
            ctc=A["ctc"][c] if "ctc" in A else c,
            cn=A["cn"][c] if "cn" in A else c,
        )

    def f_image(d):
        soft = net.image(d["img"])
        return soft, LM(d["ids"], soft, d["st"], d["n"])

    def f_audio(d):
        soft, _ = net.audio(d["mel"], d["mm"])
        return soft, LM(d["ids"], soft, d["st"], d["n"])

    def f_pair(d):
        soft = torch.cat([net.image(d["img0"]), net.image(d["img1"])], 1)
        return LM(d["ids"], soft, torch.stack((d["st0"], d["st1"])), torch.stack((d["n0"], d["n1"])))

    AC = lambda: torch.autocast("cuda", dtype=torch.bfloat16, enabled=dev == "cuda", cache_enabled=False)

    # ---- evaluation sets (held-out prompts, fonts and voices)
    EV = {}

    def build_eval():
        for k in singles.SINGLE:
            EV[k] = pack(
                _text(99, 320 if not a.small else 20, "eval", lambda g: source.Conv([singles.one(g, k)])), 200
            )

        def mem(g):
            while True:
                c = chats_memory.conv_memory(g)
                if hasattr(c, "check"):
                    return c

        EV["memory"] = pack(_text(99, 320 if not a.small else 20, "eval", mem), 320)

        def tool(g):
            while True:
                try:
                    c = chats_tools.conv_tools(g)
                    c.turns = c.turns[-1:] if not c.extra else []
                    return c
                except source.Skip:
                    pass

        EV["app"] = pack(
            _text(99, 320 if not a.small else 20, "eval", lambda g: chats_app.conversation(g, plain=True)),
            chats_app.LONGEST,
        )
        EV["tools"] = pack(_text(99, 200 if not a.small else 20, "eval", tool), 320)
        rows, sp, _, _, kinds = _media(5_000_001, 1500 if not a.small else 20, "image", True)
        ids, m, ln = pack(rows, 128)
        EV["_img"] = (
            {k: torch.tensor(v, device=dev) for k, v in dict(ids=ids, m=m, ln=ln, **spec_np(sp)).items()},
            kinds,
        )
        rows, sp, cl, ctc, kinds = _media(5_000_002, 20 if a.small else 300 if a.init else 800, "audio", True)
        ids, m, ln = pack(rows, 128)
        wl = np.array([len(c) for c in cl])
        EV["_aud"] = (
            dict(
                ids=torch.tensor(ids, device=dev),
                m=torch.tensor(m, device=dev),
                ln=torch.tensor(ln, device=dev),
                clip=torch.arange(len(cl), device=dev),
                wav=torch.tensor(np.concatenate(cl), device=dev),
                wl=torch.tensor(wl, device=dev),
                ws=torch.tensor(np.cumsum(wl) - wl, device=dev),
            ),
            kinds,
        )

    PAIR_EV = [((280, 1.0), (280, 1.33)), ((280, 1.33), (280, 1.0)), ((280, 0.75), (280, 1.8))]

    def evaluate_pairs():
        R = {}
        for kind in ("first", "second", "unseen_first", "unseen_second"):
            rows, s1, s2, kinds = _pairs(5_000_003, 600 if not a.small else 6, True, kind)
            ids, m, ln = pack(rows, LP)
            both = {f"{k}{i}": v for i, sp in enumerate((s1, s2)) for k, v in spec_np(sp).items()}
            I = {k: torch.tensor(v, device=dev) for k, v in dict(ids=ids, m=m, **both).items()}
            for j, s in enumerate(range(0, len(rows), 50)):
                i = torch.arange(s, min(len(rows), s + 50), device=dev)
                d = pair_rows(I, i, [grid(*x) for x in PAIR_EV[j % len(PAIR_EV)]], glyphs_ev)
                for k, e in zip(kinds[s : s + 50], ce_em(d["ids"], d["m"], f_pair(d))[0].tolist()):
                    for x in (f"pair_{kind}", f"pair_{kind}.{k}"):
                        R.setdefault(x, []).append(e)
        return {k: (round(sum(v) / len(v), 3), len(v)) for k, v in sorted(R.items())}

    def evaluate(use_ema=True):
        if not EV:
            build_eval()
        bak = [p.detach().clone() for p in params]
        if use_ema:
            for p, e in zip(params, ema):
                p.data.copy_(e)
        R = {}
        with torch.no_grad(), AC():
            for k, v in EV.items():
                if k[0] == "_":
                    continue
                ids = torch.tensor(v[0], device=dev).long()
                m = torch.tensor(v[1], device=dev)
                mx = int(v[2].max())
                ids, m = ids[:, :mx], m[:, :mx]
                em, ta = ce_em(ids, m, LM(ids))
                R[k] = (round(em.float().mean().item(), 3), round(ta.item(), 4))
            for nm, kinds, f in (
                (
                    "image",
                    EV["_img"][1],
                    lambda i: (
                        image_rows(
                            EV["_img"][0], i, *grid(280, rnd.choice([0.6, 1.0, 1.5, 1.33])), glyphs_ev
                        ),
                        f_image,
                    ),
                ),
                ("audio", EV["_aud"][1], lambda i: (audio_rows(EV["_aud"][0], i), f_audio)),
            ):
                N = len(kinds)
                per = {}
                for s in range(0, N, 100):
                    i = torch.arange(s, min(N, s + 100), device=dev)
                    d, fn = f(i)
                    em, _ = ce_em(d["ids"], d["m"], fn(d)[1])
                    for k, e in zip(kinds[s : s + 100], em.tolist()):
                        per.setdefault(nm + "." + k, []).append(e)
                R.update({k: (round(sum(v) / len(v), 3), len(v)) for k, v in sorted(per.items())})
            if a.init:
                R.update(evaluate_pairs())
        for p, b in zip(params, bak):
            p.data.copy_(b)
        return R

    def save(tag):
        from safetensors.torch import save_file

        sd = {n: e.half().cpu().contiguous() for (n, _), e in zip(net.named_parameters(), ema)}
        ks = sorted(sd)
        acc = 0
        part = {}
        i = 0
        for k in ks:
            if acc + sd[k].numel() * 2 > 14_000_000:
                save_file(part, f"{a.out}/{tag}-{i}.safetensors")
                i += 1
                part = {}
                acc = 0
            part[k] = sd[k]
            acc += sd[k].numel() * 2
        save_file(part, f"{a.out}/{tag}-{i}.safetensors")

    data = load(0)
    rd = 1
    t0 = time.time()
    step = 0
    seen = {k: 0 for k in parts}
    print(
        f"data ready after {t0 - t00:.1f}s; params {sum(p.numel() for p in params)}; text rows {data['w']}",
        flush=True,
    )
    # ---- training functions on static buffers, captured as CUDA graphs
    allp = params + [p for mm_ in (aux_i, aux_a) for p in mm_.parameters()]
    allp = [p for p in allp if p.requires_grad]
    for p in allp:
        p.grad = torch.zeros_like(p)
    acc = {k: torch.zeros(2, device=dev) for k in (*parts, "aux_image", "aux_audio")}
    auxw = torch.tensor(0.3, device=dev)

    def back(loss):
        g = torch.autograd.grad(loss, allp, allow_unused=True)
        u = [i for i in range(len(allp)) if g[i] is not None]
        torch._foreach_add_([allp[i].grad for i in u], [g[i] for i in u])

    def log(k, v):
        acc[k].add_(torch.stack((v.detach().float(), torch.ones((), device=dev))))

    def t_text(d):
        def fn():
            with AC():
                l = ce(d["ids"], d["m"], LM(d["ids"]))
            back(l)
            log("text", l)

        return fn

    def t_image(d):
        def fn():
            with AC():
                soft, h = f_image(d)
                l = ce(d["ids"], d["m"], h)
                if not a.init:
                    la = F.binary_cross_entropy_with_logits(aux_i(soft.amax(1)).float(), d["lab"]) * 10
            log("image", l)
            if not a.init:
                log("aux_image", la)
                l = l + la * auxw
            back(l)

        return fn

    def t_audio(d):
        def fn():
            with AC():
                soft, h = f_audio(d)
                l = ce(d["ids"], d["m"], h)
                lg = aux_a(soft).float()
            log("audio", l)
            if not a.init:
                la = ctc(F.log_softmax(lg, -1), d["ctc"], d["n"], d["cn"])
                log("aux_audio", la)
                l = l + la * auxw
            back(l)

        return fn

    def t_pair(d):
        def fn():
            with AC():
                l = ce(d["ids"], d["m"], f_pair(d))
            back(l)
            log("pairs", l)

        return fn

    learning = [p for p in params if p.requires_grad]

    def t_opt():
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        opt.step()
        torch._foreach_zero_([p.grad for p in allp])
        torch._foreach_lerp_(ema, params, a.ema)

    pool = torch.cuda.graph_pool_handle() if dev == "cuda" else None

    def capture(fn, warm=2):
        if dev != "cuda":
            return fn
        try:
            st = torch.cuda.Stream()
            st.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(st):
                for _ in range(warm):
                    fn()
            torch.cuda.current_stream().wait_stream(st)
            torch.cuda.synchronize()
            g = torch.cuda.CUDAGraph()
            with torch.cuda.graph(g, pool=pool):
                fn()
            torch.cuda.synchronize()
            return g.replay
        except Exception as ex:
            print("capture failed:", repr(ex)[:500], flush=True)
            torch.cuda.synchronize()
            return fn

    def put(dst, src):
        for k in dst:
            dst[k].copy_(src[k], non_blocking=True)

    TX, IM, AU = {}, {}, None

    def text_rows(b, n):
        T_, tid, tm = data["text"][b]
        idx = torch.randint(0, len(tid), (n,), device=dev, generator=gen)
        return dict(ids=tid[idx].long(), m=tm[idx])

    for b in range(len(data["text"])):
        nb = 20480 // data["text"][b][0] if not a.small else 4
        d = text_rows(b, nb)
        TX[b] = (d, capture(t_text(d)), nb)
    IMG_Q = {}
    for bud, B in ((70, 120), (280, 44)):
        for ra in (0.55, 0.75, 1.0, 1.34, 1.8) if not a.small else (1.0,):
            B_ = B if not a.small else 2
            gd = grid(bud, ra)
            I = data["image"]
            d = image_rows(I, torch.randint(0, len(I["ln"]), (B_,), device=dev), *gd, glyphs_tr)
            IM[gd] = (d, capture(t_image(d)), B_, bud)
            IMG_Q[gd] = []
    PA, PA_Q = {}, {}
    if a.init:
        ratios = (0.55, 0.75, 1.0, 1.34, 1.8)
        shapes = [
            (280, x, 280, y)
            for x, y in zip(ratios * 2, (1.0, 1.34, 1.8, 0.55, 0.75, 0.75, 1.0, 1.0, 1.34, 0.55))
        ]
        shapes += [
            (280, 1.34, 280, 1.0),
            (70, 1.34, 70, 1.0),
            (70, 0.75, 70, 1.34),
            (70, 1.0, 280, 1.34),
            (280, 1.0, 70, 0.75),
        ]
        for b1, r1, b2, r2 in shapes if not a.small else [(70, 1.0, 280, 1.34)]:
            gd = grid(b1, r1), grid(b2, r2)
            B_ = (28 if b1 + b2 == 560 else 36 if b1 + b2 == 350 else 64) if not a.small else 2
            I = data["pairs"]
            d = pair_rows(I, torch.randint(0, len(I["ln"]), (B_,), device=dev), gd, glyphs_tr)
            PA[gd] = (d, capture(t_pair(d)), B_)
            PA_Q[gd] = []
    B = 112 if not a.small else 2
    A = data["audio"]
    d = audio_rows(A, torch.randint(0, len(A["ln"]), (B,), device=dev))
    AU = (d, capture(t_audio(d)), B)
    AUD_Q = []
    for p in allp:
        p.grad.zero_()
    for v in acc.values():
        v.zero_()
    k_opt = t_opt
    if dev == "cuda":
        bak = [p.detach().clone() for p in allp]
        for g in opt.param_groups:
            g["lr"].fill_(0.0)
        k_opt = capture(t_opt)
        for p, q in zip(allp, bak):
            p.data.copy_(q)
        for e, p in zip(ema, params):
            e.copy_(p)
    print(
        f"captured after {time.time() - t0:.1f}s, memory {torch.cuda.max_memory_allocated() / 1e9 if dev == 'cuda' else 0:.1f} GB",
        flush=True,
    )
    Q = 6 if not a.small else 2

    def next_image():
        gd = rnd.choices(list(IM), [0.4 if v[3] == 70 else 0.6 for v in IM.values()])[0]
        d, run, B, _ = IM[gd]
        if not IMG_Q[gd]:
            I = data["image"]
            r = image_rows(
                I, torch.randint(0, len(I["ln"]), (B * Q,), device=dev, generator=gen), *gd, glyphs_tr
            )
            IMG_Q[gd] = [{k: v[i * B : (i + 1) * B] for k, v in r.items()} for i in range(Q)]
        put(d, IMG_Q[gd].pop())
        run()
        return B

    def next_pair():
        gd = rnd.choice(list(PA))
        d, run, B = PA[gd]
        if not PA_Q[gd]:
            I = data["pairs"]
            r = pair_rows(
                I, torch.randint(0, len(I["ln"]), (B * Q,), device=dev, generator=gen), gd, glyphs_tr
            )
            PA_Q[gd] = [{k: v[i * B : (i + 1) * B] for k, v in r.items()} for i in range(Q)]
        put(d, PA_Q[gd].pop())
        run()
        return B

    def next_audio():
        d, run, B = AU
        if not AUD_Q:
            A = data["audio"]
            r = audio_rows(A, torch.randint(0, len(A["ln"]), (B * Q,), device=dev, generator=gen))
            AUD_Q.extend({k: v[i * B : (i + 1) * B] for k, v in r.items()} for i in range(Q))
        put(d, AUD_Q.pop())
        run()
        return B

    before = {}
    if a.init and not a.no_eval:
        before = evaluate(False)
        print("BEFORE", json.dumps(before), flush=True)
    times = []
    t1 = time.time()
    last_ck = last_ld = t1
    total = a.seconds - (t1 - t00) - (25 if not (a.bench or a.no_eval) else 2)
    warm = 300 if not a.small else 3
    while True:
        fr = (time.time() - t1) / total
        if fr >= 1 or (a.small and step >= 6):
            break
        lr = a.lr * min(1, (step + 1) / warm) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1, fr))))
        if step % 10 == 0 or step < warm:
            for g in opt.param_groups:
                if torch.is_tensor(g["lr"]):
                    g["lr"].fill_(lr)
                else:
                    g["lr"] = lr
            auxw.fill_(0.3 * max(0, 1 - 1.4 * fr))
        b = rnd.choices(list(TX), data["w"])[0]
        d, run, nb = TX[b]
        put(d, text_rows(b, nb))
        run()
        seen["text"] += nb
        if step % 9 < (5 if not a.init else 6):
            if a.init and rnd.random() < a.pairs:
                seen["pairs"] += next_pair()
            else:
                seen["image"] += next_image()
        else:
            seen["audio"] += next_audio()
        k_opt()
        step += 1
        times.append(time.time())
        if step % 250 == 0 or (a.small and step % 2 == 0):
            s_ = {k: (v[0] / v[1].clamp(min=1)).item() for k, v in acc.items()}
            for v in acc.values():
                v.zero_()
            print(
                f"{time.time() - t0:6.1f}s step {step} lr {lr:.2e} rnd {rd} "
                + " ".join(f"{k} {v:.4f}" for k, v in s_.items())
                + f" seen {seen}",
                flush=True,
            )
            if time.time() - last_ld > 80 and ready(rd):
                data = load(rd)
                rd += 1
                last_ld = time.time()
            if time.time() - last_ck > a.eval_every:
                save("ckpt")
                last_ck = time.time()
    tt = time.time() - t0
    if a.bench:
        print("RATE", len([x for x in times if x > time.time() - 10]) / 10, "steps", step, flush=True)
        open(f"{a.out}/rate", "w").write(str(len([x for x in times if x > time.time() - 10]) / 10))
        stop(procs, spool)
    save("pebble")
    R = evaluate() if not a.no_eval else {}
    print("FINAL", json.dumps(R), flush=True)
    json.dump(
        dict(
            eval_teacher_forced=R, eval_before=before, seconds=tt, steps=step, seen=seen, seed=a.seed, lr=a.lr
        ),
        open(f"{a.out}/train.json", "w"),
        indent=1,
    )
    open(f"{a.out}/done", "w").write("ok")
    stop(procs, spool)


if __name__ == "__main__":
    main()
