"""Module trees, which several reports of this lesson draw, and the shapes of tensors."""

from collections.abc import Sequence
from dataclasses import dataclass

from playground.explained import Told
from playground.machines.machine import DeviceName

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRow:
    """One line in the picture of a module tree.

    Attributes:
        depth: 0 for the network itself.
        name: As its parent knows it, e.g. ``"0"`` or ``"hidden"``.
        type_name: The class of a module, or what a tensor is.
        note: What else there is to say: a shape, a number of parameters.
        device: Where it is; None where that says nothing.
        is_registered: Its parent knows it; otherwise it merely leads to it.
        is_trouble: Here it went wrong.
    """

    depth: int
    name: str
    type_name: str
    note: str = ""
    device: DeviceName | None = None
    is_registered: bool = True
    is_trouble: bool = False


def told_tree(rows: Sequence[TreeRow]) -> Told:
    """A module tree in words, for a text that stands in for its picture."""
    lines = (f"{row.name} {row.type_name} {row.note} {row.device or ''}".split() for row in rows)
    hidden = [row.name for row in rows if not row.is_registered]
    return {"lines": "; ".join(map(" ".join, lines)), "hidden": ", ".join(hidden) or "—"}
