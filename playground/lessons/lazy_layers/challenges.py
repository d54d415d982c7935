"""What it takes to meet the challenges that no single field can tell: report → bool."""

from playground.lessons.lazy_layers.records import (
    AskTooEarlyReport,
    FeedAgainReport,
    LazyTimelineReport,
    Meeting,
    Moment,
    TrainFromBeforeReport,
)


def answers_for_nothing(report: AskTooEarlyReport) -> bool:
    """Torch gave an answer about values that are not there."""
    return report.outcome.ok and report.why == "answers-for-nothing"


def is_shaped_by_failure(report: LazyTimelineReport) -> bool:
    """The forward failed, and left a shape behind."""
    return not report.outcome.ok and report.shape is not None


def is_only_too_early(report: TrainFromBeforeReport) -> bool:
    """The optimizer is refused before the first batch, and works after it."""
    is_before = report.moment is Moment.BEFORE
    after = report.at(report.optimizer, Moment.AFTER)
    return is_before and not report.outcome.ok and after.answer.outcome.ok


def works_in_both_places(report: FeedAgainReport) -> bool:
    """One lazy layer stands in two places, and the batch comes through."""
    return report.meeting is Meeting.USED_TWICE and report.outcome.ok
