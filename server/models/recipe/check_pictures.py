"""Draws 24 scenes twice, in two sizes, on one sheet, and prints a question and its answer for each.

python check_pictures.py OUT.png [--seed 3]
"""

import argparse
import random


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("out", help="picture to write")
    ap.add_argument("--seed", type=int, default=3)
    a = ap.parse_args()

    import torch
    from PIL import Image

    import digits
    import media
    import media_questions
    from train import spec_tensors

    r = random.Random(a.seed)
    generator = torch.Generator().manual_seed(a.seed)
    scenes = [media_questions.scene(r) for _ in range(24)]
    specs = spec_tensors(scenes, "cpu")
    atlas = digits.load()
    sheet = Image.new("RGB", (1600, 1200))
    tiles = []
    for height, width in ((336, 528), (240, 240)):
        images = media.render_images(specs, height, width, atlas, generator)
        images = (images * 255).byte().permute(0, 2, 3, 1).numpy()
        tiles += [Image.fromarray(image).resize((200, 200)) for image in images]
    for k, tile in enumerate(tiles):
        sheet.paste(tile, (k % 8 * 200, k // 8 * 200))
    sheet.save(a.out)
    for k, scene in enumerate(scenes):
        print(k, *media_questions.image_qa(r, scene, "describe")[:2])


if __name__ == "__main__":
    main()
