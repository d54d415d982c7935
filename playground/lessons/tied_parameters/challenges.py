"""Checks that need more than one field and one comparison: report → bool."""

from playground.lessons.tied_parameters.records import CountTiedReport, Tie, TieReplayReport


def saves_twice_what_it_learns(report: CountTiedReport) -> bool:
    """Whether the state_dict holds more than twice the numbers of ``parameters()``, by ties."""
    return report.outcome.ok and report.saved - report.buffers > 2 * report.counted > 0


def is_half_a_tie(report: TieReplayReport) -> bool:
    """Whether one Parameter has become two over one storage."""
    return report.chosen.before is Tie.ONE_OBJECT and report.after is Tie.ONE_STORAGE
