"""Builds a small Gemma-style BPE tokenizer: tokenizer.json, tokenizer_config.json, generation_config.json.

Layout mirrors the released Gemma 4 tokenizer: the same special tokens at the same low ids
(0..4, 46..52, 98, 100, 101, 105, 106), newline runs and '▁' runs as ordinary (non-added) BPE
pieces reachable through merges, 256 byte pieces `<0xNN>`, learned pieces, and the multimodal
markers at the end of the vocabulary.  No prefix space, ' ' -> '▁', byte fallback, fuse_unk.
"""

import io
import json
import os

N_NEWLINE, N_SPACE = 8, 16
LOW = {
    0: "<pad>",
    1: "<eos>",
    2: "<bos>",
    3: "<unk>",
    4: "<mask>",
    46: "<|tool>",
    47: "<tool|>",
    48: "<|tool_call>",
    49: "<tool_call|>",
    50: "<|tool_response>",
    51: "<tool_response|>",
    52: '<|"|>',
    98: "<|think|>",
    100: "<|channel>",
    101: "<channel|>",
    105: "<|turn>",
    106: "<turn|>",
}
TAIL = ["<|image>", "<|audio>", "<|image|>", "<|audio|>", "<image|>", "<audio|>", "<|video|>"]
TOOL_TOKENS = {
    "std_token": "<|tool>",
    "etd_token": "<tool|>",
    "stc_token": "<|tool_call>",
    "etc_token": "<tool_call|>",
    "str_token": "<|tool_response>",
    "etr_token": "<tool_response|>",
    "escape_token": '<|"|>',
    "soc_token": "<|channel>",
    "eoc_token": "<channel|>",
}


def build(out_dir, vocab_size, text):
    """Learns the pieces from `text` and writes the three files."""
    from tokenizers import Tokenizer, Regex, models, normalizers, pre_tokenizers, trainers

    os.makedirs(out_dir, exist_ok=True)
    runs_nl = ["\n" * k for k in range(1, N_NEWLINE + 1)]
    runs_sp = ["▁" * k for k in range(2, N_SPACE + 1)]
    bytes_ = [f"<0x{b:02X}>" for b in range(256)]
    n_learn = vocab_size - 107 - len(runs_nl) - len(runs_sp) - 256 - len(TAIL)

    # --- learn pieces; never across newlines, never across the start of a '▁', digits alone
    t = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    t.normalizer = normalizers.Replace(" ", "▁")
    t.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex("\n+"), "isolated"),
            pre_tokenizers.Split(Regex("▁+(?=▁)"), "isolated"),
            pre_tokenizers.Split("▁", "merged_with_next"),
            pre_tokenizers.Punctuation("isolated"),
            pre_tokenizers.Digits(individual_digits=True),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=n_learn + 200,
        special_tokens=[],
        limit_alphabet=150,
        show_progress=False,
        max_token_length=16,
    )
    t.train_from_iterator(io.StringIO(text), trainer)
    raw = json.loads(t.to_str())["model"]
    by_id = [p for p, _ in sorted(raw["vocab"].items(), key=lambda kv: kv[1])]
    merges_raw = [tuple(m) if isinstance(m, list) else tuple(m.split(" ")) for m in raw["merges"]]
    known = set(runs_nl) | set(runs_sp) | {"▁"}
    alphabet = [p for p in by_id if len(p) == 1 and p not in known]
    keep, merges, have = ["▁"] + alphabet, [], set(alphabet) | known
    for a, b in merges_raw:
        if len(keep) >= n_learn:
            break
        p = a + b
        if "\n" in p or a not in have or b not in have or p in have:
            continue
        keep.append(p)
        have.add(p)
        merges.append((a, b))
    assert len(keep) == n_learn, (len(keep), n_learn)
    run_merges = []
    for ch, n in (("\n", N_NEWLINE), ("▁", N_SPACE)):
        for k in range(2, n + 1):
            run_merges += [(ch * i, ch * (k - i)) for i in range(1, k)]
    merges = run_merges + merges

    vocab = {}

    def put(piece):
        assert piece not in vocab, piece
        vocab[piece] = len(vocab)

    for i in range(107):
        put(LOW.get(i, f"<unused{i}>"))
    for p in runs_nl + runs_sp + bytes_ + keep + TAIL:
        put(p)
    assert len(vocab) == vocab_size

    special = [p for p in list(LOW.values()) if p != '<|"|>'] + TAIL
    added = [
        {
            "id": vocab[p],
            "content": p,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for p in special
    ]
    added.append(
        {
            "id": vocab['<|"|>'],
            "content": '<|"|>',
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
    )
    added.sort(key=lambda a: a["id"])
    tok = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"String": " "},
            "behavior": "MergedWithPrevious",
            "invert": False,
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<bos>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
            ],
            "pair": [
                {"SpecialToken": {"id": "<bos>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "<bos>", "type_id": 1}},
                {"Sequence": {"id": "B", "type_id": 1}},
            ],
            "special_tokens": {"<bos>": {"id": "<bos>", "ids": [2], "tokens": ["<bos>"]}},
        },
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
            ],
        },
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": "<unk>",
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": vocab,
            "merges": [list(m) for m in merges],
        },
    }
    json.dump(tok, open(os.path.join(out_dir, "tokenizer.json"), "w"), ensure_ascii=False)
    cfg = {
        "tokenizer_class": "GemmaTokenizer",
        "bos_token": "<bos>",
        "eos_token": "<eos>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "mask_token": "<mask>",
        "add_bos_token": True,
        "add_eos_token": False,
        "clean_up_tokenization_spaces": False,
        "model_max_length": 1000000000,
        "image_token": "<|image|>",
        "boi_token": "<|image>",
        "eoi_token": "<image|>",
        "audio_token": "<|audio|>",
        "boa_token": "<|audio>",
        "eoa_token": "<audio|>",
        "sot_token": "<|turn>",
        "eot_token": "<turn|>",
        "think_token": "<|think|>",
        **TOOL_TOKENS,
        "extra_special_tokens": {
            "image_token": "<|image|>",
            "boi_token": "<|image>",
            "eoi_token": "<image|>",
            "audio_token": "<|audio|>",
            "boa_token": "<|audio>",
            "eoa_token": "<audio|>",
            "video_token": "<|video|>",
            **TOOL_TOKENS,
        },
    }
    json.dump(cfg, open(os.path.join(out_dir, "tokenizer_config.json"), "w"), ensure_ascii=False, indent=1)
    json.dump(
        {
            "bos_token_id": 2,
            "eos_token_id": [1, 106, 50],
            "pad_token_id": 0,
            "do_sample": True,
            "temperature": 1.0,
            "top_k": 64,
            "top_p": 0.95,
        },
        open(os.path.join(out_dir, "generation_config.json"), "w"),
        indent=1,
    )
    return tok


