"""What it takes to meet the challenges that no single field can tell: report → bool."""

import math

from playground.lessons.training.records import TrainReport, TryRatesReport

NEARLY_ALL = 0.95
FEW_EPOCHS = 60


def learns_quickly(report: TrainReport) -> bool:
    """Nearly all new points are told apart, three classes or two arms, within few epochs."""
    return report.epochs <= FEW_EPOCHS and report.final_accuracy >= NEARLY_ALL


def largest_rate_is_no_best(report: TryRatesReport) -> bool:
    """The largest learning rate ends above where the smallest began, or nowhere at all."""
    end = report.curves[-1].losses[-1]
    return not math.isfinite(end) or end > report.curves[0].losses[0]
