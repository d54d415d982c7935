"""Copies of bytes: bandwidth over sizes, and one big copy against many small ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.lessons.timing.records.choices import Way
from playground.lessons.timing.records.measured import (
    Dot,
    MeasuredReport,
    MeasuringProgress,
    Row,
    Timed,
    Told,
    as_csv,
    format_count,
    format_size,
)
from playground.machines.machine import DeviceName
from playground.units import format_bytes

GIGA = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyPoint(Timed):
    """The time of one copy; ``device`` is ``"cpu"`` where both sides are host memory."""

    device: DeviceName
    way: Way
    size_bytes: int

    @property
    def gigabytes_per_second(self) -> float:
        """Bytes per nanosecond; a byte is counted once, though it is read and written."""
        return self.size_bytes / self.median_seconds / GIGA

    @property
    def arithmetic(self) -> str:
        """How the rate comes from the time."""
        return (
            f"{format_count(self.size_bytes)} B ÷ {self.median_seconds:.3g} s = "
            f"{self.gigabytes_per_second:.3g} GB/s"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyProgress(MeasuringProgress):
    """How far a sweep is; holds all that was measured so far."""

    points: tuple[CopyPoint, ...]

    @property
    def dots(self) -> tuple[Dot, ...]:
        """Size and bandwidth of every copy so far."""
        return tuple(
            (point.device, point.way.value, point.size_bytes, point.gigabytes_per_second)
            for point in self.points
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureBandwidthReport(MeasuredReport):
    """Bandwidth over sizes, on each way that this server has."""

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "device",
        "way",
        "bytes",
        "median",
        "spread",
        "repeats",
        "gigabytes",
    )

    points: tuple[CopyPoint, ...]

    def line(self, device: DeviceName, way: Way) -> tuple[CopyPoint, ...]:
        """One line of the picture, by size."""
        mine = (point for point in self.points if (point.device, point.way) == (device, way))
        return tuple(sorted(mine, key=lambda point: point.size_bytes))

    @property
    def lines(self) -> tuple[tuple[DeviceName, Way], ...]:
        """Every line that there is."""
        return tuple(dict.fromkeys((point.device, point.way) for point in self.points))

    @property
    def asked(self) -> tuple[CopyPoint, ...]:
        """The line of the prediction: pinned memory to the first GPU, else within the host."""
        way = Way.PINNED_TO_DEVICE if self.gpus else Way.HOST_TO_HOST
        return self.line(self.subject, way)

    @property
    def best(self) -> CopyPoint:
        """The fastest copy of that line."""
        return max(self.asked, key=lambda point: point.gigabytes_per_second)

    def rows(self, words: Mapping[str, str]) -> tuple[Row, ...]:
        """The fastest and the largest copy of every line."""
        shown: list[CopyPoint] = []
        for device, way in self.lines:
            line = self.line(device, way)
            best = max(line, key=lambda point: point.gigabytes_per_second)
            shown += dict.fromkeys((best, line[-1]))
        return tuple(
            (
                point.device,
                words[f"short_{point.way}"],
                format_size(point.size_bytes),
                point.median,
                point.spread,
                point.repeats,
                point.gigabytes_per_second,
            )
            for point in shown
        )

    @property
    def actual(self) -> str:
        """Where on the line the fastest copy is."""
        if self.best == self.asked[-1]:
            return "largest"
        return "smallest" if self.best == self.asked[0] else "in_between"

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.gpus:
            return "transfer-over-the-bus"
        return "memory-beyond-the-cache" if self.actual == "in_between" else "memory-only"

    @property
    def told(self) -> Told:
        """The ends and the best of the line, with the arithmetic."""
        smallest, largest = self.asked[0], self.asked[-1]
        pageable = self.line(self.subject, Way.HOST_TO_DEVICE) if self.gpus else ()
        rate = f"{pageable[-1].gigabytes_per_second:.3g}" if pageable else "—"
        return {
            "device": self.subject,
            "smallest": format_bytes(smallest.size_bytes),
            "smallest_rate": f"{smallest.gigabytes_per_second:.3g}",
            "smallest_time": smallest.median,
            "best": format_bytes(self.best.size_bytes),
            "best_rate": f"{self.best.gigabytes_per_second:.3g}",
            "largest": format_bytes(largest.size_bytes),
            "largest_rate": f"{largest.gigabytes_per_second:.3g}",
            "pageable_rate": rate,
            "arithmetic": largest.arithmetic,
            "points": len(self.points),
        }

    @property
    def csv(self) -> str:
        """All points."""
        return as_csv(CopyPoint, self.points, more=("gigabytes_per_second",))


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitPoint(Timed):
    """The time of all bytes, cut into so many copies."""

    device: DeviceName
    way: Way
    pieces: int
    piece_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitProgress(MeasuringProgress):
    """How far the comparison is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCopyReport(MeasuredReport):
    """The same bytes in one copy and in many."""

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "device",
        "way",
        "pieces",
        "piece_bytes",
        "median",
        "spread",
        "repeats",
    )
    SEVERAL: ClassVar[float] = 1.5
    MANY: ClassVar[float] = 10.0

    size_bytes: int
    pieces: int
    points: tuple[SplitPoint, ...]

    def pair(self, device: DeviceName, way: Way) -> tuple[SplitPoint, SplitPoint]:
        """One big copy, and the many small ones."""
        one, many = (point for point in self.points if (point.device, point.way) == (device, way))
        return one, many

    @property
    def asked(self) -> tuple[SplitPoint, SplitPoint]:
        """The pair of the prediction."""
        return self.pair(self.subject, Way.PINNED_TO_DEVICE if self.gpus else Way.HOST_TO_HOST)

    @property
    def slowdown(self) -> float:
        """How many times as long the small copies take."""
        one, many = self.asked
        return many.median_seconds / one.median_seconds

    def rows(self, words: Mapping[str, str]) -> tuple[Row, ...]:
        """Every point."""
        return tuple(
            (
                point.device,
                words[f"short_{point.way}"],
                point.pieces,
                format_size(point.piece_bytes),
                point.median,
                point.spread,
                point.repeats,
            )
            for point in self.points
        )

    @property
    def actual(self) -> str:
        """How much longer the small copies take."""
        if self.slowdown < self.SEVERAL:
            return "about_as_long"
        return "several_times" if self.slowdown < self.MANY else "over_ten_times"

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return "call-hardly-counts" if self.actual == "about_as_long" else "every-call-costs"

    @property
    def told(self) -> Told:
        """The two times, and what one call costs beyond its bytes."""
        one, many = self.asked
        return {
            "device": self.subject,
            "size": format_bytes(self.size_bytes),
            "pieces": self.pieces,
            "piece": format_bytes(many.piece_bytes),
            "one_time": one.median,
            "many_time": many.median,
            "slowdown": f"{self.slowdown:.3g}",
            "arithmetic": f"{many.median} ÷ {one.median} = {self.slowdown:.3g}",
        }

    @property
    def csv(self) -> str:
        """All points."""
        return as_csv(SplitPoint, self.points)
