"""What all reports of this lesson share: torch's answer, the facts, the reason, the tables."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome

Cell = str | int | float | bool | None
Table = tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]  # label ids, rows
Told = Mapping[str, Cell]


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
        """What to choose from, where the lesson's file does not say."""
        return None

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


def short(number: float | None) -> str:
    """A number for a sentence, in as few digits as it needs.

    >>> short(0.0), short(-2.0), short(1.2345e-9), short(0.123456), short(None)
    ('0', '-2', '1.235e-09', '0.1235', '—')
    """
    return "—" if number is None else f"{number:.4g}"
