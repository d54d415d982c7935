"""Tensors that are made: where they are, and what they are after."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings
from playground.explained import Explained, Told
from playground.lessons.tensors.records.choices import Alike, CreationWay, DataType, Override
from playground.lessons.tensors.records.explained import OnMap
from playground.machines.machine import DeviceName, Machine


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
class PrintTensor(Settings["PrintTensorReport"]):
    """Print a tensor made without a device, and one made on ``device``."""

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTensor(Settings["CreateTensorReport"]):
    """Make a tensor on a device, at once or by way of the CPU."""

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    way: CreationWay = CreationWay.MOVED


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocateEmpty(Settings["AllocateEmptyReport"]):
    """Delete a tensor full of sevens, then ask for memory of the same size and look into it."""

    BOUNDS: ClassVar[Bounds] = {"elements": {"least": 1, "most": 65536}}
    deterministic: ClassVar[bool] = False

    machine: Machine = Machine()
    device: DeviceName = "cpu"
    elements: int = 16384


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateAlike(Settings["CreateAlikeReport"]):
    """Make a tensor after the model of another."""

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    dtype: DataType = DataType.FLOAT64
    alike: Alike = Alike.NEW_TENSOR
    override: Override = Override.NOTHING
