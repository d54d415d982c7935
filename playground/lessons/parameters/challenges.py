"""What it takes to meet the challenges that no single field can tell: report → bool."""

from playground.lessons.parameters.records import FeedNetworkReport, FreezeByNameReport

FAR = 0.1


def trains_last_layer(report: FreezeByNameReport) -> bool:
    """Of all layers, only the last can still learn."""
    last = report.rows[-1].name.rpartition(".")[0]
    return report.outcome.ok and all(
        row.is_trainable == (row.name.rpartition(".")[0] == last) for row in report.rows
    )


def is_spread_out(report: FeedNetworkReport) -> bool:
    """The outputs are far apart."""
    return report.outcome.ok and bool(report.stops) and report.stops[-1].spread > FAR
