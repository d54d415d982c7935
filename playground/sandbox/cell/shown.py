"""A value as a notebook shows it, cut where it is long."""

import itertools
from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from playground.sandbox.text import cut

MOST_LETTERS = 20_000
CONTAINERS: dict[type, Sequence[str]] = {
    list: "[]",
    tuple: "()",
    set: "{}",
    frozenset: ("frozenset({", "})"),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A text for a value.

    Attributes:
        total: How many elements it has, where not all of them are shown; else None.
    """

    text: str
    total: int | None = None


def show(value: Any, most: int) -> Shown | None:
    """What a notebook writes below a cell; nothing for None.

    Args:
        value: The last expression's.
        most: How many elements of a container are shown. A larger tensor is shown by its edges,
            as torch does.

    Raises:
        BaseException: What the ``repr`` of a student's own class raises.

    >>> show([1, "two"], 1_000)
    Shown(text="[1, 'two']", total=None)
    >>> show(list(range(9)), 3)
    Shown(text='[0, 1, 2, …]', total=9)
    """
    if value is None:
        return None
    kind = type(value)
    if isinstance(value, torch.Tensor):
        text = repr(value)
        total = int(value.numel()) if _is_sized(value) else 0
        return Shown(cut(text, MOST_LETTERS), total if total > most else None)
    if kind is str:
        return Shown(cut(repr(value[:MOST_LETTERS]), MOST_LETTERS))
    if (kind in CONTAINERS or kind is dict) and len(value) > most:
        return Shown(cut(_beginning(value, most), MOST_LETTERS), len(value))
    text = repr(value)
    total = len(value) if isinstance(value, Sized) and len(text) > MOST_LETTERS else 0
    return Shown(cut(text, MOST_LETTERS), total or None)


def _beginning(value: Any, most: int) -> str:
    if isinstance(value, dict):
        items = [f"{key!r}: {each!r}" for key, each in itertools.islice(value.items(), most)]
        return "{" + ", ".join(items) + ", …}"
    start, end = CONTAINERS[type(value)]
    return start + ", ".join(map(repr, itertools.islice(value, most))) + ", …" + end


def _is_sized(tensor: torch.Tensor) -> bool:
    return not is_lazy(tensor)
