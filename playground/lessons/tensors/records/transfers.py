"""Copies from host memory, page-locked or not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings
from playground.explained import Explained, Told
from playground.lessons.tensors.records.choices import TransferKind
from playground.machines.machine import DeviceName, Machine
from playground.units import GIBIBYTE, MEBIBYTE, format_bytes


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
class PinTensor(Settings["PinTensorReport"]):
    """Ask for a copy in page-locked host memory."""

    machine: Machine = Machine()
    device: DeviceName = "cuda:0"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureTransfer(Settings["MeasureTransferReport"]):
    """Time copies from host memory to a real GPU: pageable, pinned, and without waiting."""

    BOUNDS: ClassVar[Bounds] = {"mebibytes": {"least": 1, "most": 64}}
    REPEATS: ClassVar[int] = 9
    deterministic: ClassVar[bool] = False
    measures: ClassVar[bool] = True

    machine: Machine = Machine()
    target: DeviceName = "cuda:0"
    mebibytes: int = 16

    @property
    def size_bytes(self) -> int:
        """How much is copied each time."""
        return self.mebibytes * MEBIBYTE

    def device_bytes(self) -> int:
        """One copy that is there, and the next one."""
        return 2 * self.size_bytes
