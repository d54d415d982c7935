"""Matrix products over sizes and dtypes: how far a sweep is, and what it found."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.lessons.timing.records.choices import DataType
from playground.lessons.timing.records.crossing import Crossover, crossover, described
from playground.lessons.timing.records.measured import (
    Dot,
    MeasuredReport,
    MeasuringProgress,
    Row,
    Told,
    as_csv,
    format_seconds,
)
from playground.lessons.timing.records.products import MatmulPoint, Skipped, curve
from playground.machines.machine import DeviceName


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
            crossover(self.curve("cpu", dtype), self.curve(gpu, dtype))
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
        crossed: Told = {"crossovers": "; ".join(map(described, self.crossovers))}
        return ((self.crossing, crossed), *map(_explain, self.skipped))

    @property
    def csv(self) -> str:
        """All points."""
        return as_csv(MatmulPoint, self.points, more=("gflops",))


def _explain(each: Skipped) -> tuple[str, Told]:
    mentions = {
        "device": each.device,
        "dtype": each.dtype.value,
        "size": each.size,
        "expected": format_seconds(each.expected_seconds),
        "message": each.message,
    }
    return f"skipped-{each.reason.replace('_', '-')}", mentions
