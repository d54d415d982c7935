"""What it takes to meet the challenges that no single field can tell: report → bool."""

from playground.lessons.custom_layers.records import (
    AssignWeightReport,
    CopyWeightsReport,
    HoldTensorReport,
    MeasureMeanReport,
)

TINY = 1e-12


def is_tiny(report: MeasureMeanReport) -> bool:
    """Rounding is still there, and far finer than that of float32."""
    return 0 < report.magnitude < TINY


def is_silently_wrong(report: CopyWeightsReport) -> bool:
    """Torch accepted the copy, and the two layers are different functions."""
    return report.outcome.ok and report.agrees is False


def moves_unsaved(report: HoldTensorReport) -> bool:
    """The tensor went along with its network, and no file would have it."""
    return report.is_moved and not report.chosen.in_state_dict


def is_lost_silently(report: AssignWeightReport) -> bool:
    """Nothing was refused, and the weight is no parameter any more."""
    return report.outcome.ok and not report.in_parameters
