"""Matrix products that were timed, and where a curve of them ends early."""

from collections.abc import Iterable
from dataclasses import dataclass

from playground.lessons.timing.records.choices import DataType, SkipReason
from playground.lessons.timing.records.measured import Timed, format_count
from playground.machines.machine import DeviceName

GIGA = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class MatmulPoint(Timed):
    """The time of one product of two (size, size) matrices."""

    device: DeviceName
    size: int
    dtype: DataType

    @property
    def operations(self) -> int:
        """size² results, each of size multiplications and as many additions."""
        return 2 * self.size**3

    @property
    def gflops(self) -> float:
        """Operations per nanosecond."""
        return self.operations / self.median_seconds / GIGA

    @property
    def arithmetic(self) -> str:
        """How the rate comes from the time."""
        return (
            f"2 × {self.size}³ ÷ {self.median} = {format_count(self.operations)} ÷ "
            f"{self.median_seconds:.3g} s = {self.gflops:.3g} GFLOP/s"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Where a curve ends early.

    Attributes:
        size: The first size that was not measured; no larger one was tried.
        expected_seconds: What one product there takes, judged by the size before or by its warm-up.
        message: Torch's own words where it refused.
    """

    device: DeviceName
    size: int
    dtype: DataType
    reason: SkipReason
    expected_seconds: float = 0.0
    message: str = ""


def curve(
    points: Iterable[MatmulPoint], device: DeviceName, dtype: DataType
) -> tuple[MatmulPoint, ...]:
    """The points of one device and dtype, by size."""
    mine = (point for point in points if (point.device, point.dtype) == (device, dtype))
    return tuple(sorted(mine, key=lambda point: point.size))
