"""Values as text: as a notebook displays them, and as an exact literal.

Two values have the same literal if they hold the same numbers, bit for bit, so that what a cell
bound can be compared with the answer of a step.
"""

import itertools
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from playground.sandbox.text import cut

MAX_CHARACTERS = 20_000
CONTAINERS: dict[type, Sequence[str]] = {
    list: "[]",
    tuple: "()",
    set: "{}",
    frozenset: ("frozenset({", "})"),
}
MAX_LITERAL_ELEMENTS = 2_000
MAX_LITERAL_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Displayed:
    """The text of a value.

    Attributes:
        total: Its number of elements if not all are shown, else None.
    """

    text: str
    total: int | None = None


def display(value: Any, max_elements: int) -> Displayed | None:
    """Format a value as a notebook does below a cell.

    Returns:
        None for None, and for what matplotlib returns: the figure shows it.

    Args:
        value: The last expression's.
        max_elements: How many elements of a container are shown. A larger tensor is shown by its
            edges, as torch does.

    Raises:
        BaseException: Whatever the ``repr`` of a student's own class raises.

    >>> display([1, "two"], 1_000)
    Displayed(text="[1, 'two']", total=None)
    >>> display(list(range(9)), 3)
    Displayed(text='[0, 1, 2, …]', total=9)
    """
    if value is None or _is_plot(value):
        return None
    kind = type(value)
    if isinstance(value, torch.Tensor):
        text = repr(value)
        total = int(value.numel()) if _is_sized(value) else 0
        return Displayed(cut(text, MAX_CHARACTERS), total if total > max_elements else None)
    if kind is str:
        return Displayed(cut(repr(value[:MAX_CHARACTERS]), MAX_CHARACTERS))
    if (kind in CONTAINERS or kind is dict) and len(value) > max_elements:
        return Displayed(cut(_beginning(value, max_elements), MAX_CHARACTERS), len(value))
    text = repr(value)
    total = len(value) if isinstance(value, Sized) and len(text) > MAX_CHARACTERS else 0
    return Displayed(cut(text, MAX_CHARACTERS), total or None)


def _is_plot(value: Any) -> bool:
    """Return whether a value is of matplotlib, or a list or tuple that begins with such a one."""
    while type(value) in (list, tuple) and value:
        value = value[0]
    return type(value).__module__.partition(".")[0] in ("matplotlib", "mpl_toolkits")


def _beginning(value: Any, max_elements: int) -> str:
    if isinstance(value, dict):
        items = [
            f"{key!r}: {each!r}" for key, each in itertools.islice(value.items(), max_elements)
        ]
        return "{" + ", ".join(items) + ", …}"
    start, end = CONTAINERS[type(value)]
    return start + ", ".join(map(repr, itertools.islice(value, max_elements))) + ", …" + end


def _is_sized(tensor: torch.Tensor) -> bool:
    return not is_lazy(tensor)


class TooLongError(ValueError):
    """The value has too many elements."""


def literal_repr(value: Any) -> str:
    """Write a value as an exact literal.

    Tuples and lists are written alike, and so are a tensor's numbers; a tensor's dtype and device
    go with it. Of anything else the class is named.

    Returns:
        The text; empty if the value is too long.

    >>> literal_repr((1, 0.5, torch.ones(2)))
    '[1, 0.5, tensor(float32, cpu, [1.0, 1.0])]'
    """
    try:
        return _Writer().write(value, 0)
    except TooLongError:
        return ""


class _Writer:
    """Writes values and counts their elements."""

    def __init__(self) -> None:
        self._left = MAX_LITERAL_ELEMENTS

    def write(self, value: Any, depth: int) -> str:
        self._take(1)
        if depth > MAX_LITERAL_DEPTH:
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
