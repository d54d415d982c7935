"""Text out of a stranger's file, made fit to be shown: short, and without control characters."""

import re

from playground.checkpoints.inspect import caps
from playground.sandbox.text import OBEYED

_UNFIT = re.compile(f"[\t\n{OBEYED}]")  # what a file names has one line


def shown(text: str) -> str:
    r"""Cut a text at 200 characters and write what is no character as an escape.

    >>> shown("layer.weight"), shown("a\x1b[31m"), len(shown("x" * 1000))
    ('layer.weight', 'a\\x1b[31m', 200)
    """
    cut = text if len(text) <= caps.TEXT else text[: caps.TEXT - 1] + "…"
    escaped = _UNFIT.sub(_escape, cut)
    return escaped if len(escaped) <= caps.TEXT else escaped[: caps.TEXT - 1] + "…"


def dotted(path: tuple[str | int, ...]) -> str:
    """A path of keys and places with dots between them, fit to be shown.

    >>> dotted(("model", "0.weight")), dotted(("layers", 2))
    ('model.0.weight', 'layers.2')
    """
    return shown(".".join(str(step)[: caps.TEXT + 1] for step in path))


def _escape(found: re.Match[str]) -> str:
    return (
        found[0].encode("ascii", "backslashreplace").decode("ascii")
        if found[0] > "\x7f"
        else (f"\\x{ord(found[0]):02x}")
    )
