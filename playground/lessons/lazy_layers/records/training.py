"""A lazy network that is to be trained or initialised: an optimizer and ``apply``, how early."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings
from playground.explained import Quiet, Table, Told
from playground.lessons.lazy_layers.records.answers import SEEDS, Answer
from playground.lessons.lazy_layers.records.choices import Check, Moment, Optimizer


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """What became of a network that an optimizer was made for.

    Attributes:
        answer: Torch's, to making the optimizer and one step of it.
        changed: How many of the parameters the step changed.
        parameters: How many there are.
        is_held: The optimizer holds the parameters that the network has now.
    """

    optimizer: Optimizer
    moment: Moment
    answer: Answer
    changed: int
    parameters: int
    is_held: bool

    @property
    def outcome_id(self) -> str:
        """What happened, as the id of an answer."""
        if not self.answer.outcome.ok:
            return self.answer.outcome.error_type
        return "trains" if self.changed == self.parameters else "trains_not_all"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainFromBeforeReport(Quiet):
    """One optimizer chosen, and all of them tried."""

    optimizer: Optimizer
    moment: Moment
    tried: tuple[Trained, ...]

    @property
    def chosen(self) -> Trained:
        """The optimizer and the moment that were asked for."""
        return self.at(self.optimizer, self.moment)

    def at(self, optimizer: Optimizer, moment: Moment) -> Trained:
        """What became of one of them."""
        return next(
            each for each in self.tried if (each.optimizer, each.moment) == (optimizer, moment)
        )

    @property
    def actual(self) -> str:
        """Whether the step trained the network."""
        return self.chosen.outcome_id

    @property
    def told(self) -> Told:
        """The facts of the step."""
        is_made = self.outcome.ok
        return {
            "changed": f"{self.chosen.changed} / {self.chosen.parameters}" if is_made else None,
            "is_held": self.chosen.is_held if is_made else None,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the optimizer."""
        return {**self.told, "optimizer": self.optimizer.value}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.optimizer is Optimizer.MUON:
            return "muon-wants-matrices"
        if self.optimizer is Optimizer.SPARSE_ADAM:
            return "sparse-adam-wants-sparse"
        if not self.outcome.ok:
            return "makes-its-state-at-once"
        return "same-objects" if self.moment is Moment.BEFORE else "shapes-are-there"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """Every optimizer, made before and after."""

        def said(each: Trained) -> str:
            return words["trains"] if each.answer.outcome.ok else each.answer.short

        rows = tuple(
            (name.value, *(said(self.at(name, moment)) for moment in Moment)) for name in Optimizer
        )
        return ((("optimizer", "made_before", "made_after"), rows),)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainFromBefore(Settings[TrainFromBeforeReport]):
    """Make an optimizer before or after the first batch, and take a step with it."""

    optimizer: Optimizer = Optimizer.SGD
    moment: Moment = Moment.BEFORE


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialiseNetReport(Quiet):
    """What ``apply`` did with an initialising function.

    Attributes:
        matched: How many modules the condition picked.
        linear: How many linear layers there are.
        stds: Of the two weights in the end, standard deviations.
        default_stds: What they are without ``apply``, from the same seed.
    """

    check: Check
    moment: Moment
    matched: int
    linear: int
    stds: tuple[float, ...]
    default_stds: tuple[float, ...]

    @property
    def is_silent(self) -> bool:
        """Nothing was refused, and nothing was initialised."""
        return self.outcome.ok and self.matched == 0

    @property
    def actual(self) -> str:
        """What became of the weights."""
        if not self.outcome.ok:
            return self.outcome.error_type
        return "initialised" if self.matched == self.linear else "untouched"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "matched": f"{self.matched} / {self.linear}",
            "stds": ", ".join(f"{each:.4f}" for each in self.stds) or None,
            "default_stds": ", ".join(f"{each:.4f}" for each in self.default_stds),
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the condition."""
        return {**self.told, "condition": self.check.code}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "initialised-too-early"
        return "class-is-another" if self.matched == 0 else "initialised-in-time"


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialiseNet(Settings[InitialiseNetReport]):
    """Initialise a network with ``apply``, before or after its first batch."""

    BOUNDS: ClassVar[Bounds] = {"seed": SEEDS}

    check: Check = Check.ISINSTANCE
    moment: Moment = Moment.BEFORE
    seed: int = 0
