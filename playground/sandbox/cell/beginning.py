"""What a cell begins with, made in the zygote before there is a child for it.

A child that bound the hundreds of names itself would copy the memory of each.
"""

from dataclasses import dataclass
from typing import Any

from playground.sandbox import facade
from playground.sandbox.cell.pyplot import Pyplot


@dataclass(frozen=True, slots=True)
class Beginning:
    """For one cell.

    Attributes:
        names: What it finds bound.
        pyplot: What it plots with, and what knows its plots afterwards.
    """

    names: dict[str, Any]
    pyplot: Pyplot


_ready: list[Beginning] = []
_given: list[Beginning] = []  # kept: taking one apart would copy as much memory as making it


def make_ready(count: int) -> None:
    """Make beginnings in advance, for as many cells as a child runs."""
    while len(_ready) < count:
        _ready.append(_made())


def take() -> Beginning:
    """One that nobody else has; it is made now where none is ready."""
    if not _ready:
        return _made()
    _given.append(_ready.pop())
    return _given[-1]


def _made() -> Beginning:
    pyplot = Pyplot()
    return Beginning(facade.bind(pyplot=pyplot), pyplot)
