"""A tensor and an array of NumPy."""

from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.settings import Settings
from playground.explained import Explained, Told
from playground.lessons.tensors.records.choices import Edit, NumpyChain
from playground.machines.machine import DeviceName, Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertToNumpyReport(Explained):
    """An array made from a tensor, and both after an edit.

    Attributes:
        names_one_memory: Tensor and array began at the same address after the conversion.
        still_one_memory: They still did after the edit.
        sees_edit: The side that was not edited changed too.
        x_values, array_values: After the edit, as texts.
        changed: Positions that the edit changed, in the side that was edited.
    """

    device: DeviceName
    requires_grad: bool
    edits_array: bool
    names_one_memory: bool | None
    still_one_memory: bool | None
    sees_edit: bool | None
    x_values: tuple[str, ...]
    array_values: tuple[str, ...]
    changed: tuple[int, ...]

    @property
    def mentions(self) -> Told:
        """The facts, and where the tensor is."""
        return {**self.told, "device": self.device}

    @property
    def pictured(self) -> Mapping[str, str]:
        """Both sides after the edit."""
        return {
            "x_values": ", ".join(self.x_values),
            "array_values": ", ".join(self.array_values) or "—",
            "one_memory": "✓" if self.still_one_memory else "✗",
        }

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"names_one_memory": self.names_one_memory, "sees_edit": self.sees_edit}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.outcome.error_type == "TypeError":
            return "numpy-needs-host"
        if not self.outcome.ok:
            return "numpy-has-no-gradient" if self.requires_grad else "no-such-device"
        if self.sees_edit:
            return "one-memory"
        return "name-moved-on" if self.names_one_memory else "two-memories"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertToNumpy(Settings["ConvertToNumpyReport"]):
    """Make an array from a tensor, then edit one of them."""

    machine: Machine = Machine()
    device: DeviceName = "cpu"
    requires_grad: bool = False
    chain: NumpyChain = NumpyChain.NUMPY
    edit: Edit = Edit.ARRAY
