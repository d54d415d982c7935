"""A Sequential of one's own: its layers registered, or in a Python list."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.outcome import Outcome
from playground.compute.settings import Conditions, Settings
from playground.explained import Quiet, Table, Told
from playground.lessons.blocks.records.choices import Container, Use
from playground.lessons.blocks.records.trees import TreeRow, told_tree
from playground.machines.machine import DeviceName, Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class UseMySequentialReport(Quiet):
    """What a block knows of its layers, and what came of using it.

    Attributes:
        modules: ``_modules``: key and layer, in order.
        modules_type: The type of ``_modules``.
        parameters: How many tensors ``parameters()`` gives.
        reachable: How many tensors of parameters the block leads to, known to it or not.
        saved: How many keys its ``state_dict`` has.
        tree: The block, its layers, their tensors.
        fixed_outcome: What came of the block with the layers registered.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("key", "layer")

    container: Container
    use: Use
    device: DeviceName
    modules: tuple[tuple[str, str], ...]
    modules_type: str
    parameters: int
    reachable: int
    saved: int
    output_shape: tuple[int, ...] | None
    tree: tuple[TreeRow, ...]
    fixed_outcome: Outcome | None
    has_device: bool

    @property
    def printed(self) -> str:
        """The shape of the result, where there is one."""
        return "" if self.output_shape is None else f"torch.Size({list(self.output_shape)})"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "modules_type": self.modules_type,
            "registered_modules": len(self.modules),
            "parameter_tensors": self.parameters,
            "reachable": self.reachable,
            "saved": self.saved,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the device."""
        return {**self.told, "device": self.device}

    @property
    def is_fixed(self) -> bool:
        """It failed, and works with the layers registered."""
        is_mended = self.fixed_outcome is not None and self.fixed_outcome.ok
        return not self.outcome.ok and is_mended

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.has_device:
            return "no-such-device"
        if self.container == Container.MODULES:
            return "modules-know"
        if self.use == Use.MOVE and self.outcome.ok:
            return "nowhere-to-go"
        return {
            Use.OPTIMIZER: "nothing-to-train",
            Use.FORWARD: "works-and-is-empty",
            Use.MOVE: "stays-behind",
        }[self.use]

    @property
    def pictured(self) -> Told:
        """What hangs on the block, and what does not."""
        return told_tree(self.tree)

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """What ``_modules`` holds."""
        del words
        return ((self.COLUMNS, self.modules),) if self.modules else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UseMySequential(Settings[UseMySequentialReport]):
    """Make a Sequential of one's own, and use it."""

    ONLY_WITH: ClassVar[Conditions] = {"device": ("use", (Use.MOVE,))}

    machine: Machine = Machine()
    container: Container = Container.LIST
    use: Use = Use.OPTIMIZER
    device: DeviceName = "cuda:0"
