"""What it takes to meet the challenges that no single field can tell: report → bool."""

from playground.lessons.tensors.records import (
    AddAcrossDevicesReport,
    ConvertToNumpyReport,
    FillMemoryReport,
    FixAcrossDevicesReport,
    Operation,
)

NEARLY_FULL = 0.9


def adds_across_devices(report: AddAcrossDevicesReport) -> bool:
    """The sum of tensors on two devices worked, and nothing was moved for it."""
    is_sum = report.operation == Operation.ADD
    return is_sum and report.outcome.ok and report.left != report.right


def works_without_moving_x(report: FixAcrossDevicesReport) -> bool:
    """It failed before, it works now, and X is where it was."""
    return not report.before.ok and report.outcome.ok and "X" not in report.moved


def array_despite_gradient_and_gpu(report: ConvertToNumpyReport) -> bool:
    """A tensor on a GPU that requires a gradient has become an array."""
    return report.outcome.ok and report.requires_grad and report.device != "cpu"


def gpu_is_nearly_full(report: FillMemoryReport) -> bool:
    """All tensors found room on a GPU, and they leave hardly any."""
    own = report.own
    if own.total_bytes is None:
        return False
    return report.outcome.ok and own.used_bytes >= NEARLY_FULL * own.total_bytes
