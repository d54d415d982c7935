"""What this lesson can be asked, and what it answers: plain data, no torch."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, cast

from playground.compute.settings import Settings, check_choice, check_within
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
from playground.lessons.custom_layers.records.explained import Explained, Gradient
from playground.lessons.custom_layers.records.learning import (
    CopyWeightsReport,
    Run,
    Trained,
    TrainThroughReport,
    UseMyLinearReport,
)
from playground.machines.machine import DeviceName, Machine, check_device

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
    "Explained",
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
    "asked_fields",
]

Bounds = Mapping[str, Mapping[str, int]]  # least and most, by field
SEEDS = {"least": 0, "most": 9999}


def asked_fields(kind: type[Settings[Any]]) -> Iterator[tuple[str, Any]]:
    """The fields that a student is asked for, with their defaults."""
    for field in fields(cast("Any", kind)):
        if field.name != "machine":
            yield field.name, field.default


def check_bounds(settings: Any) -> None:
    """Refuse numbers outside the bounds that their class names."""
    for field, bounds in settings.BOUNDS.items():
        check_within(field, getattr(settings, field), **bounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class CenterValues(Settings["CenterValuesReport"]):
    """Send values through a layer that subtracts their mean."""

    values: Values = Values.RANGE

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_choice("values", self.values, Values)


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

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_choice("precision", self.precision, Precision)
        check_bounds(self)


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

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_choice("way", self.way, Way)
        check_bounds(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainThrough(Settings["TrainThroughReport"]):
    """Train a network with a layer of our own, once with ``.data`` in its ``forward``."""

    BOUNDS: ClassVar[Bounds] = {"steps": {"least": 1, "most": 200}, "seed": SEEDS}

    place: Place = Place.MIDDLE
    steps: int = 60
    seed: int = 5

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_choice("place", self.place, Place)
        check_bounds(self)


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

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_choice("copying", self.copying, Copying)
        check_bounds(self)


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

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("device", self.device, self.machine)
        check_bounds(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldTensor(Settings["HoldTensorReport"]):
    """Hold a tensor as a plain attribute, a Parameter or a buffer, then train and move."""

    machine: Machine = Machine()
    holding: Holding = Holding.ATTRIBUTE
    device: DeviceName = "cuda:0"

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_choice("holding", self.holding, Holding)
        check_device("device", self.device, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignWeight(Settings["AssignWeightReport"]):
    """Assign to the weight of a layer whose optimizer is there already."""

    assignment: Assignment = Assignment.TENSOR

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_choice("assignment", self.assignment, Assignment)
