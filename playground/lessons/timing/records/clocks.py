"""One product, four clocks: what each of them says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.lessons.timing.records.choices import Clock
from playground.lessons.timing.records.measured import (
    MeasuredReport,
    MeasuringProgress,
    Row,
    Timed,
    Told,
    as_csv,
)
from playground.machines.machine import DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockReading(Timed):
    """What one way of measuring says about the product on one device."""

    device: DeviceName
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockProgress(MeasuringProgress):
    """How far the comparison is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareClocksReport(MeasuredReport):
    """The same product, timed in four ways on every device."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("device", "clock", "median", "spread", "repeats", "ratio")
    TOO_SHORT: ClassVar[float] = 2 / 3
    TOO_LONG: ClassVar[float] = 3 / 2

    size: int
    readings: tuple[ClockReading, ...]

    def reading(self, device: DeviceName, clock: Clock) -> ClockReading:
        """What a clock said on a device."""
        return next(each for each in self.readings if (each.device, each.clock) == (device, clock))

    def ratio(self, reading: ClockReading) -> float:
        """What a clock says, in units of what the synchronised one says.

        The fastest quarters are compared: a disturbance only ever makes times longer.
        """
        honest = self.reading(reading.device, Clock.SYNCHRONISED)
        return reading.low_seconds / honest.low_seconds

    def rows(self, words: Mapping[str, str]) -> tuple[Row, ...]:
        """Every reading."""
        return tuple(
            (
                each.device,
                words[f"clock_{each.clock}"],
                each.median,
                each.spread if each.repeats > 1 else None,
                each.repeats,
                f"{self.ratio(each):.2f} ×",
            )
            for each in self.readings
        )

    @property
    def actual(self) -> str:
        """How the clock that does not wait compares with the one that does."""
        ratio = self.ratio(self.reading(self.subject, Clock.NAIVE))
        if ratio < self.TOO_SHORT:
            return "too_short"
        return "too_long" if ratio > self.TOO_LONG else "about_right"

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.actual == "about_right":
            return "gpu-kept-up" if self.gpus else "cpu-waits"
        return "only-launched" if self.gpus and self.actual == "too_short" else "disturbed"

    @property
    def told(self) -> Told:
        """The times that the explanation compares."""
        naive = self.reading(self.subject, Clock.NAIVE)
        pictured = "; ".join(
            f"{each.device}, {each.clock.value}: {each.median}" for each in self.readings
        )
        return {
            "pictured": pictured,
            "device": self.subject,
            "naive": naive.quick,
            "synchronised": self.reading(self.subject, Clock.SYNCHRONISED).quick,
            "benchmark": self.reading(self.subject, Clock.BENCHMARK).quick,
            "first": self.reading(self.subject, Clock.FIRST).quick,
            "ratio": f"{self.ratio(naive):.2g}",
            "size": self.size,
        }

    @property
    def csv(self) -> str:
        """All readings."""
        return as_csv(ClockReading, self.readings)
