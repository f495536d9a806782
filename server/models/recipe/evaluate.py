"""Greedy evaluation of an exported file: text with llama.cpp on the same quantised tensors, pictures and speech with
transformers on the dequantised weights. Writes eval.json, failures_*.json and samples/ to a folder.

LLAMA_LIB_DIR=FOLDER python evaluate.py pebble.gguf OUT_FOLDER [--n 60] [--media 120] [--part text|media|both]

The text part reads pebble.gguf.text, which export.py writes beside the model.
"""

import argparse
import json
import os
import random
import re
import wave
import numpy as np

try:
    import torch
except ModuleNotFoundError as error:
    raise SystemExit(f"{error}: install the packages of requirements.txt first")

import config as C
import chats_app
import chats_memory
import chats_tools
import conversations as T
import singles
import source
import media_questions as M
import tokenizer as U
import libllama as LL
import gguf_file as G
from facts import CATS
from persona import PERSONA, SMALLTALK, UNKNOWN_A
from heldout import HELD, UNSEEN_TOPICS

clean = lambda s: s.replace("\x01", "").replace("\x02", "")
STOP = {1, 106, 50}


class Chat:
    def __init__(s, path):
        s.m = LL.Model(path, n_ctx=1152)
        s.e = U.Enc()

    def gen(s, ids, n=160):
        s.m.clear()
        lg = s.m.decode(ids)[-1]
        out = []
        p = len(ids)
        for _ in range(n):
            t = int(lg.argmax())
            out.append(t)
            if t in STOP:
                break
            lg = s.m.decode([t], p)[-1]
            p += 1
        return s.e.t.decode(out, skip_special_tokens=False)

    def ask(s, q, system=None, think=False):
        S = T.render(source.Conv([(q, "", "")], system=system, think=think))
        return s.gen(s.e.conv(S[:1])[0]).replace("<turn|>", "")


def fmt_ok(exp, got):
    if exp == got:
        return True
    L = exp.split("\n")
    K = got.split("\n")
    strip = lambda x: re.sub(r"^(- |\d+\. )", "", x)
    cat = [c for c, v in CATS.items() if all(strip(x).strip(".") in v for x in L)]
    if L[0][:2] in ("- ", "1.") and cat:
        return (
            len(L) == len(K)
            and all(re.match(r"^- " if L[0][0] == "-" else rf"^{i + 1}\. ", x) for i, x in enumerate(K))
            and any(all(strip(x) in CATS[c] for x in K) for c in cat)
            and len(set(K)) == len(K)
        )
    sp = lambda x: re.split(r", | and ", x.rstrip("."))
    cat = [c for c, v in CATS.items() if all(x in v for x in sp(exp))]
    return bool(cat) and len(sp(exp)) == len(sp(got)) and any(all(x in CATS[c] for x in sp(got)) for c in cat)


