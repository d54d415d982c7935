"""One short text for a whole table of tensors, equal where the tables are; knows no torch."""

import hashlib
from collections.abc import Iterable
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
Described: TypeAlias = tuple[Path, str, tuple[int, ...]]  # where, dtype, shape


def lines_of(tensors: Iterable[Described]) -> list[str]:
    """Each tensor in 64 characters, however long its keys are: a file may make them very long.

    Each key is hashed once, and what leads to a dict is, not once for each tensor in it.

    >>> [len(line) for line in lines_of([((), "int8", ()), (("k" * 200, 0), "int8", ())])]
    [64, 64]
    """
    keys: dict[str, str] = {}
    digests: dict[Path, bytes] = {(): bytes(32)}

    def step_of(path: Path) -> str:
        if not path:
            return "whole"
        key = path[-1]
        if isinstance(key, int):
            return str(key)
        if key not in keys:
            keys[key] = "k" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        return keys[key]

    def digest_of(path: Path) -> bytes:
        if path not in digests:
            before = digest_of(path[:-1])
            digests[path] = hashlib.sha256(before + step_of(path).encode("ascii")).digest()
        return digests[path]

    return [
        hashlib.sha256(
            digest_of(path[:-1]) + f"{step_of(path)} {dtype} {shape}".encode("ascii")
        ).hexdigest()
        for path, dtype, shape in tensors
    ]


def fingerprint(lines: Iterable[str]) -> str:
    """The hash of a whole table; a key, a dtype or a size more or less changes it.

    Args:
        lines: Of all its tensors, sorted: then their order in the file does not matter.
    """
    return hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()
