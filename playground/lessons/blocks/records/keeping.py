"""A constant as a plain attribute, or as a buffer: does it move?"""

from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.compute.settings import Settings
from playground.explained import Quiet, Told
from playground.lessons.blocks.records.choices import Keeping
from playground.lessons.blocks.records.trees import TreeRow, told_tree
from playground.machines.machine import DeviceName, Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveConstantReport(Quiet):
    """Where the layer and the constant are after the move, and what came of a batch.

    Attributes:
        layer_device: Where the layer's weight is.
        constant_device: Where the constant is.
        result_device: Where the result is; None where torch refused.
        tree: The net and its tensors.
        fixed_outcome: What came of the net that keeps the constant as a buffer.
    """

    keeping: Keeping
    device: DeviceName
    has_device: bool
    layer_device: DeviceName
    constant_device: DeviceName
    result_device: DeviceName | None
    in_state_dict: bool
    is_parameter: bool
    tree: tuple[TreeRow, ...]
    fixed_outcome: Outcome | None

    @property
    def printed(self) -> str:
        """Where the result is."""
        return self.result_device or ""

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "layer_device": self.layer_device,
            "constant_device": self.constant_device,
            "in_state_dict": self.in_state_dict,
            "is_parameter": self.is_parameter,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the target."""
        return {**self.told, "device": self.device}

    @property
    def is_fixed(self) -> bool:
        """It failed, and works with a buffer."""
        is_mended = self.fixed_outcome is not None and self.fixed_outcome.ok
        return not self.outcome.ok and is_mended

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.has_device:
            return "no-such-device"
        if self.keeping == Keeping.BUFFER:
            return "buffer-moves"
        return "nowhere-to-go" if self.outcome.ok else "attribute-stays"

    @property
    def pictured(self) -> Told:
        """Where all tensors are."""
        return told_tree(self.tree)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveConstant(Settings[MoveConstantReport]):
    """Move FixedHiddenMLP to a device, and feed it there."""

    machine: Machine = Machine()
    keeping: Keeping = Keeping.ATTRIBUTE
    device: DeviceName = "cuda:0"
