"""What all reports of this lesson share: torch's answer, the facts, the reason, the prediction."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome

Cell = str | int | float | bool | None
Table = tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]  # label ids, rows
Told = Mapping[str, Cell]
Shape = tuple[int, ...]
Grid = tuple[tuple[float, ...], ...]  # the first rows and columns of a tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained(ABC):
    """A report that can explain itself."""

    outcome: Outcome

    @property
    @abstractmethod
    def facts(self) -> Told:
        """What is told beside the picture, by label id."""

    @property
    @abstractmethod
    def why(self) -> str:
        """The id of the explanation that fits."""

    @property
    @abstractmethod
    def pictured(self) -> Told:
        """What the text says that stands in for the picture."""

    @property
    def mentions(self) -> Told:
        """What the explanation may mention."""
        return self.facts

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


def shape_text(shape: Shape | None) -> str:
    """A shape as torch writes it; one that is not known yet as a dash."""
    return "—" if shape is None else str(tuple(shape))
