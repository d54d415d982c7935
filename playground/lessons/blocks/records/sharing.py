"""One layer used twice: what it counts, and what its gradient is."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings
from playground.explained import Quiet, Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The gradient of one number: from each use of the layer, and what autograd has for it."""

    first: float
    second: float
    together: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainSharedReport(Quiet):
    """What a training step does to FixedHiddenMLP, whose one layer is used twice.

    Attributes:
        learnable: Numbers in ``parameters()``.
        calls: How often the layer was called.
        constant_size: Numbers in the constant.
        has_constant_changed: The step changed it.
        shares: The gradient of the first numbers of the bias.
        difference: Largest distance between the gradient and the sum of the two uses.
    """

    learnable: int
    calls: int
    constant_size: int
    is_constant_listed: bool
    has_layer_changed: bool
    has_constant_changed: bool
    shares: tuple[Share, ...]
    difference: float

    @property
    def actual(self) -> str:
        """How many numbers it can learn."""
        return str(self.learnable)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "calls": self.calls,
            "learnable": self.learnable,
            "constant_size": self.constant_size,
            "is_constant_listed": self.is_constant_listed,
            "has_layer_changed": self.has_layer_changed,
            "has_constant_changed": self.has_constant_changed,
            "difference": self.difference,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return "counted-once"

    @property
    def pictured(self) -> Told:
        """How many numbers are drawn."""
        return {"count": len(self.shares)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainShared(Settings[TrainSharedReport]):
    """Take one training step with FixedHiddenMLP, and look at what has changed."""

    BOUNDS: ClassVar[Bounds] = {
        "rows": {"least": 1, "most": 64},
        "seed": {"least": 0, "most": 999},
    }

    rows: int = 2
    seed: int = 0
