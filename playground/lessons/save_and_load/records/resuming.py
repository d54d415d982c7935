"""Interrupted training: what a checkpoint must hold to go on as if nothing had happened."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.settings import Settings, check_within
from playground.explained import Explained, Told
from playground.units import format_bytes, short

MOST_SEED = 9999


@unique
class Optimizer(StrEnum):
    """What trains."""

    ADAM = "adam"
    MOMENTUM = "momentum"
    SGD = "sgd"

    @property
    def written(self) -> str:
        """How a program makes it."""
        return OPTIMIZERS[self]


OPTIMIZERS = {
    Optimizer.ADAM: "torch.optim.Adam(net.parameters(), lr=0.05)",
    Optimizer.MOMENTUM: "torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)",
    Optimizer.SGD: "torch.optim.SGD(net.parameters(), lr=0.1)",
}


@unique
class LeftOut(StrEnum):
    """What the checkpoint lacks; ORDER is the state of the generator that shuffles the data."""

    OPTIMIZER = "optimizer"
    ORDER = "order"
    MODEL = "model"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeTrainingReport(Explained):
    """The losses of three runs, epoch by epoch.

    Attributes:
        before: Epochs up to the checkpoint.
        uninterrupted: The losses of the run that never stopped, all epochs.
        resumed: Those of the run that was resumed from everything; epochs after the checkpoint.
        without: Those of the run that was resumed without what is left out.
        equal_parameters: After the last epoch: resumed from everything, resumed without.
        state_tensors: How many tensors the optimizer keeps for itself.
        file_bytes: The file of the full checkpoint, and the one that lacks something.
    """

    optimizer: Optimizer
    left_out: LeftOut
    before: int
    uninterrupted: tuple[float, ...]
    resumed: tuple[float, ...]
    without: tuple[float, ...]
    equal_parameters: tuple[bool, bool]
    state_tensors: int
    file_bytes: tuple[int, int]

    @property
    def expected(self) -> tuple[float, ...]:
        """What the run that never stopped did after the checkpoint."""
        return self.uninterrupted[self.before :]

    @property
    def is_identical(self) -> bool:
        """Resumed from everything, each loss and each parameter is the same, bit for bit."""
        return self.resumed == self.expected and self.equal_parameters[0]

    @property
    def is_identical_without(self) -> bool:
        """The same for the checkpoint that lacks something."""
        return self.without == self.expected and self.equal_parameters[1]

    @property
    def difference(self) -> float:
        """The largest difference of a loss, without what was left out."""
        pairs = zip(self.without, self.expected, strict=True)
        return max(abs(one - other) for one, other in pairs)

    @property
    def actual(self) -> str:
        """What became of the curve."""
        return "same_curve" if self.is_identical_without else "another_curve"

    @property
    def printed(self) -> str:
        """What the program prints."""
        return str(self.is_identical_without)

    @property
    def is_outcome_shown(self) -> bool:
        """What the program prints is one word; the prediction and the facts say it in a phrase."""
        return False

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "identical_full": self.is_identical,
            "identical_without": None
            if self.left_out is LeftOut.NOTHING
            else self.is_identical_without,
            "difference": short(self.difference),
            "state_tensors": self.state_tensors,
            "checkpoint_bytes": format_bytes(self.file_bytes[1]),
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the epoch."""
        return {
            **self.told,
            "before": self.before,
            "next": self.before + 1,
            "last": len(self.uninterrupted),
            "loss": short(self.uninterrupted[-1]),
            "loss_without": short(self.without[-1]),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.left_out is LeftOut.NOTHING:
            return "nothing-lost" if self.is_identical_without else "not-the-same"
        if self.is_identical_without:
            return "nothing-to-lose"
        return f"lost-{self.left_out}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeTraining(Settings[ResumeTrainingReport]):
    """Train, save a checkpoint, train on; then go on from the checkpoint in another run.

    Args:
        optimizer: What trains.
        left_out: What the checkpoint lacks.
        before: Epochs up to the checkpoint.
        after: Epochs from there.
        seed: Of data and parameters.
    """

    uses_hardware: ClassVar[bool] = False
    BOUNDS: ClassVar[Mapping[str, Mapping[str, int]]] = {
        "before": {"least": 1, "most": 30},
        "after": {"least": 1, "most": 30},
        "seed": {"least": 0, "most": MOST_SEED},
    }

    optimizer: Optimizer = Optimizer.ADAM
    left_out: LeftOut = LeftOut.OPTIMIZER
    before: int = 10
    after: int = 15
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        for field, bounds in self.BOUNDS.items():
            check_within(field, getattr(self, field), **bounds)
