"""One run of training: how far it is, and what was learned."""

import math
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds
from playground.compute.streaming import StreamSettings
from playground.explained import Told
from playground.lessons.training.records.choices import (
    CLIPS,
    EPOCHS,
    MOST_GPUS,
    RATES,
    SEEDS,
    Dataset,
    Optimizer,
)
from playground.machines import DeviceName, Machine


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
    def facts(self) -> Told:
        """What it has come to."""
        return {
            "epoch": f"{len(self.losses)} / {self.epochs}",
            "loss": f"{self.losses[-1]:.4f}",
            "accuracy": f"{self.accuracies[-1]:.1%}",
            **self._step_time,
        }

    @property
    def _step_time(self) -> Told:
        if self.step_ms is None:
            return {"no_step_ms": None}  # the label says why
        return {"step_ms": f"{self.step_ms:.2f} ms"}


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
    def facts(self) -> Told:
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
    def told(self) -> Told:
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
    BOUNDS: ClassVar[Bounds] = {
        "num_gpus": {"least": 0, "most": MOST_GPUS},
        "epochs": EPOCHS,
        "learning_rate": RATES,
        "gradient_clip": CLIPS,
        "seed": SEEDS,
    }
    machine: Machine = Machine()
    num_gpus: int = 1
    dataset: Dataset = Dataset.MOONS
    epochs: int = 20
    learning_rate: float = 0.3
    optimizer: Optimizer = Optimizer.SGD
    gradient_clip: float = 0.0
    seed: int = 0
