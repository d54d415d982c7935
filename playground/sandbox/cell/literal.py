"""A value as an exact text, so that what a cell bound can be compared with a report.

Two values have the same text where they hold the same numbers, bit for bit.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any

import torch
from torch.nn.parameter import is_lazy

MOST_ELEMENTS = 2_000
MOST_DEPTH = 8


class TooLongError(ValueError):
    """The value has more elements than are written."""


def literal(value: Any) -> str:
    """Write a value.

    Tuples and lists are written alike, and so are a tensor's numbers; a tensor's dtype and device
    go with it. Of anything else the class is named.

    Returns:
        The text; empty where the value is too long for it.

    >>> literal((1, 0.5, torch.ones(2)))
    '[1, 0.5, tensor(float32, cpu, [1.0, 1.0])]'
    """
    try:
        return _Writer().write(value, 0)
    except TooLongError:
        return ""


class _Writer:
    """Writes, and counts what it has written."""

    def __init__(self) -> None:
        self._left = MOST_ELEMENTS

    def write(self, value: Any, depth: int) -> str:
        self._take(1)
        if depth > MOST_DEPTH:
            raise TooLongError
        if isinstance(value, torch.Tensor):
            return self._tensor(value, depth)
        if isinstance(value, Enum):
            return self.write(value.value, depth)
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            self._take(len(value) // 100 if isinstance(value, str | bytes) else 0)
            return repr(value)
        if isinstance(value, torch.dtype | torch.device | type):
            name = value.__name__ if isinstance(value, type) else str(value)
            return repr(name.removeprefix("torch."))
        if isinstance(value, Mapping):
            items = [
                f"{self.write(key, depth + 1)}: {self.write(each, depth + 1)}"
                for key, each in value.items()
            ]
            return "{" + ", ".join(items) + "}"
        if isinstance(value, tuple | list):
            return "[" + ", ".join(self.write(each, depth + 1) for each in value) + "]"
        if isinstance(value, set | frozenset):
            return "{" + ", ".join(sorted(self.write(each, depth + 1) for each in value)) + "}"
        if hasattr(value, "tolist"):  # an array of NumPy
            self._take(int(getattr(value, "size", 0)))
            return self.write(value.tolist(), depth + 1)
        return f"<{type(value).__name__}>"

    def _tensor(self, value: torch.Tensor, depth: int) -> str:
        kind = str(value.dtype).removeprefix("torch.")
        if is_lazy(value):
            return f"tensor({kind}, uninitialized)"
        if value.is_meta:
            return f"tensor({kind}, meta, {tuple(value.shape)})"
        if value.numel() > self._left:
            raise TooLongError
        numbers = self.write(value.detach().tolist(), depth + 1)
        return f"tensor({kind}, {value.device}, {numbers})"

    def _take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise TooLongError
