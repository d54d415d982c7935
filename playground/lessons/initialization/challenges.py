"""What it takes to meet the challenges that no single field can tell: report → bool."""

from playground.lessons.initialization.records import (
    Activation,
    CountFansReport,
    InitializeReport,
    Layout,
    SignalThroughDepthReport,
    Start,
    SymmetricUnitsReport,
)

NEAR = 0.1
TENTH = 0.1
PERCENT = 0.01
MOSTLY = 0.9
DEEP, WIDE = 50, 256
TWICE = 2.0
SEVERAL = 3


def is_xavier_with_a_tenth(report: InitializeReport) -> bool:
    """The fans' own std, scaled to a tenth."""
    std = report.expected_std
    is_near = std is not None and abs(std - TENTH) <= PERCENT * TENTH
    return report.initializer.startswith("xavier") and report.shape == (256, 20) and is_near


def is_mostly_zeros(report: InitializeReport) -> bool:
    """Nine in ten are 0, and something is not."""
    share = report.zero_fraction
    return share is not None and MOSTLY <= share < 1


def keeps_the_signal(report: CountFansReport) -> bool:
    """Our own layer, and what goes in comes out as large."""
    is_ours = report.layout in {Layout.MY_LINEAR, Layout.TRANSPOSED}
    return is_ours and abs(report.signal - 1) < NEAR


def keeps_fifty_layers(report: SignalThroughDepthReport) -> bool:
    """No layer's std is more than twice another's."""
    stds = report.activation_stds
    is_asked = report.activation is Activation.RELU and (report.depth, report.width) == (DEEP, WIDE)
    return is_asked and 0 < max(stds) <= TWICE * min(stds)


def breaks_the_symmetry(report: SymmetricUnitsReport) -> bool:
    """All units started equal, and none is equal to another now."""
    was_equal = report.start is not Start.RANDOM and report.moments[0].distinct == 1
    return was_equal and report.distinct == report.units >= SEVERAL
