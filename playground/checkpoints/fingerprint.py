"""One short text for a whole table of tensors, equal where the tables are; knows no torch."""

import hashlib
import json
from collections.abc import Iterable
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
Described: TypeAlias = tuple[Path, str, tuple[int, ...]]  # where, dtype, shape


def line(tensor: Described) -> str:
    """A tensor in 64 characters, however long its keys are: a file may make them very long.

    >>> len(line((("k" * 1000,), "int8", ())))
    64
    """
    return hashlib.sha256(json.dumps(tensor).encode("ascii")).hexdigest()


def fingerprint(lines: Iterable[str]) -> str:
    """The hash of a whole table; a key, a dtype or a size more or less changes it.

    Args:
        lines: Of all its tensors, sorted: then their order in the file does not matter.
    """
    return hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()
