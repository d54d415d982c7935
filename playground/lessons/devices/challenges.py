"""Checks of the lesson on devices that need more than one field: report → bool."""

from playground.lessons.devices.records import VisibleDevicesReport


def puts_three_before_one(report: VisibleDevicesReport) -> bool:
    """Physical GPU 3 is cuda:0 and physical GPU 1 is cuda:1."""
    return report.mapping[:2] == (3, 1)


def hides_all_by_naming_them(report: VisibleDevicesReport) -> bool:
    """The value lists indices of GPUs that exist, and none is visible."""
    if report.mapping or report.value is None:
        return False
    elements = [element.strip() for element in report.value.split(",")]
    return all(
        element.isascii() and element.isdigit() and int(element) < report.physical_gpus
        for element in elements
    )
