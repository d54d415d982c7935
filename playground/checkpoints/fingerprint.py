"""One short text for a whole table of tensors, equal where the tables are; knows no torch."""

import hashlib
import json
from collections.abc import Iterable
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
Described: TypeAlias = tuple[Path, str, tuple[int, ...]]  # where, dtype, shape


def in_order(tensors: Iterable[Described]) -> list[str]:
    """Each tensor as one line, in an order that does not depend on the reader.

    >>> in_order([(("b",), "int8", ()), (("a", 0), "float32", (2, 3))])
    ['[["a", 0], "float32", [2, 3]]', '[["b"], "int8", []]']
    """
    return sorted(map(line, tensors))


def line(tensor: Described) -> str:
    """A tensor as one line of JSON, whatever characters are in its keys."""
    return json.dumps(tensor)


def fingerprint(lines: Iterable[str]) -> str:
    """The hash of a whole table; a key, a dtype or a size more or less changes it."""
    return hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()
