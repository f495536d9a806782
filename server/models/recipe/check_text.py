"""Prints generated conversations, to see what the model is trained on. What it learns to say is in [[ ]].

python check_text.py [--count 25] [--seed 1]
"""

import argparse
import time

import conversations
import source


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--count", type=int, default=25, help="conversations to print")
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    g = source.G(a.seed)
    started = time.time()
    rendered = [conversations.render(conversations.conversation(g)) for _ in range(max(a.count, 1000))]
    for segments in rendered[: a.count]:
        text = "".join(f"[[{text}]]" if learnt else text for text, learnt in segments)
        print(text.replace("\x01", "").replace("\x02", "") + "\n" + "=" * 20)
    print(f"{len(rendered) / (time.time() - started):.0f} conversations a second")


if __name__ == "__main__":
    main()
