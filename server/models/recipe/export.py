"""Trained weights to a model file: calibrates the clamps of the towers, writes GGUF, quantises with libllama.

LLAMA_LIB_DIR=FOLDER python export.py WEIGHTS_FOLDER OUT.gguf [--quant mix|q8_0|q6_k|q4_k_m]

Also writes OUT.gguf.text, the text part alone, which llama.cpp reads and evaluate.py needs.
"""

import argparse
import glob
import json
import os
import random
import numpy as np

try:
    import torch
except ModuleNotFoundError as error:
    raise SystemExit(f"{error}: install the packages of requirements.txt first")

import config as C
import model as MD
from safetensors.torch import load_file


def load_net(d):
    net = MD.Pebble()
    sd = {}
    if not glob.glob(os.path.join(d, "pebble-*.safetensors")):
        raise SystemExit(f"there are no weights (pebble-*.safetensors) in {d}")
    for f in sorted(glob.glob(os.path.join(d, "pebble-*.safetensors"))):
        sd.update(load_file(f))
    net.load_state_dict({k: v.float() for k, v in sd.items()})
    return net.eval()


def load_start(path):
    """Weights to train further -> the model, and the clamps of its towers. `path` is a model file or a folder."""
    if os.path.isdir(path):
        return load_net(path), json.load(open(os.path.join(path, "clamps.json")))
    import gguf_file as G

    _, d = G.read(path)
    net = MD.Pebble()
    with torch.no_grad():
        for n, t in net.state_dict().items():
            name = G.ollama_name("model." + n)
            a = d[name][2]
            if name == "v.patch_embd.weight":
                a = a.transpose(0, 2, 3, 1)
            if name.endswith("per_dim_scale.weight"):
                a = np.log(np.expm1(a.astype(np.float64)))
            t.copy_(torch.from_numpy(np.ascontiguousarray(a, dtype=np.float32)).reshape(t.shape))
    clamps = {}
    for n, m in net.named_modules():
        if isinstance(m, MD.CLin):
            ends = ("input_min", "input_max", "output_min", "output_max")
            clamps[n] = [float(d[G.ollama_name(f"model.{n}.{e}")][2].item()) for e in ends]
    return net.eval(), clamps


@torch.no_grad()
def calibrate(net, seed=11):
    """Ranges of every clippable linear on generated media, widened by a factor of 2."""
    torch.manual_seed(seed)
    from train import spec_tensors
    import digits
    import speech
    import media_questions as M
    import media as SY

    r = random.Random(seed)
    gen = torch.Generator().manual_seed(seed)
    gl = digits.load()
    MD.CLin.rec = {}
    for H, W in ((336, 480), (768, 768), (240, 240)):
        net.image(SY.render_images(spec_tensors([M.scene(r) for _ in range(12)], "cpu"), H, W, gl, gen))
    syn = speech.Synth()
    cl = [x for x in (syn.random(M.spoken(r), r) for _ in range(48)) if x is not None]
    wl = torch.tensor([len(c) for c in cl])
    x, ln, eq = SY.augment_audio(torch.tensor(np.concatenate(cl)), wl, torch.cumsum(wl, 0) - wl, 76800, gen)
    net.audio(*MD.logmel(x, ln, MD.mel_filters("cpu"), eq))
    out = {n: MD.CLin.rec[id(m)] for n, m in net.named_modules() if isinstance(m, MD.CLin)}
    MD.CLin.rec = None
    return {n: [v * 2 for v in r] for n, r in out.items()}


def to_hf(net, clamps):
    from transformers import Gemma4ForConditionalGeneration

    hf = Gemma4ForConditionalGeneration(C.hf_config()).float().eval()
    sd = {"model." + k: v for k, v in net.state_dict().items()}
    for n, (a, b, c, d) in clamps.items():
        for s, v in zip(("input_min", "input_max", "output_min", "output_max"), (a, b, c, d)):
            sd[f"model.{n}.{s}"] = torch.tensor(float(np.float16(v)))
    r = hf.load_state_dict(sd, strict=False)
    assert not r.unexpected_keys and all(
        k.endswith(("layer_scalar", "lm_head.weight")) for k in r.missing_keys
    ), r
    hf.tie_weights()
    return hf


def main():
    import gguf_file as G
    import libllama as LL
    from gguf import GGMLQuantizationType as Q

    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("weights", help="folder with pebble-*.safetensors, as train.py leaves it")
    ap.add_argument("out", help="model file to write")
    ap.add_argument("--quant", default="mix", choices=["mix", "q8_0", "q6_k", "q4_k_m"])
    ap.add_argument("--hf", default="", metavar="FOLDER", help="also save a transformers model there")
    a = ap.parse_args()
    net = load_net(a.weights)
    cf = os.path.join(a.weights, "clamps.json")
    if not os.path.exists(cf):
        json.dump(calibrate(net), open(cf, "w"))
    hf = to_hf(net, json.load(open(cf)))
    if a.hf:
        hf.half().save_pretrained(a.hf)
        hf.float()
    tens = G.tensors_ollama(hf, hf.config)
    kv = G.kv_ollama(hf.config, C.TOKENIZER)
    kv.update(
        {
            "general.name": "Pebble",
            "general.type": "model",
            "general.description": "Tiny demo model with the Gemma 4 architecture, trained from scratch on generated data",
        }
    )
    text = [t for t in tens if not t[0].startswith(("v.", "a.", "mm."))]
    base, q, q2 = a.out + ".base", a.out + ".q", a.out + ".q2"
    k2 = dict(kv)
    k2["tokenizer.ggml.model"] = "gemma4"
    k2 = {k: v for k, v in k2.items() if ".vision." not in k and ".audio." not in k}
    G.write(base, "gemma4", k2, text)
    mix = a.quant == "mix"
    LL.quantize(base, q, "q6_k" if mix else a.quant)
    _, d = G.read(q)
    if mix:  # FFN gate / up in Q4_K, everything else Q6_K (Q8_0 where rows are not multiples of 256)
        LL.quantize(base, q2, "q4_k_m")
        _, d4 = G.read(q2)
        d.update({n: v for n, v in d4.items() if "ffn_gate" in n or "ffn_up" in n})
        os.remove(q2)
    ts = []
    for n, arr, k in tens:
        if n in d and d[n][1] not in (Q.F32, Q.F16):
            ts.append((n, d[n][0], d[n][1]))
        elif n == "per_layer_model_proj.weight":
            ts.append((n, arr, Q.Q8_0))
        else:
            ts.append((n, arr, k))
    kv["general.file_type"] = LL.FTYPE["q4_k_m" if mix else a.quant]
    G.write(a.out, "gemma4", kv, ts)
    # text-only twin for llama.cpp checks
    G.write(a.out + ".text", "gemma4", k2, [t for t in ts if not t[0].startswith(("v.", "a.", "mm."))])
    cnt = {}
    for n, arr, k in ts:
        c = cnt.setdefault(k.name, [0, 0])
        c[0] += 1
        c[1] += arr.nbytes if arr.dtype == np.uint8 else 0
    os.remove(base)
    os.remove(q)
    print(a.out, os.path.getsize(a.out), cnt)


if __name__ == "__main__":
    main()
