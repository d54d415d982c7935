"""What two tensors that meet answer, and a tensor and an array."""

from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.lessons.tensors.records.choices import Operation
from playground.lessons.tensors.records.explained import Explained, OnMap, Told
from playground.machines.machine import DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAcrossDevicesReport(OnMap):
    """Torch's answer to two tensors on two devices, and whether the offered fix works.

    Attributes:
        named_argument: The argument that torch's message names, e.g. ``"mat1"``, where it does.
        result_values: As ``tolist()`` prints them.
        fixed_outcome: The same with ``Y`` moved to ``X``; None where nothing was to be fixed.
    """

    left: DeviceName
    right: DeviceName
    operation: Operation
    result_device: DeviceName | None
    result_values: str | None
    named_argument: str | None
    fixed_outcome: Outcome | None
    fixed_device: DeviceName | None

    @property
    def is_fixed(self) -> bool:
        """The offered fix was needed, and works."""
        return self.fixed_outcome is not None and self.fixed_outcome.ok

    @property
    def mentions(self) -> Told:
        """The facts, and where both started."""
        return {**self.told, "left": self.left, "right": self.right}

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "result_device": self.result_device,
            "result_values": self.result_values,
            "named_argument": self.named_argument,
            "fixed_device": self.fixed_device,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.outcome.ok:
            if self.left == self.right:
                return "same-place"
            is_indexing = self.operation == Operation.INDEXING
            return "index-may-stay" if is_indexing else "one-value-may-stay"
        if self.fixed_outcome is None:
            return "no-such-device"
        if self.named_argument is not None:
            return "names-argument"
        if "at least two devices" in self.outcome.message:
            return "names-devices"
        return "index-rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class FixAcrossDevicesReport(OnMap):
    """The operation before and after a remedy.

    Attributes:
        moved: The names of the tensors that were copied to another device.
        copied_bytes: Bytes that went from one device to another.
    """

    left: DeviceName
    right: DeviceName
    before: Outcome
    result_device: DeviceName | None
    result_values: str | None
    moved: tuple[str, ...]
    copied_bytes: int

    @property
    def actual(self) -> str:
        """Where the result is."""
        return self.result_device or "other"

    @property
    def answers(self) -> tuple[str, ...]:
        """All devices."""
        return self.scene.devices

    @property
    def is_fixed(self) -> bool:
        """Something was moved, and it works."""
        return self.outcome.ok and bool(self.moved)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "before": self.before.error_type or "✓",
            "result_device": self.result_device,
            "moved": ", ".join(self.moved) or None,
            "copied_bytes": self.copied_bytes,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-such-device"
        return "result-follows" if self.moved else "nothing-to-move"


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
