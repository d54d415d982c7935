"""What this lesson can be asked, and what it answers: plain data, no torch."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings
from playground.lessons.custom_layers.records.belonging import (
    AssignWeightReport,
    Duty,
    Held,
    HoldTensorReport,
    Part,
    UseAsComponentReport,
)
from playground.lessons.custom_layers.records.centering import (
    CenterValuesReport,
    MeasureMeanReport,
)
from playground.lessons.custom_layers.records.choices import (
    Assignment,
    Copying,
    Holding,
    Place,
    Precision,
    Values,
    Way,
)
from playground.lessons.custom_layers.records.explained import Gradient
from playground.lessons.custom_layers.records.learning import (
    CopyWeightsReport,
    Run,
    Trained,
    TrainThroughReport,
    UseMyLinearReport,
)
from playground.machines.machine import DeviceName, Machine

__all__ = [
    "AssignWeight",
    "AssignWeightReport",
    "Assignment",
    "CenterValues",
    "CenterValuesReport",
    "CopyWeights",
    "CopyWeightsReport",
    "Copying",
    "Duty",
    "Gradient",
    "Held",
    "HoldTensor",
    "HoldTensorReport",
    "Holding",
    "MeasureMean",
    "MeasureMeanReport",
    "Part",
    "Place",
    "Precision",
    "Run",
    "TrainThrough",
    "TrainThroughReport",
    "Trained",
    "UseAsComponent",
    "UseAsComponentReport",
    "UseMyLinear",
    "UseMyLinearReport",
    "Values",
    "Way",
]

SEEDS = {"least": 0, "most": 9999}


@dataclass(frozen=True, slots=True, kw_only=True)
class CenterValues(Settings["CenterValuesReport"]):
    """Send values through a layer that subtracts their mean."""

    values: Values = Values.RANGE


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureMean(Settings["MeasureMeanReport"]):
    """Let that layer end a network, and look at the mean of what comes out."""

    BOUNDS: ClassVar[Bounds] = {
        "batch": {"least": 1, "most": 256},
        "units": {"least": 1, "most": 256},
        "seed": SEEDS,
    }

    precision: Precision = Precision.FLOAT32
    batch: int = 4
    units: int = 128
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class UseMyLinear(Settings["UseMyLinearReport"]):
    """Make a layer of our own, feed it, and go back through it."""

    BOUNDS: ClassVar[Bounds] = {
        "units_in": {"least": 1, "most": 8},
        "units": {"least": 1, "most": 8},
        "seed": SEEDS,
    }

    way: Way = Way.PARAMETERS
    units_in: int = 5
    units: int = 3
    seed: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainThrough(Settings["TrainThroughReport"]):
    """Train a network with a layer of our own, once with ``.data`` in its ``forward``."""

    BOUNDS: ClassVar[Bounds] = {"steps": {"least": 1, "most": 200}, "seed": SEEDS}

    place: Place = Place.MIDDLE
    steps: int = 60
    seed: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyWeights(Settings["CopyWeightsReport"]):
    """Write the weight of our own layer into an ``nn.Linear``, and compare what both give."""

    BOUNDS: ClassVar[Bounds] = {
        "units_in": {"least": 1, "most": 8},
        "units": {"least": 1, "most": 8},
        "seed": SEEDS,
    }

    copying: Copying = Copying.PLAIN
    units_in: int = 5
    units: int = 3
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UseAsComponent(Settings["UseAsComponentReport"]):
    """Put our own layer into a network, and compare it with ``nn.Linear`` in its place."""

    BOUNDS: ClassVar[Bounds] = {
        "units_in": {"least": 1, "most": 256},
        "units": {"least": 1, "most": 64},
        "seed": SEEDS,
    }

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    units_in: int = 64
    units: int = 8
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldTensor(Settings["HoldTensorReport"]):
    """Hold a tensor as a plain attribute, a Parameter or a buffer, then train and move."""

    machine: Machine = Machine()
    holding: Holding = Holding.ATTRIBUTE
    device: DeviceName = "cuda:0"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignWeight(Settings["AssignWeightReport"]):
    """Assign to the weight of a layer whose optimizer is there already."""

    assignment: Assignment = Assignment.TENSOR
