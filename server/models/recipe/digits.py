"""Draws the digits 0 to 9 of font files into a small atlas: uint8 [fonts, 10, 64, 64].

python digits.py OUT.npz FONT.ttf...
"""

import argparse
import os

import numpy as np

import config as C


def draw(path, d, S=64):
    from PIL import Image, ImageDraw, ImageFont

    f = ImageFont.truetype(path, 160)
    l, t, r, b = f.getbbox(d)
    w, h = r - l, b - t
    im = Image.new("L", (w + 8, h + 8))
    ImageDraw.Draw(im).text((4 - l, 4 - t), d, fill=255, font=f)
    s = (S - 6) / max(im.size)
    im = im.resize((max(1, round(im.width * s)), max(1, round(im.height * s))), Image.LANCZOS)
    o = Image.new("L", (S, S))
    o.paste(im, ((S - im.width) // 2, (S - im.height) // 2))
    return np.array(o)


def load(device="cpu"):
    """The atlas that is part of the recipe, as a tensor."""
    import torch

    return torch.tensor(np.load(C.GLYPHS)["glyphs"], device=device)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("out", help="atlas to write (.npz)")
    ap.add_argument("fonts", nargs="+", help="font files")
    a = ap.parse_args()
    atlas = []
    for path in a.fonts:
        try:
            atlas.append(np.stack([draw(path, str(d)) for d in range(10)]))
        except OSError as error:
            print(f"left out {path}: {error}")
    if not atlas:
        ap.error("none of the fonts could be read")
    np.savez_compressed(a.out, glyphs=np.stack(atlas))
    print(f"{a.out}: {len(atlas)} fonts, {os.path.getsize(a.out)} bytes")


if __name__ == "__main__":
    main()
