"""Matrix products over sizes and dtypes: points, what was left out, and where curves cross."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.lessons.timing.records.choices import DataType, SkipReason
from playground.lessons.timing.records.measured import (
    Dot,
    MeasuredReport,
    MeasuringProgress,
    Row,
    Timed,
    Told,
    as_csv,
    format_count,
    format_seconds,
)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossover:
    """Where a GPU begins to be faster than the CPU.

    Attributes:
        slower_at: The largest size at which the GPU was slower; None where it never was.
        faster_at: The next size, from which on the GPU stayed faster.
        size: Where straight lines between the two cross, on logarithmic axes.
        seconds: The time there.
    """

    device: DeviceName
    dtype: DataType
    slower_at: int | None
    faster_at: int
    size: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MatmulProgress(MeasuringProgress):
    """How far a sweep is; holds all that was measured so far."""

    dtype: DataType
    size: int
    points: tuple[MatmulPoint, ...]

    @property
    def facts(self) -> Told:
        """The product that is timed now."""
        return {"device": self.device, "dtype": self.dtype.value, "size": self.size}

    @property
    def dots(self) -> tuple[Dot, ...]:
        """Size and time of every product so far."""
        return tuple(
            (point.device, point.dtype.value, point.size, point.median_seconds)
            for point in self.points
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MatmulSweepReport(MeasuredReport):
    """Everything that was measured, and what was not."""

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "device",
        "dtype",
        "size",
        "median",
        "spread",
        "repeats",
        "gflops",
    )

    points: tuple[MatmulPoint, ...]
    skipped: tuple[Skipped, ...]

    def curve(self, device: DeviceName, dtype: DataType) -> tuple[MatmulPoint, ...]:
        """The points of one line, by size."""
        return curve(self.points, device, dtype)

    @property
    def dtypes(self) -> tuple[DataType, ...]:
        """The dtypes that were measured."""
        return tuple(dict.fromkeys(point.dtype for point in self.points))

    @property
    def ends(self) -> tuple[MatmulPoint, ...]:
        """The largest product of every line."""
        lines = (self.curve(device, dtype) for device in self.devices for dtype in self.dtypes)
        return tuple(line[-1] for line in lines if line)

    def rows(self, words: Mapping[str, str]) -> tuple[Row, ...]:  # noqa: ARG002 - as in others
        """The largest product of every line."""
        return tuple(
            (
                point.device,
                point.dtype.value,
                point.size,
                point.median,
                point.spread,
                point.repeats,
                point.gflops,
            )
            for point in self.ends
        )

    @property
    def crossovers(self) -> tuple[Crossover, ...]:
        """For every GPU and dtype, where it overtakes the CPU, if it does."""
        found = (
            _crossover(self.curve("cpu", dtype), self.curve(gpu, dtype))
            for gpu in self.gpus
            for dtype in self.dtypes
        )
        return tuple(each for each in found if each is not None)

    @property
    def compared_size(self) -> int:
        """The largest size that every dtype reached on the CPU."""
        reached = [{point.size for point in self.curve("cpu", dtype)} for dtype in self.dtypes]
        return max(set.intersection(*reached), default=0) if reached else 0

    @property
    def compared(self) -> tuple[MatmulPoint, ...]:
        """The CPU's dtypes at that size, the fastest first."""
        there = (
            point
            for point in self.points
            if point.device == "cpu" and point.size == self.compared_size
        )
        return tuple(sorted(there, key=lambda point: point.median_seconds))

    @property
    def largest_operations(self) -> int:
        """The operations of the largest product."""
        return max((point.operations for point in self.points), default=0)

    @property
    def actual(self) -> str:
        """The dtype that was fastest on the CPU."""
        return self.compared[0].dtype.value if self.compared else "other"

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.compared:
            return "nothing-measured"
        return "fewer-bits-slower" if self.actual == DataType.FLOAT32 else "fewer-bits-faster"

    @property
    def told(self) -> Told:
        """The fastest and the slowest dtype of the CPU, and the arithmetic of the largest end."""
        measured: Told = {"points": len(self.points), "devices": ", ".join(self.devices)}
        if not self.compared:
            return {**measured, "arithmetic": ""}
        fastest, slowest = self.compared[0], self.compared[-1]
        best = max(self.ends, key=lambda point: point.gflops)
        return {
            **measured,
            "size": self.compared_size,
            "fastest": fastest.dtype.value,
            "fastest_time": fastest.median,
            "slowest": slowest.dtype.value,
            "slowest_time": slowest.median,
            "ratio": f"{slowest.median_seconds / fastest.median_seconds:.3g}",
            "best_device": best.device,
            "best_dtype": best.dtype.value,
            "arithmetic": best.arithmetic,
        }

    @property
    def crossing(self) -> str:
        """The id of the sentence about the crossover."""
        if not self.gpus:
            return "no-crossover-without-gpu"
        return "crossover" if self.crossovers else "never-crosses"

    @property
    def notes(self) -> tuple[tuple[str, Told], ...]:
        """Where curves cross, and why lines end early."""
        crossed: Told = {"crossovers": "; ".join(map(_describe, self.crossovers))}
        return ((self.crossing, crossed), *map(_explain, self.skipped))

    @property
    def csv(self) -> str:
        """All points."""
        return as_csv(MatmulPoint, self.points, more=("gflops",))


def curve(
    points: Iterable[MatmulPoint], device: DeviceName, dtype: DataType
) -> tuple[MatmulPoint, ...]:
    """The points of one device and dtype, by size."""
    mine = (point for point in points if (point.device, point.dtype) == (device, dtype))
    return tuple(sorted(mine, key=lambda point: point.size))


def _crossover(cpu: tuple[MatmulPoint, ...], gpu: tuple[MatmulPoint, ...]) -> Crossover | None:
    """Look from the largest size down: below the crossover the GPU may win by chance."""
    times = {point.size: point.median_seconds for point in cpu}
    pairs = [
        (each.size, times[each.size], each.median_seconds) for each in gpu if each.size in times
    ]
    faster = None
    for size, on_cpu, on_gpu in reversed(pairs):
        if on_gpu >= on_cpu:
            break
        faster = size
    if faster is None:
        return None
    index = [size for size, _, _ in pairs].index(faster)
    before = pairs[index - 1] if index else None
    crossing = _cross(before or pairs[index], pairs[index])
    return Crossover(
        device=gpu[0].device,
        dtype=gpu[0].dtype,
        slower_at=before[0] if before else None,
        faster_at=faster,
        size=crossing[0],
        seconds=crossing[1],
    )


def _cross(
    before: tuple[int, float, float], after: tuple[int, float, float]
) -> tuple[float, float]:
    """Where two lines meet that are straight on logarithmic axes."""
    if before == after:
        return after[0], after[2]
    lead_before = math.log(before[2] / before[1])
    lead_after = math.log(after[2] / after[1])
    part = lead_before / (lead_before - lead_after)
    size = before[0] * (after[0] / before[0]) ** part
    return size, before[1] * (after[1] / before[1]) ** part


def _explain(each: Skipped) -> tuple[str, Told]:
    mentions = {
        "device": each.device,
        "dtype": each.dtype.value,
        "size": each.size,
        "expected": format_seconds(each.expected_seconds),
        "message": each.message,
    }
    return f"skipped-{each.reason.replace('_', '-')}", mentions


def _describe(each: Crossover) -> str:
    begin = "≤" if each.slower_at is None else f"{each.slower_at} –"
    return f"{each.device}, {each.dtype.value}: {begin} {each.faster_at}"
