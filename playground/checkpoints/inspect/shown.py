"""Text out of a stranger's file, made fit to be shown: short, and without control characters."""

import re

from playground.checkpoints.inspect import caps
from playground.sandbox.text import OBEYED

_UNFIT = re.compile(f"[\t\n{OBEYED}]")  # what a file names has one line
_ESCAPES = {
    ord(letter): f"\\x{ord(letter):02x}" if letter < "\x80" else ascii(letter)[1:-1]
    for letter in _UNFIT.findall("".join(map(chr, range(2**16))))
}


def shown(text: str) -> str:
    r"""Cut a text at 200 characters and write what is no character as an escape.

    >>> shown("layer.weight"), shown("a\x1b[31m"), len(shown("x" * 1000))
    ('layer.weight', 'a\\x1b[31m', 200)
    """
    cut = text if len(text) <= caps.TEXT else text[: caps.TEXT - 1] + "…"
    escaped = cut.translate(_ESCAPES) if _UNFIT.search(cut) else cut
    return escaped if len(escaped) <= caps.TEXT else escaped[: caps.TEXT - 1] + "…"


def dotted(path: tuple[str | int, ...]) -> str:
    """A path of keys and places with dots between them, fit to be shown.

    >>> dotted(("model", "0.weight")), dotted(("layers", 2))
    ('model.0.weight', 'layers.2')
    """
    return shown(".".join(str(step)[: caps.TEXT + 1] for step in path))