def text_eval(ch, n):
    R, bad = {}, {}

    def rec(k, ok, p, got, exp=""):
        R.setdefault(k, []).append(bool(ok))
        if not ok and len(bad.setdefault(k, [])) < 6:
            bad[k].append([p, got, exp])

    for k in ("arith", "compare", "numfun", "word", "sort", "seq", "fact", "format"):
        g = source.G(4242, "eval")
        for _ in range(n):
            q, a, t = singles.one(g, k)
            got = ch.ask(q)
            rec(k, fmt_ok(clean(a), got) if k == "format" else got == clean(a), clean(q), got, clean(a))
        print(k, np.mean(R[k]), flush=True)
    I = {qs[0]: a for qs, a in PERSONA + SMALLTALK}
    r = random.Random(7)
    for p, key in HELD:
        got = ch.ask(p)
        rec("persona_unseen_wording", got in I[key], p, got, key)
    for qs, a in PERSONA:
        q = r.choice(qs)
        got = ch.ask(q)
        rec("persona", got in a, q, got, a[0])
    for qs, a in SMALLTALK:
        q = r.choice(qs)
        got = ch.ask(q)
        rec("small_talk", got in a, q, got, a[0])
    for x in UNSEEN_TOPICS:
        q = r.choice(
            ["What is {}?", "Explain {}.", "Tell me about {}.", "What do you know about {}?"]
        ).format(x)
        got = ch.ask(q)
        rec("says_it_does_not_know", got in UNKNOWN_A, q, got)
    g = source.G(777, "eval")
    for _ in range(n):
        while True:
            try:
                c = chats_memory.conv_memory(g)
                break
            except source.Skip:
                pass
        if not hasattr(c, "check"):
            continue
        S = T.render(c)
        got = ch.gen(ch.e.conv(S[:-1])[0]).replace("<turn|>", "")
        a = c.turns[-1][1]
        rec(
            "memory",
            got == clean(a) or "have not told" in a and ("have not told" in got or "do not know" in got),
            [x[0] for x in c.turns],
            got,
            a,
        )
    for _ in range(n):
        while True:
            try:
                c = chats_tools.conv_tools(g)
                if c.extra:
                    break
            except source.Skip:
                pass
        c.turns = []
        S = T.render(c)
        got = ch.gen(ch.e.conv(S[:1])[0])
        rec("tool_call", got == S[1][0], c.extra[0], got, S[1][0])
        got = ch.gen(ch.e.conv(S[:3])[0])
        rec("tool_answer", got == S[3][0], c.extra[0], got, S[3][0])
    g = source.G(778, "eval")
    for _ in range(n):
        S = chats_app.conversation(g, plain=True)
        got = ch.gen(ch.e.conv(S[:1])[0])
        rec("app_call", got == clean(S[1][0]), S[0][0][-200:], got, S[1][0])
        got = ch.gen(ch.e.conv(S[:3])[0])
        rec("app_answer", got == clean(S[3][0]), S[2][0], got, S[3][0])
    for _ in range(n):
        S = chats_app.conversation(g)
        i = next(i for i, (_, learnt) in enumerate(S) if learnt)
        got = ch.gen(ch.e.conv(S[:i])[0])
        rec(
            "app_calls_when_it_should",
            ("<|tool_call>" in got) == ("<|tool_call>" in S[i][0]),
            S[0][0][-200:],
            got,
            S[i][0],
        )
    for _ in range(n):
        q, a, t = singles.one(g, g.c(["arith", "fact", "word"]))
        got = ch.ask(q, think=True)
        m = re.match(r"^<\|channel>thought\n(.*)\n<channel\|>(.*)$", got, re.S)
        rec("thinking_on", m and m.group(2) == clean(a), clean(q), got, clean(a))
        rec("thinking_form", bool(m), clean(q), got)
    for q in ("What is 3 + 4?", "Who are you?", "Reverse the word planet."):
        rec("thinking_off_has_no_thought", "<|channel>" not in ch.ask(q), q, "")
    return {k: {"accuracy": round(float(np.mean(v)), 3), "n": len(v)} for k, v in R.items()}, bad


def load_hf(path):
    from transformers import Gemma4ForConditionalGeneration

    hf = Gemma4ForConditionalGeneration(C.hf_config()).float().eval()
    _, d = G.read(path)
    with torch.no_grad():
        for n, t in hf.state_dict().items():
            g = G.ollama_name(n)
            if n.startswith("lm_head") or g not in d:
                assert n.startswith("lm_head"), n
                continue
            a = d[g][2]
            if g == "v.patch_embd.weight":
                a = a.transpose(0, 2, 3, 1)
            if g.endswith("per_dim_scale.weight"):
                a = np.log(np.expm1(a.astype(np.float64)))
            t.copy_(torch.from_numpy(np.ascontiguousarray(a, dtype=np.float32)).reshape(t.shape))
    hf.tie_weights()
    return hf


