"""What most reports of most lessons share: torch's answer, the facts, the reason, the tables.

``ui.reveal`` shows what stands here, in this order. A report says what is its own; a lesson whose
reports differ all in the same way says so in a subclass of its own. Knows no torch.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome

Cell = str | int | float | bool | None
Table = tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]  # label ids, rows
Told = Mapping[str, Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained(ABC):
    """A report that can explain itself.

    Attributes:
        outcome: What PyTorch answered.
    """

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
    def refusal(self) -> str:
        """Torch's words where it refused a number of the settings, so that nothing was tried."""
        return ""

    @property
    def actual(self) -> Outcome | str | bool | int:
        """What the prediction was about."""
        return self.outcome

    @property
    def answers(self) -> tuple[str, ...] | None:
        """The answers to choose from, where they depend on the settings."""
        return None

    @property
    def is_outcome_shown(self) -> bool:
        """Torch's answer has a panel of its own."""
        return True

    @property
    def printed(self) -> str:
        """What the program printed."""
        return ""

    @property
    def is_drawn(self) -> bool:
        """There is something to draw."""
        return True

    @property
    def pictured(self) -> Told:
        """What a text that stands in for the picture mentions."""
        return {name: "—" if value is None else value for name, value in self.mentions.items()}

    @property
    def is_fixed(self) -> bool:
        """A changed line was run and mended it."""
        return False

    @property
    def facts(self) -> Told:
        """The facts that there are."""
        return {name: value for name, value in self.told.items() if value is not None}

    @property
    def mentions(self) -> Told:
        """What the explanation may mention."""
        return self.told

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The tables of the step.

        Args:
            words: The lesson's labels.
        """
        del words
        return ()

    @property
    def in_full(self) -> str:
        """Torch's words that a table has no room for."""
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiet(Explained):
    """A report whose facts say enough where all went well and nothing was printed."""

    @property
    def is_outcome_shown(self) -> bool:
        """Torch refused, or something was printed."""
        return bool(self.printed) or not self.outcome.ok
