"""What it takes to meet the challenges that no single field can tell: report → bool."""

from playground.lessons.timing.records import LogLossesReport

MOST_READS = 4
LEAST_STEPS = 100


def still_sees_the_loss(report: LogLossesReport) -> bool:
    """A long run is read back a few times: enough to see a trend, too few to be felt."""
    return report.steps >= LEAST_STEPS and 2 <= report.reads <= MOST_READS
