"""What the experiments with one tensor answer; each report knows which explanation fits it."""

from dataclasses import dataclass

from playground.lessons.tensors.records.choices import (
    Alike,
    Assignment,
    Computation,
    CreationWay,
    Override,
)
from playground.lessons.tensors.records.explained import Explained, OnMap, Told
from playground.machines.machine import DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintTensorReport(OnMap):
    """Two printed tensors: one made without a device, one with."""

    default_device: DeviceName
    default_printed: str
    placed_device: DeviceName | None
    placed_printed: str
    names_device: bool

    @property
    def printed(self) -> str:
        """What the two print calls wrote."""
        return "\n".join(filter(None, (self.default_printed, self.placed_printed)))

    @property
    def actual(self) -> bool:
        """Whether the second line names a device."""
        return self.names_device

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"x_device": self.default_device, "y_device": self.placed_device}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-such-device"
        return "repr-names-device" if self.names_device else "repr-is-silent"


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTensorReport(OnMap):
    """Where the tensor ended, and what was made on the way.

    Attributes:
        tensors_made: How many tensors took memory.
        host_bytes: Bytes of them that lay on the CPU.
        copied_bytes: Bytes that went from one device to another.
    """

    way: CreationWay
    device: DeviceName
    y_device: DeviceName | None
    tensors_made: int
    host_bytes: int
    copied_bytes: int

    @property
    def actual(self) -> int:
        """How many tensors were made."""
        return self.tensors_made

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "y_device": self.y_device,
            "tensors_made": self.tensors_made,
            "host_bytes": self.host_bytes,
            "copied_bytes": self.copied_bytes,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-such-device"
        if self.way == CreationWay.DIRECT:
            return "made-there"
        return "made-then-copied" if self.copied_bytes else "made-and-stayed"


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocateEmptyReport(Explained):
    """What was found in memory that nobody had written since."""

    y_device: DeviceName | None
    elements: int
    sevens: int
    zeros: int
    middle_values: tuple[str, ...]

    @property
    def actual(self) -> str:
        """The answer that came true this time."""
        if self.sevens == self.elements:
            return "sevens"
        return "zeros" if self.zeros == self.elements else "mixture"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "elements": self.elements,
            "sevens": self.sevens,
            "zeros": self.zeros,
            "middle_values": ", ".join(self.middle_values),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return "empty-writes-nothing" if self.outcome.ok else "no-such-device"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveTensorReport(OnMap):
    """The tensor before and after a move.

    Attributes:
        x_device: Where the name ``x`` leads afterwards.
        moved_device: Where the tensor is that the move returned.
        is_same_object: The move returned the very object it was called on.
        shares_memory: Both begin at the same address.
        is_leaf: Whether the returned tensor is a leaf of the autograd graph.
        grad_fn: Name of the step that made it, if autograd recorded one.
    """

    assignment: Assignment
    x_device: DeviceName
    moved_device: DeviceName | None
    is_same_object: bool | None
    shares_memory: bool | None
    is_leaf: bool | None
    grad_fn: str | None

    @property
    def actual(self) -> str:
        """Where the name ``x`` leads."""
        return self.x_device

    @property
    def answers(self) -> tuple[str, ...]:
        """All devices."""
        return self.scene.devices

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "x_device": self.x_device,
            "moved_device": self.moved_device,
            "is_same_object": self.is_same_object,
            "shares_memory": self.shares_memory,
            "is_leaf": self.is_leaf,
            "grad_fn": self.grad_fn,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-such-device"
        if self.is_same_object:
            return "already-there"
        if self.assignment == Assignment.NOTHING:
            return "copy-is-lost"
        if self.is_leaf is False:
            return "copy-is-no-leaf"
        return "copy-and-original" if self.assignment == Assignment.NEW_NAME else "name-follows"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeOnDeviceReport(OnMap):
    """The result of a computation on one tensor; ``y_device`` is None for a Python number."""

    computation: Computation
    x_device: DeviceName | None
    y_device: DeviceName | None
    value: str | None

    @property
    def actual(self) -> str:
        """The result's device, or the answer id for a Python number."""
        if not self.outcome.ok:
            return "other"
        return self.y_device or "python_number"

    @property
    def answers(self) -> tuple[str, ...]:
        """All devices, and none of them."""
        return (*self.scene.devices, "python_number")

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"x_device": self.x_device, "y_device": self.y_device, "value": self.value}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-such-device"
        return "left-torch" if self.computation == Computation.ITEM else "result-stays"


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateAlikeReport(OnMap):
    """A tensor made after the model of another."""

    alike: Alike
    override: Override
    x_device: DeviceName | None
    x_dtype: str
    y_device: DeviceName | None
    y_dtype: str | None

    @property
    def actual(self) -> str:
        """The dtype of the new tensor."""
        return self.y_dtype or "other"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "x_device": self.x_device,
            "x_dtype": self.x_dtype,
            "y_device": self.y_device,
            "y_dtype": self.y_dtype,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-such-device"
        if self.alike == Alike.PLAIN:
            return "plain-takes-defaults"
        return "takes-both" if self.override == Override.NOTHING else "override-wins"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveAndConvertReport(OnMap):
    """A tensor before and after one ``.to``."""

    x_device: DeviceName | None
    x_dtype: str
    y_device: DeviceName | None
    y_dtype: str | None
    y_values: str | None
    is_same_object: bool | None

    @property
    def actual(self) -> str:
        """What became different: an answer id."""
        if not self.outcome.ok:
            return "other"
        device = self.x_device != self.y_device
        dtype = self.x_dtype != self.y_dtype
        if device and dtype:
            return "both"
        return "device" if device else "dtype" if dtype else "neither"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "y_device": self.y_device,
            "y_dtype": self.y_dtype,
            "y_values": self.y_values,
            "is_same_object": self.is_same_object,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-such-device"
        return "nothing-to-do" if self.is_same_object else "only-what-was-asked"
