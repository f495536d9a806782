"""The drafter's file: trained weights to GGUF in the layout of llama.cpp (`gemma4-assistant`), and back.

python drafter_file.py WEIGHTS_FOLDER OUT.gguf

Matrices are Q8_0, all else F32. The tokenizer is in the file too, as in published drafters.
"""

import argparse
import os
import numpy as np

try:
    import torch
except ModuleNotFoundError as error:
    raise SystemExit(f"{error}: install the packages of requirements.txt first")

from gguf import GGMLQuantizationType as Q

import config as C
import drafter
import gguf_file as G
import libllama as LL
import tokenizer_file

ARCH = "gemma4-assistant"


def name(parameter):
    """The name in the file of a parameter."""
    if parameter.split(".")[0] in ("pre_projection", "post_projection"):
        return "nextn." + parameter
    return G.ollama_name("model.language_model." + parameter)


def rope_factors():
    """Full layers rotate a quarter of their dimensions: the factor of all others is as good as infinite."""
    factors = np.full(C.HD_G // 2, 1e30, np.float32)
    factors[: C.HD_G // 8] = 1.0
    return factors


def metadata(net):
    P = ARCH + "."
    return {
        **tokenizer_file.ollama_kv(C.TOKENIZER),
        "tokenizer.ggml.model": "gemma4",  # llama.cpp's name for it; Ollama's is another
        "general.type": "model",
        "general.name": "Pebble drafter",
        "general.description": "Drafter of the demo model Pebble, trained from scratch on what that model answers",
        "general.file_type": LL.FTYPE["q8_0"],
        "general.quantization_version": 2,
        P + "block_count": len(net.pattern),
        P + "nextn_predict_layers": len(net.pattern),
        P + "context_length": C.CTX,
        P + "embedding_length": net.norm.weight.shape[0],
        P + "embedding_length_out": C.D,
        P + "embedding_length_per_layer_input": 0,
        P + "feed_forward_length": net.layers[0].mlp.up_proj.weight.shape[0],
        P + "attention.head_count": C.NH,
        P + "attention.head_count_kv": 1,
        P + "attention.key_length": C.HD_G,
        P + "attention.value_length": C.HD_G,
        P + "attention.key_length_swa": C.HD_S,
        P + "attention.value_length_swa": C.HD_S,
        P + "attention.layer_norm_rms_epsilon": 1e-6,
        P + "attention.shared_kv_layers": len(net.pattern),
        P + "attention.sliding_window": C.WINDOW,
        P + "attention.sliding_window_pattern": [c == "S" for c in net.pattern],
        P + "rope.dimension_count": C.HD_G,
        P + "rope.dimension_count_swa": C.HD_S,
        P + "rope.freq_base": 1e6,
        P + "rope.freq_base_swa": 1e4,
    }


def write(net, path):
    tensors = [("rope_freqs.weight", rope_factors(), Q.F32)]
    for parameter, t in sorted(net.state_dict().items()):
        tensors.append((name(parameter), t.float().numpy(), Q.Q8_0 if t.ndim == 2 else Q.F32))
    G.write(path, ARCH, metadata(net), tensors)


def load(path):
    """The drafter of a file, dequantised."""
    reader, d = G.read(path)
    sliding = reader.fields[ARCH + ".attention.sliding_window_pattern"].contents()
    pattern = "".join("S" if s else "G" for s in sliding)
    net = drafter.Drafter(len(d["output_norm.weight"][2]), len(d["blk.0.ffn_up.weight"][2]), pattern)
    with torch.no_grad():
        for parameter, t in net.state_dict().items():
            t.copy_(torch.from_numpy(d[name(parameter)][2]))
    return net.eval().requires_grad_(False)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("weights", help="folder with drafter.safetensors, as drafter.py leaves it")
    ap.add_argument("out", help="file to write")
    a = ap.parse_args()
    write(drafter.load(a.weights), a.out)
    print(a.out, os.path.getsize(a.out))


if __name__ == "__main__":
    main()