class Media:
    def __init__(s, path):
        from transformers import Gemma4AudioFeatureExtractor

        try:
            from transformers import Gemma4ImageProcessorPil as IP
        except ImportError:
            from transformers import Gemma4ImageProcessor as IP
        s.hf = load_hf(path)
        s.ip = IP(patch_size=16, pooling_kernel_size=3, max_soft_tokens=280)
        s.fe = Gemma4AudioFeatureExtractor()
        s.e = U.Enc()

    def ask(s, kind, media, q, n=48):
        return s.answer(kind, [media], source.Conv([("\x03" + q, "", "")]), n)

    @torch.no_grad()
    def answer(s, kind, media, conv, n=48):
        """The answer to the last question of a conversation with some pictures, or with one recording."""
        I = C.IDS
        if kind == "image":
            o = s.ip(images=media, return_tensors="pt")
            if "num_soft_tokens_per_image" in o:
                k = [int(x) for x in o["num_soft_tokens_per_image"]]
            else:
                k = [int(x) // 9 for x in (o["image_position_ids"][:, :, 0] >= 0).sum(1)]
            kw = dict(pixel_values=o["pixel_values"].float(), image_position_ids=o["image_position_ids"])
            ph = [I["boi"], I["image"], I["eoi"]]
        else:
            o = s.fe(media, return_tensors="pt", sampling_rate=16000)
            m = o["input_features_mask"]
            k = [int(m[:, ::4].sum())]
            kw = dict(input_features=o["input_features"], input_features_mask=m)
            ph = [I["boa"], I["audio"], I["eoa"]]
        ids = []
        for i in s.e.conv(T.render(conv)[:-1], ph)[0]:
            ids += [i] * k.pop(0) if i == ph[1] else [i]
        x = torch.tensor([ids])
        out = s.hf.generate(
            input_ids=x,
            attention_mask=torch.ones_like(x),
            mm_token_type_ids=torch.zeros_like(x),
            max_new_tokens=n,
            do_sample=False,
            eos_token_id=[1, 106, 50],
            pad_token_id=0,
            **kw,
        )
        return s.e.t.decode(out[0, len(ids) :].tolist(), skip_special_tokens=False).replace("<turn|>", "")


def media_eval(path, n, out, pairs=None):
    import media as SY
    import digits
    import speech
    from PIL import Image
    from train import spec_tensors

    torch.set_num_threads(2)
    torch.manual_seed(5)
    md = Media(path)
    R, bad = {}, {}
    r = random.Random(31337)
    gen = torch.Generator().manual_seed(5)
    gl = digits.load()[::9]

    def rec(k, ok, q, got, exp):
        R.setdefault(k, []).append(bool(ok))
        if not ok and len(bad.setdefault(k, [])) < 8:
            bad[k].append([q, got, exp])

    os.makedirs(os.path.join(out, "samples"), exist_ok=True)
    saved = {}
    for i in range(n):
        sc = M.scene(r)
        H, W = r.choice([(224, 224), (300, 400), (480, 360), (256, 512), (640, 640), (128, 128)])
        im = SY.render_images(spec_tensors([sc], "cpu"), H, W, gl, gen)[0]
        pil = Image.fromarray((im * 255).round().byte().permute(1, 2, 0).numpy())
        q, a, t, k = M.image_qa(r, sc)
        got = md.ask("image", pil, q)
        rec("image_" + k, got == a, q, got, a)
        rec("image_all", got == a, q, got, a)
        tag = "digit" if sc["kind"] == 1 else f"shapes{len(sc['objs'])}"
        if tag in ("digit", "shapes1", "shapes3") and tag not in saved and got == a:
            saved[tag] = dict(question=q, answer=got)
            pil.save(os.path.join(out, "samples", tag + ".png"))
    for kind in (
        "colour",
        "shape",
        "where",
        "count",
        "exist",
    ):  # the rarer question kinds get at least 30 prompts each
        for _ in range(400):
            if len(R.get("image_" + kind, [])) >= 30 or n < 50:
                break
            sc = M.scene(r)
            q, a, t, k = M.image_qa(r, sc, kind)
            if k != kind or sc["kind"] == 1:
                continue
            H, W = r.choice([(224, 224), (300, 400), (480, 360), (256, 512)])
            im = SY.render_images(spec_tensors([sc], "cpu"), H, W, gl, gen)[0]
            got = md.ask("image", Image.fromarray((im * 255).round().byte().permute(1, 2, 0).numpy()), q)
            rec("image_" + k, got == a, q, got, a)
    r2 = random.Random(271828)  # of its own, so that the recordings below stay the same
    g2 = source.G(271828, "eval")
    for i in range(n if pairs is None else pairs):
        about = ("first", "second", "unseen_first", "unseen_second")[i % 4]
        sc = M.scene(g2.r), M.scene(g2.r)
        two = []
        for x in sc:
            H, W = r2.choice([(224, 224), (300, 400), (480, 360), (256, 512), (640, 640), (128, 128)])
            im = SY.render_images(spec_tensors([x], "cpu"), H, W, gl, gen)[0]
            two.append(Image.fromarray((im * 255).round().byte().permute(1, 2, 0).numpy()))
        c = M.pair_conv(g2, *sc, about)
        got, (q, a, _) = md.answer("image", two, c), c.turns[-1]
        for k in ("all", about, about.split("_")[-1] + "_" + c.kind):
            rec("two_pictures_" + k, got == a, [x[:2] for x in c.turns], got, a)
    print({k: (round(float(np.mean(v)), 3), len(v)) for k, v in R.items()}, flush=True)
    syn = speech.Synth()
    k3 = 0
    for i in range(n):
        s = M.spoken(r)
        x = syn.random(s, r, True)
        if x is None:
            continue
        noisy = i % 2 == 1
        y = np.concatenate(
            [np.zeros(1600, np.float32), x.astype(np.float32) / 32768 * 0.6, np.zeros(3200, np.float32)]
        )
        if noisy:
            y = y + np.random.RandomState(i).randn(len(y)).astype(np.float32) * 0.01
        q, a, t, k = M.audio_qa(r, s)
        if not q:
            q = "Reply to the audio."
        got = md.ask("audio", y, q)
        rec("audio_" + k, got == a, [q, s], got, a)
        rec("audio_all", got == a, [q, s], got, a)
        rec("audio_noisy" if noisy else "audio_clean", got == a, [q, s], got, a)
        if k in ("transcribe", "digits") and k3 < 3 and got == a and (k3 or len(s.split()) > 2):
            f = f"speech{k3 + 1}.wav"
            saved[f] = dict(question=q, answer=got, spoken=s)
            k3 += 1
            with wave.open(os.path.join(out, "samples", f), "wb") as w:
                w.setnchannels(1)
                w.setsampwidth(2)
                w.setframerate(16000)
                w.writeframes((np.clip(y, -1, 1) * 32767).astype(np.int16).tobytes())
    json.dump(saved, open(os.path.join(out, "samples", "samples.json"), "w"), indent=1)
    return {k: {"accuracy": round(float(np.mean(v)), 3), "n": len(v)} for k, v in sorted(R.items())}, bad


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("gguf", help="model file")
    ap.add_argument("out", help="folder to write to")
    ap.add_argument("--n", type=int, default=60, help="prompts of each kind of text")
    ap.add_argument("--media", type=int, default=120, help="pictures, and as many recordings")
    ap.add_argument("--pairs", type=int, help="conversations with two pictures (default: as --media)")
    ap.add_argument("--part", default="both", choices=["text", "media", "both"])
    a = ap.parse_args()
    for path in [a.gguf] + ([a.gguf + ".text"] if a.part != "media" else []):
        if not os.path.exists(path):
            ap.error(f"there is no {path}; export.py writes it")
    os.makedirs(a.out, exist_ok=True)
    f = os.path.join(a.out, "eval.json")
    E = json.load(open(f)) if os.path.exists(f) else {}
    if a.part in ("both", "text"):
        ch = Chat(a.gguf + ".text")
        R, bad = text_eval(ch, a.n)
        E["text_llama_cpp_greedy"] = R
        json.dump(bad, open(os.path.join(a.out, "failures_text.json"), "w"), indent=1, ensure_ascii=False)
        print(json.dumps(R, indent=0))
    if a.part in ("both", "media"):
        R, bad = media_eval(a.gguf, a.media, a.out, a.pairs)
        E["media_transformers_greedy"] = R
        json.dump(bad, open(os.path.join(a.out, "failures_media.json"), "w"), indent=1, ensure_ascii=False)
        print(json.dumps(R, indent=0))
    json.dump(E, open(f, "w"), indent=1)


if __name__ == "__main__":
    main()