def ollama_kv(tok_dir):
    """tokenizer.ggml.* as Ollama's converter writes them (parseVocabularyFromTokenizer)."""
    tok = json.load(open(os.path.join(tok_dir, "tokenizer.json")))
    cfg = json.load(open(os.path.join(tok_dir, "tokenizer_config.json")))
    gen = json.load(open(os.path.join(tok_dir, "generation_config.json")))
    by_id = {i: (p, 1) for p, i in tok["model"]["vocab"].items()}
    for a in tok["added_tokens"]:
        by_id[a["id"]] = (a["content"], 3 if a["special"] else 4)
    ids = sorted(by_id)
    kv = {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.pre": "gemma4",
        "tokenizer.ggml.tokens": [by_id[i][0] for i in ids],
        "tokenizer.ggml.scores": [float(i) for i in ids],
        "tokenizer.ggml.token_type": [by_id[i][1] for i in ids],
        "tokenizer.ggml.merges": [" ".join(m) for m in tok["model"]["merges"]],
    }
    added = {a["content"]: a["id"] for a in tok["added_tokens"]}
    for st, key in (("bos", "bos"), ("eos", "eos"), ("unk", "unknown"), ("pad", "padding"), ("mask", "mask")):
        if f"add_{st}_token" in cfg:
            kv[f"tokenizer.ggml.add_{key}_token"] = bool(cfg[f"add_{st}_token"])
        if cfg.get(f"{st}_token") in added:
            kv[f"tokenizer.ggml.{key}_token_id"] = added[cfg[f"{st}_token"]]
            v = gen.get(f"{st}_token_id")
            if isinstance(v, list):
                kv[f"tokenizer.ggml.{key}_token_ids"] = v
    return kv
