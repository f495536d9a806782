"""Makes the demo model from nothing, step by step. Each step is also a program of its own; see its --help.

python run.py --out FOLDER [--steps tokenizer,check,train,further,export,evaluate,drafter] [--seconds 780] [--seed 1]

  tokenizer  trains the tokenizer and compares it with the one in data/tok
  check      looks at the generated conversations, the tokenizer and the published file; needs no GPU
  train      trains on one NVIDIA GPU for --seconds of wall clock
  further    trains the text model on, from FOLDER/first.gguf, with conversations of two pictures; needs LLAMA_LIB_DIR
  export     calibrates, quantises and writes FOLDER/pebble.gguf; needs LLAMA_LIB_DIR
  evaluate   asks the exported file, and writes FOLDER/evaluation/eval.json; needs LLAMA_LIB_DIR
  drafter    trains the drafter of FOLDER/pebble.gguf on one NVIDIA GPU, writes, checks and evaluates its file

A run stops at the first step that fails. Nothing outside FOLDER is written.
"""

import argparse
import filecmp
import os
import subprocess
import sys
from pathlib import Path

import config as C

HERE = Path(__file__).resolve().parent
STEPS = ["tokenizer", "check", "train", "further", "export", "evaluate", "drafter"]


def call(*words):
    """Runs a program of this folder."""
    words = [str(word) for word in words]
    print("$ python", *words, flush=True)
    code = subprocess.run([sys.executable, HERE / words[0], *words[1:]], cwd=HERE).returncode
    if code != 0:
        raise SystemExit(f"{words[0]} failed")


def tokenizer(a):
    made = a.out / "tok"
    call("tokenizer.py", "--out", made)
    names = sorted(path.name for path in C.TOKENIZER.iterdir())
    _, different, missing = filecmp.cmpfiles(made, C.TOKENIZER, names, shallow=False)
    if different or missing:
        raise SystemExit(
            f"{different + missing} differ from data/tok: another version of the tokenizers package? "
            f"To train with the new tokenizer, copy {made} to data/tok"
        )
    print("the tokenizer is the published one")


def check(a):
    call("check_text.py", "--count", 3)
    call("check_tokenizer.py")
    call("check_file.py")


def train(a):
    call("train.py", "--out", a.out / "weights", "--seconds", a.seconds, "--seed", a.seed)


def further(a):
    first = a.out / "first.gguf"
    call("export.py", a.out / "weights", first)
    options = ["--seconds", 400, "--lr", 4e-4, "--pairs", 0.5, "--seed", a.seed]
    call("train.py", "--init", first, *options, "--out", a.out / "further")


def export(a):
    call("export.py", a.out / "further", a.out / "pebble.gguf")
    call("check_file.py", a.out / "pebble.gguf")


def evaluate(a):
    call("evaluate.py", a.out / "pebble.gguf", a.out / "evaluation", "--n", 120, "--media", 130, "--pairs", 200)


def drafter(a):
    model, texts, out = a.out / "pebble.gguf", a.out / "texts.npz", a.out / "pebble-drafter.gguf"
    call("drafter_texts.py", texts, "--model", model)
    call("drafter.py", texts, "--model", model, "--out", a.out / "drafter", "--seed", a.seed)
    call("drafter_file.py", a.out / "drafter", out)
    call("check_drafter.py", out, "--model", model)
    call("drafter_evaluate.py", out, a.out / "drafter-eval.json", "--model", model)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", type=Path, required=True, help="folder for everything that is made")
    ap.add_argument(
        "--steps", default=",".join(STEPS), help="which steps, separated by commas (default: all)"
    )
    ap.add_argument("--seconds", type=float, default=780, help="of training")
    ap.add_argument("--seed", type=int, default=1, help="of training")
    a = ap.parse_args()
    steps = a.steps.split(",")
    unknown = [step for step in steps if step not in STEPS]
    if unknown:
        ap.error(f"there is no step {unknown[0]!r}; the steps are {', '.join(STEPS)}")
    if {"further", "export", "evaluate"} & set(steps) and not os.environ.get("LLAMA_LIB_DIR"):
        ap.error("LLAMA_LIB_DIR must name the folder that holds libllama.so, for further, export and evaluate")
    a.out = a.out.resolve()
    a.out.mkdir(parents=True, exist_ok=True)
    for step in (tokenizer, check, train, further, export, evaluate, drafter):
        if step.__name__ in steps:
            step(a)


if __name__ == "__main__":
    main()
