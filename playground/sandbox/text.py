"""Makes untrusted text safe to show: no terminal colours, no control characters.

``OBEYED`` is the one list of characters that a terminal or a browser obeys instead of showing them;
all code that shows untrusted text takes it from here.
"""

import re

OBEYED = (  # inside a character class: controls but tab and new line, lone surrogates, what breaks
    "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"  # lines unseen, what turns text around
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
)
ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
UNWANTED = re.compile(f"[{OBEYED}]")
REPLACEMENT = "\ufffd"


def clean(text: str) -> str:
    r"""Remove escape sequences, overwrite after a carriage return, replace control characters.

    >>> clean("\x1b[31mstep 1\x1b[0m\rstep 2\r\nnext\x00")
    'step 2\nnext�'
    """
    plain = ESCAPE.sub("", text)
    if "\r" in plain:
        plain = "\n".join(map(_overwritten, plain.split("\n")))
    return UNWANTED.sub(REPLACEMENT, plain)


def _overwritten(line: str) -> str:
    r"""Return a line as a terminal shows it, where ``\r`` moves to its beginning.

    >>> _overwritten("10 of 10\rdone")
    'donef 10'
    """
    shown = ""
    for piece in reversed(line.split("\r")):  # the last one lies on top
        shown += piece[len(shown) :]
    return shown


def cut(text: str, max_characters: int) -> str:
    """Cut a text to a length; an ellipsis marks the cut.

    >>> cut("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= max_characters else text[: max_characters - 1] + "…"
