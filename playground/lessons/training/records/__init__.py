"""What this lesson can be asked, and what it answers: plain data, no torch."""

from playground.lessons.training.records.choices import Dataset, Optimizer, SecondRun
from playground.lessons.training.records.clipping import ClipGradient, ClipGradientReport
from playground.lessons.training.records.comparing import (
    Curve,
    CurvesProgress,
    TrainTwice,
    TrainTwiceReport,
    TryRates,
    TryRatesReport,
)
from playground.lessons.training.records.preparing import (
    PrepareBoth,
    PrepareBothReport,
    TakeDevices,
    TakeDevicesReport,
)
from playground.lessons.training.records.running import Plane, Train, TrainProgress, TrainReport

__all__ = [
    "ClipGradient",
    "ClipGradientReport",
    "Curve",
    "CurvesProgress",
    "Dataset",
    "Optimizer",
    "Plane",
    "PrepareBoth",
    "PrepareBothReport",
    "SecondRun",
    "TakeDevices",
    "TakeDevicesReport",
    "Train",
    "TrainProgress",
    "TrainReport",
    "TrainTwice",
    "TrainTwiceReport",
    "TryRates",
    "TryRatesReport",
]
