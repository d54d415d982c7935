"""What memory answers: pinned, copied, counted, filled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from playground.lessons.tensors.records.choices import DataType, TransferKind
from playground.lessons.tensors.records.explained import Explained, Told
from playground.lessons.tensors.records.scene import DeviceMemory
from playground.machines.machine import DeviceName
from playground.units import GIBIBYTE, format_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PinTensorReport(Explained):
    """Torch's answer to ``pin_memory()``; ``x_device`` is None where there was nothing to pin."""

    device: DeviceName
    x_device: DeviceName | None
    is_pinned: bool | None

    @property
    def mentions(self) -> Told:
        """The facts, and where the tensor is."""
        return {**self.told, "device": self.device}

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"is_pinned": self.is_pinned}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.outcome.ok:
            return "page-locked"
        if self.x_device is None:
            return "no-such-device"
        return "pinning-needs-gpu" if self.device == "cpu" else "pinning-is-for-host"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """Median times of one kind of copy.

    Attributes:
        returned_seconds: Until the call came back to Python.
        done_seconds: Until the bytes had arrived.
    """

    kind: TransferKind
    returned_seconds: float
    done_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureTransferReport:
    """Measured copies to a GPU; none where the machine has no real one."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("kind", "returned_ms", "done_ms", "gib_per_second")

    target: DeviceName
    size_bytes: int
    repeats: int
    transfers: tuple[Transfer, ...]

    def rows(self, words: Mapping[str, str]) -> tuple[tuple[str, float, float, float], ...]:
        """The table of the step: kind in words, times in milliseconds, speed."""
        return tuple(
            (
                words[each.kind],
                round(each.returned_seconds * 1e3, 3),
                round(each.done_seconds * 1e3, 3),
                round(self.size_bytes / GIBIBYTE / each.done_seconds, 2),
            )
            for each in self.transfers
        )

    @property
    def told(self) -> Told:
        """What the explanation mentions."""
        return {"size": format_bytes(self.size_bytes), "repeats": self.repeats}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return "transfer-measured" if self.transfers else "no-real-gpu"


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
        return {"used": describe(self.memory)}

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
        return {"used": describe(self.memory)}

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


def describe(memory: Sequence[DeviceMemory]) -> str:
    """The memory that tensors take on each device, for a text that stands in for the picture."""
    return "; ".join(f"{each.device}: {format_bytes(each.used_bytes)}" for each in memory)
