"""Makes text from a stranger harmless to show: no terminal colours, no control characters.

The one list of characters that a terminal or a browser obeys instead of showing them; whoever shows
a stranger's text takes it from here.
"""

import re

OBEYED = (  # inside a character class: controls but tab and new line, lone surrogates, what breaks
    "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"  # lines unseen, what turns text around
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
)
ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
NEW_LINE = re.compile(r"\r\n?")
UNWANTED = re.compile(f"[{OBEYED}]")
REPLACEMENT = "\ufffd"


def clean(text: str) -> str:
    r"""A text as it may be shown.

    >>> clean("\x1b[31mred\x1b[0m\r\nnext\x00")
    'red\nnext�'
    """
    plain = NEW_LINE.sub("\n", ESCAPE.sub("", text))
    return UNWANTED.sub(REPLACEMENT, plain)


def cut(text: str, most: int) -> str:
    """The beginning of a text; an ellipsis says that there was more.

    >>> cut("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"
