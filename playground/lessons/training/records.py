"""Settings and reports of this lesson: plain values, no torch."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.outcome import Outcome
from playground.compute.settings import Settings, check_within
from playground.compute.streaming import StreamSettings
from playground.machines import DeviceName, Machine

Fact = str | int | float | bool | None
MOST_EPOCHS = 300
MOST_GPUS = 8
MOST_SEED = 9999
EPOCHS = {"least": 1, "most": MOST_EPOCHS}
RATES = {"least": 0.0001, "most": 10.0}
CLIPS = {"least": 0.0, "most": 10.0}
SEEDS = {"least": 0, "most": MOST_SEED}


@unique
class Dataset(StrEnum):
    """Points in the plane, drawn on the spot."""

    MOONS = "moons"
    CIRCLES = "circles"
    SPIRALS = "spirals"
    BLOBS = "blobs"

    @property
    def num_classes(self) -> int:
        """How many classes its points have."""
        return 3 if self is Dataset.BLOBS else 2


@unique
class Optimizer(StrEnum):
    """A class of ``torch.optim``."""

    SGD = "SGD"
    ADAM = "Adam"
    RMSPROP = "RMSprop"


@unique
class SecondRun(StrEnum):
    """Which seed the second of two runs has."""

    SAME_SEED = "same_seed"
    OTHER_SEED = "other_seed"


# -- what the Trainer takes ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeDevicesReport:
    """Which devices the Trainer took, and where things are afterwards."""

    available: int
    gpus: tuple[DeviceName, ...]
    model_device: DeviceName
    given_batch_device: DeviceName
    prepared_batch_device: DeviceName

    @property
    def actual(self) -> str:
        """Where the model is."""
        return self.model_device

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What is shown of it."""
        return {
            "available": self.available,
            "gpus": ", ".join(self.gpus) or None,
            "model_device": self.model_device,
            "given_batch": self.given_batch_device,
            "prepared_batch": self.prepared_batch_device,
        }

    @property
    def why(self) -> str:
        """The reason that fits."""
        if not self.gpus:
            return "stays_on_cpu"
        return "first_of_several" if len(self.gpus) > 1 else "first_of_one"

    @property
    def told(self) -> Mapping[str, Fact]:
        """What the reason mentions."""
        return {"count": len(self.gpus), "available": self.available}


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeDevices(Settings[TakeDevicesReport]):
    """Make a Trainer that wants so many GPUs, and let it prepare a model and a batch."""

    BOUNDS: ClassVar[Mapping[str, Mapping[str, int]]] = {"num_gpus": {"least": 0, "most": 8}}
    machine: Machine = Machine()
    num_gpus: int = 4

    def __post_init__(self) -> None:
        """Refuse what is out of bounds."""
        self.check_types()
        check_within("num_gpus", self.num_gpus, **self.BOUNDS["num_gpus"])


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareBothReport:
    """What the first step of training came to."""

    outcome: Outcome
    model_device: DeviceName
    batch_device: DeviceName

    @property
    def why(self) -> str:
        """The reason that fits."""
        if not self.outcome.ok:
            return "apart"
        return "together_on_cpu" if self.model_device == "cpu" else "together_on_gpu"

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What is shown of it."""
        return {"model_device": self.model_device, "batch_device": self.batch_device}


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareBoth(Settings[PrepareBothReport]):
    """Prepare the model, the batch, both or neither, and feed the one to the other."""

    machine: Machine = Machine()
    prepares_model: bool = True
    prepares_batch: bool = False


# -- training --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """The points, and what the model makes of every place in the plane.

    Attributes:
        points: (x, y, class) of the points that it trains on.
        classes: Rows from the bottom up; in each the class of every place, as one digit.
    """

    REACH: ClassVar[float] = 1.6  # the plane goes from minus this to this, both ways
    CELLS: ClassVar[int] = 40

    points: tuple[tuple[float, float, int], ...]
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainProgress:
    """How far training is; the time of a step is measured, and stands here only.

    Attributes:
        step_ms: Of one step, in milliseconds; None on simulated devices, which have no time.
    """

    epochs: int
    losses: tuple[float, ...]
    accuracies: tuple[float, ...]
    plane: Plane
    step_ms: float | None

    @property
    def fraction(self) -> float:
        """How much is done."""
        return len(self.losses) / self.epochs

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What it has come to."""
        return {
            "epoch": f"{len(self.losses)} / {self.epochs}",
            "loss": f"{self.losses[-1]:.4f}",
            "accuracy": f"{self.accuracies[-1]:.1%}",
            "step_ms": None if self.step_ms is None else f"{self.step_ms:.2f} ms",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainReport:
    """What was learned; the same for the same settings.

    Attributes:
        devices: The GPUs that the Trainer took, or ``("cpu",)``.
        losses: Of each epoch, the mean over the points it trained on.
        accuracies: After each epoch, on the points it did not train on.
    """

    devices: tuple[DeviceName, ...]
    model_device: DeviceName
    losses: tuple[float, ...]
    accuracies: tuple[float, ...]
    plane: Plane
    parameters: int
    steps: int
    clipped_steps: int

    @property
    def epochs(self) -> int:
        """How many epochs were asked for."""
        return len(self.losses)

    @property
    def final_accuracy(self) -> float:
        """Of the last epoch."""
        return self.accuracies[-1]

    @property
    def why(self) -> str:
        """The reason that fits."""
        if not math.isfinite(self.losses[-1]):
            return "diverged"
        return "learned" if self.final_accuracy >= 0.95 else "not_learned"

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What is shown of it."""
        return {
            "model_device": self.model_device,
            "parameters": self.parameters,
            "steps": self.steps,
            "clipped_steps": self.clipped_steps,
            "loss": f"{self.losses[-1]:.4f}",
            "accuracy": f"{self.final_accuracy:.1%}",
        }

    @property
    def told(self) -> Mapping[str, Fact]:
        """What the picture and the reason mention."""
        return {
            "epochs": self.epochs,
            "first": f"{self.losses[0]:.3g}",
            "last": f"{self.losses[-1]:.3g}",
            "accuracy": f"{self.final_accuracy:.1%}",
            "device": self.model_device,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Train(StreamSettings[TrainReport, TrainProgress]):
    """Train a perceptron on points in the plane."""

    timeout_seconds: ClassVar[float] = 100.0
    BOUNDS: ClassVar[Mapping[str, Mapping[str, float]]] = {
        "num_gpus": {"least": 0, "most": MOST_GPUS},
        "epochs": EPOCHS,
        "learning_rate": RATES,
        "gradient_clip": CLIPS,
        "seed": SEEDS,
    }
    machine: Machine = Machine()
    num_gpus: int = 1
    dataset: Dataset = Dataset.MOONS
    epochs: int = 100
    learning_rate: float = 0.1
    optimizer: Optimizer = Optimizer.SGD
    gradient_clip: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of bounds."""
        self.check_types()
        for name, bounds in self.BOUNDS.items():
            check_within(name, getattr(self, name), **bounds)


# -- two runs --------------------------------------------------------------------------------------


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
    def facts(self) -> Mapping[str, Fact]:
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
    def told(self) -> Mapping[str, Fact]:
        """What the picture and the reason mention."""
        return {"device": self.device, "difference": f"{self.largest_difference:.2g}"}

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What is shown of it."""
        return {"device": self.device, "largest_difference": f"{self.largest_difference:.3g}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainTwice(StreamSettings[TrainTwiceReport, CurvesProgress]):
    """Train on the CPU, then on the first GPU, and compare the curves."""

    timeout_seconds: ClassVar[float] = 100.0
    BOUNDS: ClassVar[Mapping[str, Mapping[str, float]]] = {"epochs": EPOCHS, "seed": SEEDS}
    machine: Machine = Machine()
    second: SecondRun = SecondRun.SAME_SEED
    dataset: Dataset = Dataset.MOONS
    epochs: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of bounds."""
        self.check_types()
        for name, bounds in self.BOUNDS.items():
            check_within(name, getattr(self, name), **bounds)
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
    def told(self) -> Mapping[str, Fact]:
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
    BOUNDS: ClassVar[Mapping[str, Mapping[str, float]]] = {
        "epochs": {"least": 1, "most": 100},
        "gradient_clip": CLIPS,
        "seed": SEEDS,
    }
    optimizer: Optimizer = Optimizer.SGD
    dataset: Dataset = Dataset.MOONS
    epochs: int = 30
    gradient_clip: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of bounds."""
        self.check_types()
        for name, bounds in self.BOUNDS.items():
            check_within(name, getattr(self, name), **bounds)
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


# -- clipping --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipGradientReport:
    """One gradient before and after it was clipped."""

    most: float
    before: float
    after: float
    cosine: float

    @property
    def actual(self) -> str:
        """What became of its norm."""
        return "unchanged" if self.after == self.before else "the_limit"

    @property
    def why(self) -> str:
        """The reason that fits."""
        return "not_clipped" if self.actual == "unchanged" else "clipped"

    @property
    def told(self) -> Mapping[str, Fact]:
        """What the reason mentions."""
        return {
            "most": f"{self.most:g}",
            "before": f"{self.before:.3g}",
            "after": f"{self.after:.3g}",
            "cosine": f"{self.cosine:.4f}",
        }

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What is shown of it."""
        return {f"norm_{name}": self.told[name] for name in ("before", "after")} | {
            "cosine": self.told["cosine"]
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipGradient(Settings[ClipGradientReport]):
    """Take the gradient of a loss that was multiplied by a factor, and clip it."""

    BOUNDS: ClassVar[Mapping[str, Mapping[str, float]]] = {
        "factor": {"least": 1, "most": 1000},
        "gradient_clip": {"least": 0.01, "most": 10.0},
        "seed": SEEDS,
    }
    factor: int = 1
    gradient_clip: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of bounds."""
        self.check_types()
        for name, bounds in self.BOUNDS.items():
            check_within(name, getattr(self, name), **bounds)


def _height(loss: float) -> float:
    return loss if math.isfinite(loss) else math.inf
