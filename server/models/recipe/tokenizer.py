"""Trains the tokenizer on generated texts, and encodes rendered conversations with it.

python tokenizer.py [--out FOLDER] [--seed 3]

The same seed gives the same files, byte by byte (with the versions in requirements.txt).
"""

import argparse
import re

import config as C


def build(out, seed=3):
    """Writes tokenizer.json and its two companions to the folder `out`."""
    import tokenizer_file as TT
    import conversations as T
    import source
    import media_questions as M

    g = source.G(seed)
    parts = []
    for i in range(60000):
        for s, _ in T.render(T.conversation(g)):
            s = re.sub("\x01.*?\x02", " ", s, flags=re.S)
            parts.append(re.sub(r"<\|?[a-z_]*\|?>|<\|\"\|>", "\n", s))
    for i in range(6000):
        s = M.scene(g.r)
        q, a, t, _ = M.image_qa(g.r, s)
        parts += [q, a, t]
        q, a, t, _ = M.audio_qa(g.r, M.spoken(g.r))
        parts += [q, a, t]
    parts.append(
        "".join(chr(i) for i in range(32, 127)) * 40 + "äöüÄÖÜßéèáíóúñçàêôœæøåśćžłığş€£°×÷…–—’“”‘•→✓" * 40
    )
    TT.build(out, C.VOCAB, "\n".join(parts))


class Enc:
    """Token ids of rendered conversations. Letter-level spans (\\x01…\\x02) become one token a character."""

    def __init__(s):
        from tokenizers import Tokenizer

        s.t = Tokenizer.from_file(str(C.TOKENIZER / "tokenizer.json"))
        s.v = s.t.get_vocab()
        s.cache = {}

    def text(s, x):
        r = s.cache.get(x)
        if r is None:
            r = s.t.encode(x, add_special_tokens=False).ids
            if len(s.cache) < 200000:
                s.cache[x] = r
        return r

    def seg(s, x, media=None):
        """Ids of a text; `media` are the ids that stand in for \\x03."""
        out = []
        for ch in re.split("(\x01[^\x02]*\x02|\x03)", x):
            if not ch:
                continue
            if ch == "\x03":
                out += media
            elif ch[0] == "\x01":
                out += [s.v["▁" if c == " " else c] for c in ch[1:-1]]
            else:
                out += s.text(ch)
        return out

    def conv(s, segs, media=None):
        ids, mask = [], []
        for x, t in segs:
            k = s.seg(x, media)
            ids += k
            mask += [t] * len(k)
        return ids, mask


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", default=str(C.TOKENIZER), help="folder to write to (default: the recipe's own)")
    ap.add_argument("--seed", type=int, default=3)
    a = ap.parse_args()
    build(a.out, a.seed)
    print(f"tokenizer of {C.VOCAB} pieces in {a.out}")


if __name__ == "__main__":
    main()
