"""Two tensors that meet, each on a device of its own, and what brings them together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.outcome import Outcome
from playground.compute.settings import Conditions, Settings, check_choice
from playground.explained import Told
from playground.lessons.tensors.records.choices import Operation, Remedy, ZeroDim
from playground.lessons.tensors.records.explained import OnMap
from playground.machines.machine import DeviceName, Machine

BROADCASTING = (Operation.ADD, Operation.WHERE)  # where one value may stand for all


def zero_dims(operation: Operation) -> tuple[ZeroDim, ...]:
    """Which of the two tensors of an operation may have no dimensions."""
    return tuple(ZeroDim) if operation in BROADCASTING else (ZeroDim.NEITHER,)


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
class AddAcrossDevices(Settings["AddAcrossDevicesReport"]):
    """Let two tensors meet in an operation, each on a device of its own.

    Raises:
        InvalidSettingError: A zero-dimensional tensor is asked for where it does not broadcast.
    """

    ONLY_WITH: ClassVar[Conditions] = {"zero_dim": ("operation", BROADCASTING)}

    machine: Machine = Machine()
    left: DeviceName = "cuda:0"
    right: DeviceName = "cpu"
    operation: Operation = Operation.ADD
    zero_dim: ZeroDim = ZeroDim.NEITHER

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_choice("zero_dim", self.zero_dim, zero_dims(self.operation))

    @property
    def moves(self) -> Mapping[str, DeviceName]:
        """The fix that is offered: everything beside X goes to where X is."""
        return dict.fromkeys(self.operation.operands[1:], self.left)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixAcrossDevices(Settings["FixAcrossDevicesReport"]):
    """Apply a remedy to the same meeting; ``target`` counts where both are moved."""

    ONLY_WITH: ClassVar[Conditions] = {"target": ("remedy", (Remedy.MOVE_BOTH,))}

    machine: Machine = Machine()
    left: DeviceName = "cuda:0"
    right: DeviceName = "cpu"
    operation: Operation = Operation.ADD
    remedy: Remedy = Remedy.MOVE_LEFT
    target: DeviceName = "cuda:0"

    @property
    def moves(self) -> Mapping[str, DeviceName]:
        """Which operands are moved, and where to."""
        operands = self.operation.operands
        if self.remedy == Remedy.MOVE_RIGHT:
            return dict.fromkeys(operands[1:], self.left)
        if self.remedy == Remedy.MOVE_LEFT:
            return {"X": self.right}
        return dict.fromkeys(operands, self.target)
