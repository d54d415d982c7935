"""Cells that cost the check most: of everything as much as 8,000 characters hold."""

import random
import string

_CHANCE = random.Random(1)


def word(letters: int) -> str:
    return "".join(_CHANCE.choices(string.ascii_lowercase, k=letters))


def lines(form: str, letters: int) -> str:
    """As many lines as a cell holds, each with a word that nobody knows."""
    return "\n".join(form.format(word(letters)) for _ in range(8_000 // (len(form) + letters - 1)))


WORST_CELLS = {
    "unknown attributes": lines("x.{}", 6),
    "unknown members": lines("torch.{}", 6),
    "unknown layers": "from torch import nn\n" + lines("nn.{}", 6),
    "unknown imports": lines("import {}", 5),
    "unknown names from torch": lines("from torch import {}", 5),
    "many unknown names from torch": "from torch import "
    + ", ".join(word(5) for _ in range(1_100)),
    "unknown keywords": lines("torch.ones({}=1)", 5),
    "unknown names": lines("{}", 6),
    "decorators": "@a\n" * 2_000 + "def f(): pass",
    "globals": lines("global {}", 6),
    "a chain of attributes": "x" + ".b" * 3_900,
    "a chain of calls": "f" + "()" * 3_900,
    "brackets": "[" * 8_000,
    "brackets in turn": "[(" * 95 + ")]" * 95,
    "signs": "-" * 7_999 + "1",
    "sums": "1+" * 3_999 + "1",
    "comparisons": "1<" * 2_900 + "1",
    "lambdas": "lambda:" * 1_100 + "1",
    "blocks in blocks": "\n".join(" " * depth + "if 1:" for depth in range(98)),
    "texts": "'a'\n" * 2_000,
    "texts with values": "f'{x}'\n" * 1_100,
    "statements": "1;" * 3_999,
    "a long number": "9" * 8_000,
    "a long word": "a" * 7_998 + " a",
    "numbers": "\n".join("9" * 300 for _ in range(26)),
    "quotes": "'\"" * 4_000,
    "question marks": "a?" * 4_000,
    "one line of spaces": " " * 7_999 + "!",
    "letters of Chinese": "变量=1\n" * 1_600,
    "letters that turn": "\u202e" * 8_000,
    "new lines": "\n" * 8_000,
    "continued lines": "\\\n" * 4_000,
    "comprehensions": "[x " + "for x in x " * 700 + "]",
    "a dict": "{" + "1:1," * 1_999 + "}",
    "methods": "class A:\n" + lines(" def {}(self): pass", 6),
}
