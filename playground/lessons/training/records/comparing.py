"""Several runs side by side: on two devices, at four learning rates."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from playground.compute.settings import Bounds, check_bounds
from playground.compute.streaming import StreamSettings
from playground.explained import Told
from playground.lessons.training.records.choices import (
    CLIPS,
    EPOCHS,
    MOST_SEED,
    SEEDS,
    Dataset,
    Optimizer,
    SecondRun,
)
from playground.lessons.training.records.running import Train
from playground.machines import DeviceName, Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The losses of one run, and what it is called."""

    name: str
    losses: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvesProgress:
    """How far several runs are."""

    epochs: int
    curves: tuple[Curve, ...]

    @property
    def fraction(self) -> float:
        """How much is done."""
        return sum(len(curve.losses) for curve in self.curves) / self.epochs

    @property
    def facts(self) -> Told:
        """What it has come to."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainTwiceReport:
    """The same training on the CPU and on the first GPU."""

    TOLERANCE: ClassVar[float] = 1e-3
    curves: tuple[Curve, ...]
    device: DeviceName
    is_simulated: bool

    @property
    def largest_difference(self) -> float:
        """Between the losses of the same epoch."""
        first, second = (curve.losses for curve in self.curves)
        return max(abs(one - other) for one, other in zip(first, second, strict=True))

    @property
    def actual(self) -> str:
        """``bits``, ``close`` or ``different``."""
        if self.curves[0].losses == self.curves[1].losses:
            return "bits"
        return "close" if self.largest_difference <= self.TOLERANCE else "different"

    @property
    def why(self) -> str:
        """The reason that fits."""
        if self.actual == "different":
            return "different_seed"
        if self.device == "cpu":
            return "both_on_cpu"
        return "simulated_bits" if self.is_simulated else "real_close"

    @property
    def told(self) -> Told:
        """What the picture and the reason mention."""
        return {"device": self.device, "difference": f"{self.largest_difference:.2g}"}

    @property
    def facts(self) -> Told:
        """What is shown of it."""
        return {"device": self.device, "largest_difference": f"{self.largest_difference:.3g}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainTwice(StreamSettings[TrainTwiceReport, CurvesProgress]):
    """Train on the CPU, then on the first GPU, and compare the curves."""

    timeout_seconds: ClassVar[float] = 100.0
    BOUNDS: ClassVar[Bounds] = {"epochs": EPOCHS, "seed": SEEDS}
    machine: Machine = Machine()
    second: SecondRun = SecondRun.SAME_SEED
    dataset: Dataset = Dataset.MOONS
    epochs: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of bounds."""
        self.check_types()
        check_bounds(self)
        self.run(num_gpus=0)

    def run(self, *, num_gpus: int) -> Train:
        """One of the two runs."""
        is_other = num_gpus > 0 and self.second == SecondRun.OTHER_SEED
        return Train(
            machine=self.machine,
            num_gpus=num_gpus,
            dataset=self.dataset,
            epochs=self.epochs,
            seed=(self.seed + 1) % (MOST_SEED + 1) if is_other else self.seed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TryRatesReport:
    """The curves of several learning rates."""

    curves: tuple[Curve, ...]

    @property
    def actual(self) -> str:
        """The learning rate that came lowest; one that diverged comes last."""
        return min(self.curves, key=lambda curve: _height(curve.losses[-1])).name

    @property
    def why(self) -> str:
        """The reason that fits."""
        if self.curves[-1].name == self.actual:
            return "largest_is_best"
        end = _height(self.curves[-1].losses[-1])
        return "some_diverge" if end > self.curves[0].losses[0] else "no_end"

    @property
    def told(self) -> Told:
        """What the picture and the reason mention."""
        last = {curve.name: f"{curve.losses[-1]:.3g}" for curve in self.curves}
        return {
            "best": self.actual,
            "lowest": last[self.actual],
            "largest": self.curves[-1].name,
            "end": last[self.curves[-1].name],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TryRates(StreamSettings[TryRatesReport, CurvesProgress]):
    """Train with one optimizer at four learning rates."""

    RATES: ClassVar[tuple[float, ...]] = (0.001, 0.01, 0.1, 1.0)
    timeout_seconds: ClassVar[float] = 100.0
    BOUNDS: ClassVar[Bounds] = {
        "epochs": {"least": 1, "most": 100},
        "gradient_clip": CLIPS,
        "seed": SEEDS,
    }
    optimizer: Optimizer = Optimizer.SGD
    dataset: Dataset = Dataset.MOONS
    epochs: int = 8
    gradient_clip: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of bounds."""
        self.check_types()
        check_bounds(self)
        self.run(self.RATES[0])

    def run(self, learning_rate: float) -> Train:
        """One of the runs, on the CPU."""
        return replace(
            Train(num_gpus=0),
            dataset=self.dataset,
            optimizer=self.optimizer,
            epochs=self.epochs,
            learning_rate=learning_rate,
            gradient_clip=self.gradient_clip,
            seed=self.seed,
        )


def _height(loss: float) -> float:
    return loss if math.isfinite(loss) else math.inf
