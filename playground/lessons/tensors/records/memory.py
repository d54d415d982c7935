"""What tensors take, and a device that is filled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings
from playground.explained import Explained, Told
from playground.lessons.tensors.records.choices import DataType
from playground.lessons.tensors.records.scene import DeviceMemory
from playground.machines.machine import DeviceName, Machine
from playground.units import GIBIBYTE, format_bytes


def described(memory: Sequence[DeviceMemory]) -> str:
    """The memory that tensors take on each device, for a text that stands in for the picture."""
    return "; ".join(f"{each.device}: {format_bytes(each.used_bytes)}" for each in memory)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureTensorReport(Explained):
    """A tensor's bytes, and what every device has left."""

    device: DeviceName
    rows: int
    columns: int
    dtype: DataType
    element_bytes: int | None
    size_bytes: int | None
    memory: tuple[DeviceMemory, ...]

    @property
    def unit_bytes(self) -> int:
        """The size of the tensor, as far as it was made."""
        return self.size_bytes or 0

    @property
    def refused_bytes(self) -> int:
        """None: so small a tensor is refused only by a device that is not there."""
        return 0

    @property
    def actual(self) -> str:
        """The size of the tensor."""
        return str(self.size_bytes)

    @property
    def pictured(self) -> Mapping[str, str]:
        """What every device holds."""
        return {"used": described(self.memory)}

    @property
    def answers(self) -> tuple[str, ...]:
        """Sizes that a student may expect: 1, 2, 4 or 8 bytes for each element."""
        return tuple(str(self.rows * self.columns * size) for size in (1, 2, 4, 8))

    @property
    def told(self) -> Told:
        """The facts of the step, the arithmetic spelled out."""
        return {
            "elements": f"{self.rows} × {self.columns} = {self.rows * self.columns}",
            "element_bytes": self.element_bytes,
            "size_bytes": self.size_bytes,
            "size": None if self.size_bytes is None else format_bytes(self.size_bytes),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return "shape-times-dtype" if self.outcome.ok else "no-such-device"


@dataclass(frozen=True, slots=True, kw_only=True)
class FillMemoryReport(Explained):
    """How many tensors of a size found room on a device.

    Attributes:
        fitted: Tensors that found room before torch refused one, or all.
        memory: Of all devices, with the tensors that found room still there.
    """

    device: DeviceName
    piece_bytes: int
    pieces: int
    fitted: int
    memory: tuple[DeviceMemory, ...]

    @property
    def unit_bytes(self) -> int:
        """The size of one tensor."""
        return self.piece_bytes

    @property
    def refused_bytes(self) -> int:
        """The tensor that found no room."""
        return 0 if self.outcome.ok else self.piece_bytes

    @property
    def pictured(self) -> Mapping[str, str]:
        """What every device holds."""
        return {"used": described(self.memory)}

    @property
    def own(self) -> DeviceMemory:
        """The memory of the device that was filled; empty where there is no such device."""
        absent = DeviceMemory(device=self.device, is_simulated=False, used_bytes=0)
        return next((each for each in self.memory if each.device == self.device), absent)

    @property
    def told(self) -> Told:
        """The facts of the step; absent readings are None."""
        own = self.own
        return {
            "fitted": self.fitted,
            "piece_size": format_bytes(self.piece_bytes),
            "used_size": format_bytes(own.used_bytes),
            "free_size": None if own.free_bytes is None else format_bytes(own.free_bytes),
            "total_size": None if own.total_bytes is None else format_bytes(own.total_bytes),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.device == "cpu":
            return "host-promises" if self.outcome.ok else "host-refuses"
        if self.outcome.ok:
            return "room-for-all"
        if self.outcome.error_type == "OutOfMemoryError":
            return "no-room"
        return "host-cannot-promise" if self.refused_by_host else "no-such-device"

    @property
    def refused_by_host(self) -> bool:
        """The host would not even promise what the simulated device has."""
        return "DefaultCPUAllocator" in self.outcome.message


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureTensor(Settings["MeasureTensorReport"]):
    """Make a tensor of shape (rows, columns) and read the memory of every device; ≤ 256 MiB."""

    BOUNDS: ClassVar[Bounds] = {
        "rows": {"least": 1, "most": 8192},
        "columns": {"least": 1, "most": 4096},
    }
    deterministic: ClassVar[bool] = False  # a real GPU has other users

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    rows: int = 1024
    columns: int = 1024
    dtype: DataType = DataType.FLOAT32

    def device_bytes(self) -> int:
        """The tensor, at 8 bytes an element, which is the most that a dtype has here."""
        return self.rows * self.columns * 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FillMemory(Settings["FillMemoryReport"]):
    """Ask a device for tensors of one size until all are there, or torch refuses.

    Nothing is ever written into them, so the memory of the host is promised, not taken; the
    largest single request is bounded because a host may refuse to promise more than it has.
    """

    BOUNDS: ClassVar[Bounds] = {
        "piece_gib": {"least": 0.25, "most": 8.0},
        "pieces": {"least": 1, "most": 24},
    }
    deterministic: ClassVar[bool] = False  # a real GPU has other users

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"
    piece_gib: float = 3.0
    pieces: int = 3

    @property
    def piece_bytes(self) -> int:
        """The size of one tensor."""
        return int(self.piece_gib * GIBIBYTE)
