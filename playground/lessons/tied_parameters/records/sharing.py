"""One layer in two places, or two layers that only look alike."""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.settings import Bounds, Settings
from playground.explained import Told
from playground.lessons.tied_parameters.records.explained import Explained, Matrix
from playground.units import short


@unique
class Sharing(StrEnum):
    """What stands in the second place."""

    LAYER = "layer"
    DEEPCOPY = "deepcopy"
    COPIED = "copied"

    @property
    def written(self) -> str:
        """How a program makes it."""
        return SECONDS[self]


SECONDS = {
    Sharing.LAYER: "shared",
    Sharing.DEEPCOPY: "copy.deepcopy(shared)",
    Sharing.COPIED: "other",
}


@unique
class Position(StrEnum):
    """Through which place the number is written."""

    FIRST = "first"
    SECOND = "second"

    @property
    def number(self) -> int:
        """The place in the network."""
        return 2 if self is Position.FIRST else 4

    @property
    def other(self) -> "Position":
        """The other one."""
        return Position.SECOND if self is Position.FIRST else Position.FIRST


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLayerReport(Explained):
    """Two places of a network, after a number was written through one of them.

    Attributes:
        is_same_layer: Both places hold one module.
        equal_before, equal_after: All values of both weights agree, before and after the writing.
        old_value: What both weights held in their corner.
        first, second: The weights of ``net[2]`` and ``net[4]`` afterwards.
        length: ``len(net)``.
        modules: How many different layers ``net.children()`` gives.
        parameters: How many numbers ``net.parameters()`` counts.
    """

    sharing: Sharing
    position: Position
    value: int
    is_same_layer: bool
    equal_before: bool
    equal_after: bool
    old_value: float
    first: Matrix
    second: Matrix
    length: int
    modules: int
    parameters: int

    @property
    def other_value(self) -> float:
        """What the place through which nothing was written holds in its corner."""
        return (self.second if self.position is Position.FIRST else self.first)[0][0]

    @property
    def actual(self) -> str:
        """Whether the other place follows."""
        return "follows" if self.equal_after else "stays"

    @property
    def printed(self) -> str:
        """What the program prints before and after."""
        return f"{self.equal_before}\n{self.equal_after}"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "is_same_layer": self.is_same_layer,
            "length": self.length,
            "modules": self.modules,
            "parameters": self.parameters,
        }

    @property
    def mentions(self) -> Told:
        """The facts, the places and the numbers."""
        return {
            **self.told,
            "written": f"net[{self.position.number}]",
            "other": f"net[{self.position.other.number}]",
            "value": self.value,
            "old_value": short(self.old_value),
            "other_value": short(self.other_value),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return "one-layer" if self.is_same_layer else f"two-layers-{self.sharing}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLayer(Settings[ShareLayerReport]):
    """Put a layer in two places, and write a number through one of them."""

    BOUNDS: ClassVar[Bounds] = {
        "value": {"least": -1000, "most": 1000},
        "seed": {"least": 0, "most": 9999},
    }

    sharing: Sharing = Sharing.LAYER
    position: Position = Position.FIRST
    value: int = 100
    seed: int = 0
