"""What all reports of this lesson share: torch's answer, the facts, the reason, the prediction."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.machines.machine import DeviceName

Cell = str | int | float | bool | None
Table = tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]  # label ids, rows
Told = Mapping[str, Cell]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained(ABC):
    """A report that can explain itself."""

    outcome: Outcome

    @property
    @abstractmethod
    def told(self) -> Told:
        """What may be told, by label id; None where there is nothing."""

    @property
    @abstractmethod
    def why(self) -> str:
        """The id of the explanation that fits."""

    @property
    @abstractmethod
    def pictured(self) -> Told:
        """What the text says that stands in for the picture."""

    @property
    def facts(self) -> Told:
        """The facts that there are."""
        return {name: value for name, value in self.told.items() if value is not None}

    @property
    def mentions(self) -> Told:
        """What the explanation may mention."""
        return self.told

    @property
    def actual(self) -> Outcome | str | bool | int:
        """What the prediction was about."""
        return self.outcome

    @property
    def answers(self) -> tuple[str, ...] | None:
        """The answers to choose from, where they depend on the settings."""
        return None

    @property
    def printed(self) -> str:
        """What the program printed."""
        return ""

    @property
    def is_fixed(self) -> bool:
        """A changed line was run and mended it."""
        return False

    @property
    def is_drawn(self) -> bool:
        """There is something to draw."""
        return True

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The tables of the step.

        Args:
            words: The lesson's labels.
        """
        del words
        return ()
