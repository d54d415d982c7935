"""What all reports share: torch's answer, the facts, the reason, and what was to be predicted."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.lessons.tensors.records.scene import Scene

Told = Mapping[str, str | int | float | bool | None]


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
    def pictured(self) -> Mapping[str, str]:
        """What the text that stands in for the picture mentions."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class OnMap(Explained):
    """A report that the device map can draw."""

    scene: Scene

    @property
    def pictured(self) -> Mapping[str, str]:
        """Which tensor is where, and the operation."""
        return {"places": self.scene.described(), "formula": self.scene.formula}
