"""What it takes to meet the challenges that no single field can tell: report → bool."""

from playground.lessons.blocks.records import (
    BuildNetworkReport,
    CheckDutiesReport,
    CountLoopsReport,
    UseMySequentialReport,
)


def computes_and_trains_nothing(report: UseMySequentialReport) -> bool:
    """The block has given an output, and ``parameters()`` gives nothing."""
    return report.output_shape is not None and report.parameters == 0


def ends_after_a_hundred_rounds(report: CountLoopsReport) -> bool:
    """The loop ran a hundred times or more, and was not stopped."""
    return report.has_ended and report.loops >= 100


def gives_no_gradient(report: CheckDutiesReport) -> bool:
    """The block has an output, and backward leaves its parameters without a gradient."""
    return report.outcome.ok and bool(report.without_gradient)


def fits_at_last(report: BuildNetworkReport) -> bool:
    """A network with the layers of the broken start, from its input, gives ten numbers each."""
    given, types = report.network.input[0].shape, [link.type_name for link in report.links]
    has_all = types.count("Conv2d") >= 2 and types.count("MaxPool2d") >= 2 and "Linear" in types
    return given == (2, 3, 32, 32) and report.output_shape == (2, 10) and has_all


def is_small_and_right(report: BuildNetworkReport) -> bool:
    """Images become ten numbers each, by a convolution, with a thousand parameters at most."""
    given, types = report.network.input[0].shape, [row.type_name for row in report.trace.rows]
    is_right = given == (2, 1, 28, 28) and report.output_shape == (2, 10) and "Conv2d" in types
    return is_right and report.trace.total_parameters <= 1000
