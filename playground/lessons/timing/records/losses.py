"""What it costs to look at the loss while training."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.lessons.timing.records.choices import Logging
from playground.lessons.timing.records.measured import (
    MeasuredReport,
    MeasuringProgress,
    Row,
    Timed,
    Told,
    as_csv,
    format_seconds,
)
from playground.machines.machine import DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggingPoint(Timed):
    """The time of one training run.

    Attributes:
        reads: How often a value went from the device to Python.
        last_loss: The last loss that was seen; None where nothing was read.
    """

    device: DeviceName
    logging: Logging
    reads: int
    last_loss: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggingProgress(MeasuringProgress):
    """How far the comparison is."""

    done: int
    total: int
    device: DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLossesReport(MeasuredReport):
    """The same training run with three ways of looking at its loss."""

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "device",
        "logging",
        "reads",
        "median",
        "spread",
        "repeats",
        "per_step",
    )
    NOTICEABLE: ClassVar[float] = 1.25
    MUCH: ClassVar[float] = 2.0

    steps: int
    every: int
    points: tuple[LoggingPoint, ...]

    def point(self, device: DeviceName, logging: Logging) -> LoggingPoint:
        """One training run."""
        return next(
            each for each in self.points if (each.device, each.logging) == (device, logging)
        )

    @property
    def slowdown(self) -> float:
        """The run that reads the loss back, in units of the run that keeps it on the device.

        The fastest quarters are compared: a disturbance only ever makes times longer.
        """
        read = self.point(self.subject, Logging.READ)
        return read.low_seconds / self.point(self.subject, Logging.KEPT).low_seconds

    @property
    def reads(self) -> int:
        """How often the run that reads the loss back does so."""
        return self.point(self.subject, Logging.READ).reads

    def rows(self, words: Mapping[str, str]) -> tuple[Row, ...]:
        """Every run."""
        return tuple(
            (
                each.device,
                words[f"logging_{each.logging}"],
                each.reads,
                each.median,
                each.spread,
                each.repeats,
                format_seconds(each.median_seconds / self.steps),
            )
            for each in self.points
        )

    @property
    def actual(self) -> str:
        """How much the reading costs."""
        if self.slowdown < self.NOTICEABLE:
            return "hardly"
        return "noticeably" if self.slowdown < self.MUCH else "much"

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.gpus:
            return "nothing-to-wait-for" if self.actual == "hardly" else "disturbed-run"
        return "gpu-was-waited-for" if self.actual != "hardly" else "gpu-was-busy-anyway"

    @property
    def told(self) -> Told:
        """The times that the explanation compares."""
        read = self.point(self.subject, Logging.READ)
        kept = self.point(self.subject, Logging.KEPT)
        pictured = "; ".join(
            f"{each.device}, {each.logging.value}: {each.median}" for each in self.points
        )
        return {
            "pictured": pictured,
            "device": self.subject,
            "steps": self.steps,
            "reads": read.reads,
            "read_time": read.quick,
            "kept_time": kept.quick,
            "none_time": self.point(self.subject, Logging.NONE).quick,
            "slowdown": f"{self.slowdown:.3g}",
            "arithmetic": f"{read.quick} ÷ {kept.quick} = {self.slowdown:.3g}",
        }

    @property
    def csv(self) -> str:
        """All runs."""
        return as_csv(LoggingPoint, self.points)
