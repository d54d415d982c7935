"""What this lesson can be asked, and what it answers: plain data, no torch."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, cast

from playground.compute.settings import Settings, check_choice, check_within
from playground.lessons.models.records.choices import (
    CatalogueModule,
    Layer,
    Moment,
    OptimizerName,
    Reading,
    Remedy,
    Thing,
    Way,
)
from playground.lessons.models.records.explained import Explained, Lane, Told
from playground.lessons.models.records.meeting import ComputeLossReport, FeedModelReport, Pair
from playground.lessons.models.records.moving import (
    MoveModelReport,
    MoveWithOptimizerReport,
    is_left_behind,
)
from playground.lessons.models.records.placing import (
    FindModelReport,
    LazyStage,
    MoveInPlaceReport,
    MoveLazyReport,
    ReadResultReport,
)
from playground.machines.machine import DeviceName, Machine, check_device

__all__ = [
    "CatalogueModule",
    "ComputeLoss",
    "ComputeLossReport",
    "Explained",
    "FeedModel",
    "FeedModelReport",
    "FindModel",
    "FindModelReport",
    "Lane",
    "Layer",
    "LazyStage",
    "Moment",
    "MoveInPlace",
    "MoveInPlaceReport",
    "MoveLazy",
    "MoveLazyReport",
    "MoveModel",
    "MoveModelReport",
    "MoveWithOptimizer",
    "MoveWithOptimizerReport",
    "OptimizerName",
    "Pair",
    "ReadResult",
    "ReadResultReport",
    "Reading",
    "Remedy",
    "Thing",
    "Told",
    "Way",
    "asked_fields",
    "is_left_behind",
]

Bounds = Mapping[str, Mapping[str, float]]  # least and most, by field
Condition = Mapping[str, tuple[str, tuple[StrEnum, ...]]]  # field: only if that one is one of those


def asked_fields(
    kind: type[Settings[Any]], chosen: Mapping[str, object]
) -> Iterator[tuple[str, Any]]:
    """The fields that a student is asked for, with their defaults, one after the other.

    Args:
        kind: A settings class of this lesson.
        chosen: Filled by the caller between two fields; a field that means nothing beside what was
            chosen before it is left out.
    """
    conditions: Condition = getattr(kind, "ONLY_WITH", {})
    for field in fields(cast("Any", kind)):
        other, values = conditions.get(field.name, ("", ()))
        if field.name != "machine" and (not other or chosen[other] in values):
            yield field.name, field.default


@dataclass(frozen=True, slots=True, kw_only=True)
class FindModel(Settings["FindModelReport"]):
    """Ask a network of two layers where it is."""

    machine: Machine = Machine()
    first: DeviceName = "cuda:0"
    second: DeviceName = "cuda:0"

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("first", self.first, self.machine)
        check_device("second", self.second, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveInPlace(Settings["MoveInPlaceReport"]):
    """Call ``.to`` on a module or a tensor, and look at the thing that it was called on."""

    machine: Machine = Machine()
    thing: Thing = Thing.MODULE
    start: DeviceName = "cpu"
    target: DeviceName = "cuda:0"

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_choice("thing", self.thing, Thing)
        check_device("start", self.start, self.machine)
        check_device("target", self.target, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedModel(Settings["FeedModelReport"]):
    """Feed a layer on one device with a batch on another."""

    machine: Machine = Machine()
    layer: Layer = Layer.LINEAR
    batch: DeviceName = "cpu"
    model: DeviceName = "cuda:0"

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_choice("layer", self.layer, Layer)
        check_device("batch", self.batch, self.machine)
        check_device("model", self.model, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeLoss(Settings["ComputeLossReport"]):
    """Send a batch through a network into a weighted loss, each on a device of its own."""

    machine: Machine = Machine()
    batch: DeviceName = "cuda:0"
    model: DeviceName = "cuda:0"
    labels: DeviceName = "cuda:0"
    weight: DeviceName = "cpu"

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        for field in ("batch", "model", "labels", "weight"):
            check_device(field, getattr(self, field), self.machine)

    @property
    def moves(self) -> tuple[str, ...]:
        """The lines that bring everything to where the model is."""
        lines = (
            ("batch", f'X = X.to("{self.model}")'),
            ("labels", f'y = y.to("{self.model}")'),
            ("weight", f'criterion.to("{self.model}")'),
        )
        return tuple(line for field, line in lines if getattr(self, field) != self.model)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveModel(Settings["MoveModelReport"]):
    """Move a module of the catalogue, and compare its ledger before and after."""

    machine: Machine = Machine()
    module: CatalogueModule = CatalogueModule.LIST
    device: DeviceName = "cuda:0"

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_choice("module", self.module, CatalogueModule)
        check_device("device", self.device, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveWithOptimizer(Settings["MoveWithOptimizerReport"]):
    """Make an optimizer before or after the move of its network, then let it step."""

    BOUNDS: ClassVar[Bounds] = {"steps": {"least": 0, "most": 20}}
    EARLY: ClassVar[tuple[Moment, ...]] = (Moment.BEFORE,)
    ONLY_WITH: ClassVar[Condition] = {
        "steps": ("moment", EARLY),
        "way": ("moment", EARLY),
        "remedy": ("moment", EARLY),
    }

    machine: Machine = Machine()
    optimizer: OptimizerName = OptimizerName.ADAM
    moment: Moment = Moment.BEFORE
    steps: int = 0
    way: Way = Way.TO
    remedy: Remedy = Remedy.NOTHING
    target: DeviceName = "cuda:0"

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_choice("optimizer", self.optimizer, OptimizerName)
        check_choice("moment", self.moment, Moment)
        check_choice("way", self.way, Way)
        check_choice("remedy", self.remedy, Remedy)
        check_within("steps", self.steps, **self.BOUNDS["steps"])
        check_device("target", self.target, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveLazy(Settings["MoveLazyReport"]):
    """Move a network that has no shapes yet, then feed it its first batch."""

    machine: Machine = Machine()
    target: DeviceName = "cuda:0"
    batch: DeviceName = "cuda:0"

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("target", self.target, self.machine)
        check_device("batch", self.batch, self.machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult(Settings["ReadResultReport"]):
    """Let a network compute on a device, and read its result in one of several ways."""

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    reading: Reading = Reading.ITEM

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_device("device", self.device, self.machine)
        check_choice("reading", self.reading, Reading)
