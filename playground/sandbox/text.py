"""Makes text from a stranger harmless to show: no terminal colours, no control characters."""

import re

ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)", re.DOTALL)
NEW_LINE = re.compile(r"\r\n?")
UNWANTED = (
    re.compile(  # controls but tab and new line, lone surrogates, marks that turn text around
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufeff]"
    )
)
REPLACEMENT = "\ufffd"


def clean(text: str) -> str:
    r"""A text as it may be shown.

    >>> clean("\x1b[31mred\x1b[0m\r\nnext\x00")
    'red\nnext�'
    """
    plain = NEW_LINE.sub("\n", ANSI.sub("", text))
    return UNWANTED.sub(REPLACEMENT, plain)


def cut(text: str, most: int) -> str:
    """The beginning of a text; an ellipsis says that there was more.

    >>> cut("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"
