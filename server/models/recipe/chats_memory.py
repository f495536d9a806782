"""Conversations in which the model has to remember what was said."""

from facts import CATS, CITIES, FOODS, NAMES, PETS
from singles import filler
from source import Conv, pseudo, rword


def name(g):
    return g.c(NAMES) if g.r.random() < 0.8 else pseudo(g.r).capitalize()


def mem_items():
    return {
        "name": (
            [
                "My name is {}.",
                "I am {}.",
                "I'm {}.",
                "Call me {}.",
                "Hi, my name is {}.",
                "Hello, I am {}",
                "my name is {}",
                "You can call me {}.",
                "Hi, I'm {}!",
            ],
            ["Nice to meet you, {}!", "Hello {}! How can I help you?", "Hi {}, nice to meet you!"],
            [
                "What is my name?",
                "What's my name?",
                "Who am I?",
                "Do you remember my name?",
                "do you know my name",
                "Tell me my name.",
                "Can you remember my name?",
                "What did I say my name was?",
            ],
            ["Your name is {}."],
            ["You have not told me your name yet.", "I do not know your name yet. You can tell me."],
            lambda g: name(g),
        ),
        "colour": (
            [
                "My favourite colour is {}.",
                "My favorite color is {}.",
                "I like {} best of all colours.",
                "my favourite color is {}",
                "I love the colour {}.",
            ],
            ["{} is a nice colour! I will remember it.", "I will remember that your favourite colour is {}."],
            [
                "What is my favourite colour?",
                "What's my favorite color?",
                "Which colour do I like?",
                "Do you remember my favourite colour?",
                "What colour do I like best?",
            ],
            ["Your favourite colour is {}."],
            ["You have not told me your favourite colour yet."],
            lambda g: g.c(CATS["colours"]),
        ),
        "city": (
            [
                "I live in {}.",
                "My home is in {}.",
                "I am from {}.",
                "I come from {}.",
                "I live in {} with my family.",
                "i live in {}",
            ],
            ["{} sounds like a nice place!", "I will remember that you live in {}."],
            [
                "Where do I live?",
                "Where am I from?",
                "Which city do I live in?",
                "Do you remember where I live?",
                "What is my home town?",
            ],
            ["You live in {}."],
            ["You have not told me where you live yet."],
            lambda g: g.c(CITIES) if g.r.random() < 0.8 else pseudo(g.r).capitalize(),
        ),
        "pet": (
            ["I have a {}.", "My pet is a {}.", "I own a {}."],
            ["A {}! That sounds fun.", "I will remember that you have a {}."],
            ["What pet do I have?", "Which animal do I have?", "Do you remember my pet?", "What is my pet?"],
            ["You have a {}."],
            ["You have not told me about a pet yet."],
            lambda g: g.c(PETS),
        ),
        "age": (
            ["I am {} years old.", "I'm {} years old.", "My age is {}.", "i am {} years old"],
            ["{} is a good age! I will remember it.", "I will remember that you are {} years old."],
            ["How old am I?", "What is my age?", "Do you remember my age?", "Do you know how old I am?"],
            ["You are {} years old."],
            ["You have not told me your age yet."],
            lambda g: str(g.r.randint(3, 99)),
        ),
        "food": (
            ["My favourite food is {}.", "My favorite food is {}.", "I love to eat {}.", "I like {} most."],
            ["{} sounds tasty! I will remember it.", "I will remember that you like {}."],
            [
                "What is my favourite food?",
                "What's my favorite food?",
                "What do I like to eat?",
                "Which food do I like?",
            ],
            ["Your favourite food is {}."],
            ["You have not told me your favourite food yet."],
            lambda g: g.c(FOODS),
        ),
        "number": (
            [
                "My lucky number is {}.",
                "Remember the number {}.",
                "Please remember {}.",
                "The secret number is {}.",
            ],
            ["I will remember {}.", "Ok, {}. I will remember it."],
            [
                "What is my lucky number?",
                "Which number did I tell you?",
                "What was the number?",
                "Do you remember the number?",
                "What is the secret number?",
            ],
            ["The number is {}."],
            ["You have not told me a number yet."],
            lambda g: str(g.r.randint(0, 999)),
        ),
        "word": (
            [
                "Remember the word {}.",
                "Please remember this word: {}.",
                "The secret word is {}.",
                "The password is {}.",
            ],
            ["I will remember the word {}.", "Ok, I will remember {}."],
            [
                "What was the word?",
                "Which word did I tell you?",
                "What is the secret word?",
                "Do you remember the word?",
                "What word should you remember?",
            ],
            ["The word is {}."],
            ["You have not told me a word yet."],
            lambda g: rword(g, 3, 8),
        ),
    }


MEM = mem_items()


def cap(s):
    return s[0].upper() + s[1:]


def conv_memory(g):
    ks = g.r.sample(sorted(MEM), g.r.randint(1, 3))
    turns = []
    told = {}
    if g.r.random() < 0.15:
        k = ks[0]
        turns += filler(g, g.r.randint(0, 1))
        turns.append((g.c(MEM[k][2]), g.c(MEM[k][4]), "The user did not tell me this."))
        return Conv(turns)
    if len(ks) == 2 and g.r.random() < 0.3:
        a, b = ks
        va, vb = MEM[a][5](g), MEM[b][5](g)
        told = {a: va, b: vb}
        turns.append(
            (
                g.c(MEM[a][0]).format(va).rstrip(".!")
                + g.c([" and ", ". ", ", and "])
                + g.c(MEM[b][0]).format(vb),
                cap(g.c(MEM[g.c([a, b])][1]).format("%s")),
                "I remember this.",
            )
        )
        u, an, t = turns[-1]
        src = a if any(an == cap(x.format("%s")) for x in MEM[a][1]) else b
        turns[-1] = (u, cap(an % told[src]), t)
    else:
        for k in ks:
            v = MEM[k][5](g)
            told[k] = v
            turns.append((g.c(MEM[k][0]).format(v), cap(g.c(MEM[k][1]).format(v)), "I remember this."))
            turns += filler(g, g.c([0, 0, 0, 1]))
    turns += filler(g, g.c([0, 0, 1, 1, 2]))
    n_tell = len(turns)
    order = g.r.sample(sorted(told), g.r.randint(1, len(told)))
    for k in order:
        turns.append((g.c(MEM[k][2]), g.c(MEM[k][3]).format(told[k]), f"The user said: {told[k]}."))
    if g.r.random() < 0.12:
        k = g.c([x for x in sorted(MEM) if x not in told])
        turns.append((g.c(MEM[k][2]), g.c(MEM[k][4]), "The user did not tell me this."))
    c = Conv(turns)
    c.check = (n_tell, told)
    return c
