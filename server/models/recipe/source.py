"""The random source of the text generators, the split into training and evaluation, and made-up words.

Answers may contain CH(...) spans, which are tokenised one character at a time (letter-level tasks). `heldout(key)` keeps
about 4 % of the arithmetic, word and fact prompts for evaluation.
"""

import random
import zlib

from facts import WORDS


def CH(s):
    return "\x01" + s + "\x02"


def heldout(*key):
    return zlib.crc32(repr(key).encode()) % 25 == 0


class Skip(Exception):
    pass


class G:
    """random source + the split that is being generated ('train' or 'eval')"""

    def __init__(self, seed, split="train"):
        self.r = random.Random(seed)
        self.split = split

    def split_ok(self, *key):
        return heldout(*key) == (self.split == "eval")

    def need(self, *key):
        if not self.split_ok(*key):
            raise Skip

    def c(self, xs):
        return self.r.choice(xs)


NUMW = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "x x twenty thirty forty fifty sixty seventy eighty ninety".split()


def words_of(n):
    if n < 20:
        return NUMW[n]
    if n < 100:
        return TENS[n // 10] + ("" if n % 10 == 0 else "-" + NUMW[n % 10])
    if n == 100:
        return "one hundred"
    return NUMW[n // 100] + " hundred" + ("" if n % 100 == 0 else " and " + words_of(n % 100))


SYL = "ba be bi bo bu ca co cu da de di do du fa fe fi fo ga ge go gu ha he hi ho ja jo ka ke ki ko la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo wa we wi za zo bra cra dro fli gra kri plo pra spa sta tri clo sh th ch".split()


def pseudo(r):
    w = "".join(r.choice(SYL) for _ in range(r.randint(1, 3)))
    return w + r.choice(["", "", "n", "r", "s", "t", "l", "m", "x", "y", "ck", "ng", "d"])


def rword(g, lo=2, hi=10):
    for _ in range(50):
        u = g.r.random()
        w = (
            g.c(WORDS)
            if u < 0.7
            else pseudo(g.r)
            if u < 0.93
            else "".join(g.c("abcdefghijklmnopqrstuvwxyz") for _ in range(g.r.randint(3, 7)))
        )
        if lo <= len(w) <= hi:
            return w
    return "cat"


def q(g, w):
    return g.c(['"%s"', "'%s'", "%s", '"%s"', "%s", "*%s*" if g.r.random() < 0.1 else "%s"]) % w


class Conv:
    def __init__(self, turns, system=None, think=False, tools=None, extra=None):
        self.turns, self.system, self.think, self.tools, self.extra = turns, system, think, tools, extra
