"""What all reports share: torch's answer, the facts, the reason, the tables, the prediction."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome

Cell = str | int | float | bool | None
Table = tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]  # label ids, rows
Told = Mapping[str, str | int | float | bool | None]
Matrix = tuple[tuple[float, ...], ...]


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
    def actual(self) -> Outcome | str | bool | int:
        """What the prediction was about."""

    @property
    def facts(self) -> Told:
        """The facts that there are."""
        return {name: value for name, value in self.told.items() if value is not None}

    @property
    def mentions(self) -> Told:
        """What the explanation may mention."""
        return self.told

    @property
    def printed(self) -> str:
        """What the program printed."""
        return ""

    @property
    def is_drawn(self) -> bool:
        """There is something to draw."""
        return self.outcome.ok

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The tables of the step.

        Args:
            words: The lesson's labels.
        """
        del words
        return ()

    @property
    def pictured(self) -> Told:
        """What a text that stands in for the picture mentions."""
        return {name: "—" if value is None else value for name, value in self.mentions.items()}


def short(number: float) -> str:
    """A number for a sentence, in as few digits as it needs.

    >>> short(0.0), short(-2.0), short(0.123456)
    ('0', '-2', '0.123')
    """
    return f"{number:.3g}"
