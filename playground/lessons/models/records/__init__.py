"""What this lesson can be asked, and what it answers: plain data, no torch."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Conditions, Settings
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
from playground.lessons.models.records.explained import Explained, Lane
from playground.lessons.models.records.lazy import LazyStage, MoveLazyReport
from playground.lessons.models.records.meeting import ComputeLossReport, FeedModelReport, Pair
from playground.lessons.models.records.moving import (
    MoveModelReport,
    MoveWithOptimizerReport,
    is_left_behind,
)
from playground.lessons.models.records.placing import (
    FindModelReport,
    MoveInPlaceReport,
    ReadResultReport,
)
from playground.machines.machine import DeviceName, Machine

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
    "Way",
    "is_left_behind",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindModel(Settings["FindModelReport"]):
    """Ask a network of two layers where it is."""

    machine: Machine = Machine()
    first: DeviceName = "cuda:0"
    second: DeviceName = "cuda:0"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveInPlace(Settings["MoveInPlaceReport"]):
    """Call ``.to`` on a module or a tensor, and look at the thing that it was called on."""

    machine: Machine = Machine()
    thing: Thing = Thing.MODULE
    start: DeviceName = "cpu"
    target: DeviceName = "cuda:0"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedModel(Settings["FeedModelReport"]):
    """Feed a layer on one device with a batch on another."""

    machine: Machine = Machine()
    layer: Layer = Layer.LINEAR
    batch: DeviceName = "cpu"
    model: DeviceName = "cuda:0"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeLoss(Settings["ComputeLossReport"]):
    """Send a batch through a network into a weighted loss, each on a device of its own."""

    machine: Machine = Machine()
    batch: DeviceName = "cuda:0"
    model: DeviceName = "cuda:0"
    labels: DeviceName = "cuda:0"
    weight: DeviceName = "cpu"

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


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveWithOptimizer(Settings["MoveWithOptimizerReport"]):
    """Make an optimizer before or after the move of its network, then let it step."""

    BOUNDS: ClassVar[Bounds] = {"steps": {"least": 0, "most": 20}}
    EARLY: ClassVar[tuple[Moment, ...]] = (Moment.BEFORE,)
    ONLY_WITH: ClassVar[Conditions] = {
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveLazy(Settings["MoveLazyReport"]):
    """Move a network that has no shapes yet, then feed it its first batch."""

    machine: Machine = Machine()
    target: DeviceName = "cuda:0"
    batch: DeviceName = "cuda:0"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult(Settings["ReadResultReport"]):
    """Let a network compute on a device, and read its result in one of several ways."""

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    reading: Reading = Reading.ITEM
