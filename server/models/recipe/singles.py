"""Single turns of every skill, as often as the training wants them."""

from skills_answers import g_fact, g_format, g_persona, g_small, g_unknown
from skills_numbers import g_arith, g_compare, g_numfun
from skills_words import g_seq, g_sort, g_word
from source import Skip


SINGLE = {
    "arith": (g_arith, 5.0),
    "compare": (g_compare, 0.8),
    "numfun": (g_numfun, 1.0),
    "word": (g_word, 4.2),
    "sort": (g_sort, 2.2),
    "seq": (g_seq, 1.3),
    "fact": (g_fact, 3.0),
    "format": (g_format, 1.8),
    "persona": (g_persona, 3.2),
    "small": (g_small, 0.8),
    "unknown": (g_unknown, 1.3),
}
KEYS = list(SINGLE)
WEIGHTS = [SINGLE[k][1] for k in KEYS]


def one(g, kind=None):
    while True:
        k = kind or g.r.choices(KEYS, WEIGHTS)[0]
        try:
            return SINGLE[k][0](g)
        except Skip:
            continue


def filler(g, n):
    return [one(g, g.c(["arith", "fact", "small", "word", "seq", "persona"])) for _ in range(n)]
