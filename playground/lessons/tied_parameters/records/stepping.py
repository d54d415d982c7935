"""How far one step of an optimizer moves a tied weight, for every way of handing it over."""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.outcome import Outcome
from playground.compute.settings import Bounds, Settings
from playground.explained import Told
from playground.lessons.tied_parameters.records.explained import Explained
from playground.units import short

LR = 0.1


@unique
class Handed(StrEnum):
    """What the optimizer is given."""

    EVERY_NAME = "every_name"
    PARAMETERS = "parameters"
    TWO_GROUPS = "two_groups"

    @property
    def written(self) -> str:
        """The argument as a program writes it."""
        return HANDED[self]


HANDED = {
    Handed.PARAMETERS: "net.parameters()",
    Handed.EVERY_NAME: "[p for _, p in net.named_parameters(remove_duplicate=False)]",
    Handed.TWO_GROUPS: '[{"params": net[0].parameters()}, {"params": net[2].parameters()}]',
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped:
    """One way of handing over, and what one step then did.

    Attributes:
        entries: How many parameters the optimizer holds; None where torch refused.
        warning: What torch said without refusing.
        moved: By how much the number with the largest gradient changed; None where torch refused.
        once: By how much a single step would change it: minus lr times its gradient.
    """

    handed: Handed
    outcome: Outcome
    entries: int | None
    warning: str
    moved: float | None
    once: float

    @property
    def times(self) -> float | None:
        """The movement in single steps."""
        return None if self.moved is None else self.moved / self.once


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTiedReport(Explained):
    """One step of SGD on a tied network, for every way of handing the parameters over."""

    handed: Handed
    seed: int
    every: tuple[Stepped, ...]

    @property
    def chosen(self) -> Stepped:
        """The way that was asked for."""
        return next(each for each in self.every if each.handed is self.handed)

    @property
    def times(self) -> float | None:
        """How many single steps the chosen way has gone; None where torch refused."""
        return self.chosen.times

    @property
    def actual(self) -> str:
        """How often the step was done, or torch's refusal."""
        if self.times is None:
            return self.outcome.error_type
        names = {0: "not_at_all", 1: "once", 2: "twice"}
        is_whole = abs(self.times - round(self.times)) < 0.01
        return names.get(round(self.times), "other") if is_whole else "other"

    @property
    def is_drawn(self) -> bool:
        """All ways are there, whichever was chosen."""
        return True

    @property
    def printed(self) -> str:
        """What torch says without refusing."""
        return self.chosen.warning

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "entries": self.chosen.entries,
            "once": self.chosen.once,
            "moved": self.chosen.moved,
        }

    @property
    def mentions(self) -> Told:
        """The facts, shortened."""
        moved = self.chosen.moved
        return {
            "entries": self.chosen.entries,
            "once": short(self.chosen.once),
            "moved": None if moved is None else short(moved),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return f"handed-{self.handed.replace('_', '-')}"

    @property
    def pictured(self) -> Told:
        """Every way and how far it went."""
        ways = (
            f"{each.handed.written}: {'✗' if each.times is None else f'{each.times:.2g}'}"
            for each in self.every
        )
        return {"ways": "; ".join(ways)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTied(Settings[StepTiedReport]):
    """Hand a tied weight to SGD, and let it step once."""

    BOUNDS: ClassVar[Bounds] = {"seed": {"least": 0, "most": 9999}}

    handed: Handed = Handed.EVERY_NAME
    seed: int = 0
