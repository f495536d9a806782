"""Checks that the model file is the one that README.md describes: its checksum, its tokenizer and its sizes.

python check_file.py [MODEL.gguf]

Of a file that is not the published one, only the tokenizer and the sizes are checked.
"""

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path

import config as C

MODELS = Path(__file__).resolve().parents[1]


def problems(path):
    import gguf

    reader = gguf.GGUFReader(path)

    def value(key):
        field = reader.fields.get(key)
        return None if field is None else field.contents()

    tokenizer = json.loads((C.TOKENIZER / "tokenizer.json").read_text())
    by_id = {i: piece for piece, i in tokenizer["model"]["vocab"].items()}
    expected = {
        "general.architecture": "gemma4",
        "general.name": "Pebble",
        "gemma4.block_count": C.L,
        "gemma4.embedding_length": C.D,
        "gemma4.embedding_length_per_layer_input": C.P,
        "gemma4.attention.head_count": C.NH,
        "gemma4.attention.key_length": C.HD_G,
        "gemma4.attention.key_length_swa": C.HD_S,
        "gemma4.attention.shared_kv_layers": C.SHARED,
        "gemma4.attention.sliding_window": C.WINDOW,
        "gemma4.attention.sliding_window_pattern": [kind == "S" for kind in C.PATTERN],
        "gemma4.context_length": C.CTX,
        "gemma4.vision.block_count": C.VL,
        "gemma4.vision.embedding_length": C.VD,
        "gemma4.audio.block_count": C.AL,
        "gemma4.audio.embedding_length": C.AD,
        "tokenizer.ggml.tokens": [by_id[i] for i in sorted(by_id)],
        "tokenizer.ggml.merges": [" ".join(merge) for merge in tokenizer["model"]["merges"]],
    }
    for key, wanted in expected.items():
        found = value(key)
        if found != wanted:
            yield f"{key} is {str(found)[:80]}, the recipe makes {str(wanted)[:80]}"
    parts = {
        name: sum(t.name.startswith(name) for t in reader.tensors) for name in ("blk.", "v.", "a.", "mm.")
    }
    for name, count in parts.items():
        if count == 0:
            yield f"no tensor begins with {name}"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("model", nargs="?", type=Path, default=MODELS / "pebble.gguf")
    a = ap.parse_args()
    if not a.model.is_file():
        ap.error(f"there is no {a.model}")
    found = list(problems(a.model))
    if a.model.resolve() == MODELS / "pebble.gguf":
        published = re.search(r"sha256 \| ([0-9a-f]{64})", (MODELS / "README.md").read_text())
        digest = hashlib.sha256(a.model.read_bytes()).hexdigest()
        if not published or published.group(1) != digest:
            found.append(f"its sha256 is {digest}, README.md says another")
    for problem in found:
        print(problem)
    print(f"{a.model.name}: {'as described' if not found else f'{len(found)} problems'}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
