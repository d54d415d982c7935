"""What it takes to meet the challenges that no single field can tell: report → bool."""

from playground.lessons.models.records import (
    MoveModelReport,
    MoveWithOptimizerReport,
    OptimizerName,
    Way,
)

KEEPS_AVERAGES = (OptimizerName.ADAM, OptimizerName.MOMENTUM, OptimizerName.RMSPROP)


def carries_its_averages_along(report: MoveWithOptimizerReport) -> bool:
    """An optimizer with averages has stepped, moved with its network, and trains."""
    has_state = report.optimizer in KEEPS_AVERAGES and report.steps > 0
    has_moved = report.way == Way.TO and any(row.has_moved for row in report.state_rows)
    return has_state and has_moved and bool(report.has_trained)


def fails_with_a_clean_ledger(report: MoveModelReport) -> bool:
    """Everything there was has moved, and torch refuses nevertheless."""
    is_clean = bool(report.rows) and not report.left_behind
    return is_clean and not report.outcome.ok and report.has(report.device)
