"""Times of products and bandwidth of copies, over sizes."""

from typing import Protocol

import plotly.graph_objects as go

from playground.lessons.timing.figures.line_chart import LineChart
from playground.lessons.timing.records import (
    CopyPoint,
    DataType,
    MatmulPoint,
    MatmulSweepReport,
    Way,
    curve,
    format_seconds,
)
from playground.palette import Palette, Words, drawn_once
from playground.units import GIBIBYTE, KIBIBYTE, MEBIBYTE

DASHES = {DataType.FLOAT32: "solid", DataType.FLOAT16: "dash", DataType.BFLOAT16: "dot"}
WAY_DASHES = {
    Way.HOST_TO_HOST: "solid",
    Way.PINNED_TO_DEVICE: "solid",
    Way.DEVICE_TO_PINNED: "dash",
    Way.HOST_TO_DEVICE: "dot",
    Way.DEVICE_TO_HOST: "dashdot",
}
MOST_NAMED_DEVICES = 2  # the lines of further ones are told by colour and on hover


class HasProducts(Protocol):
    """A sweep, whole or as far as it is."""

    @property
    def points(self) -> tuple[MatmulPoint, ...]:
        """What was measured."""
        ...


class HasCopies(Protocol):
    """Copies over sizes, all or as far as they are."""

    @property
    def points(self) -> tuple[CopyPoint, ...]:
        """What was measured."""
        ...


@drawn_once
def product_times(report: HasProducts, palette: Palette, words: Words) -> go.Figure:
    """Draw one line for each device and dtype, and where a GPU overtakes the CPU.

    Args:
        report: The sweep.
        palette: The colours of the theme.
        words: Needs ``axes_products``, ``repeats`` and ``crossing``.
    """
    points = report.points
    if not points:
        return go.Figure({"layout": {"template": {}, "height": 10}})
    sizes = sorted({point.size for point in points})
    times = [point.median_seconds for point in points]
    chart = LineChart(
        palette,
        x=(sizes[0], sizes[-1]),
        y=(min(times), max(times)),
        x_ticks=sizes[::-1][::2],
        write_x=str,
        write_y=format_seconds,
        title=words["axes_products"],
        label_room=0.32,
    )
    devices = list(dict.fromkeys(point.device for point in points))
    for device in devices:
        colour = palette.device(device)
        for dtype in DataType:
            line = curve(points, device, dtype)
            if not line:
                continue
            chart.add_line(
                [(point.size, point.median_seconds) for point in line],
                name=f"{device} {dtype.value}",
                label=dtype.value if device in devices[:MOST_NAMED_DEVICES] else "",
                colour=colour.fill,
                text_colour=colour.text,
                dash=DASHES[dtype],
                told=[_tell_product(point, words) for point in line],
            )
    if isinstance(report, MatmulSweepReport):
        for each in report.crossovers:
            chart.add_crossing(
                each.size,
                each.seconds,
                name=f"crossover {each.device} {each.dtype.value}",
                label=f"{words['crossing']}: {each.device} {each.dtype.value}, n ≈ {each.size:.0f}",
            )
    return go.Figure(chart.spec())


def _tell_product(point: MatmulPoint, words: Words) -> str:
    return (
        f"{point.device} {point.dtype.value}, n = {point.size}<br>{point.median} "
        f"({point.spread})<br>{point.gflops:.3g} GFLOP/s, {words['repeats']}: {point.repeats}"
    )


@drawn_once
def bandwidths(report: HasCopies, palette: Palette, words: Words) -> go.Figure:
    """Draw one line for each way that bytes go.

    Args:
        report: The copies.
        palette: The colours of the theme.
        words: Needs ``axes_copies``, ``repeats`` and one ``short_…`` for each way.
    """
    points = report.points
    if not points:
        return go.Figure({"layout": {"template": {}, "height": 10}})
    sizes = sorted({point.size_bytes for point in points})
    rates = [point.gigabytes_per_second for point in points]
    chart = LineChart(
        palette,
        x=(sizes[0], sizes[-1]),
        y=(min(rates), max(rates)),
        x_ticks=[size for size in sizes if size.bit_length() % 4 == 1],
        write_x=format_short,
        write_y="{:g}".format,
        title=words["axes_copies"],
        label_room=0.58,
    )
    devices = list(dict.fromkeys(point.device for point in points))
    for device, way in dict.fromkeys((point.device, point.way) for point in points):
        line = [point for point in points if (point.device, point.way) == (device, way)]
        colour = palette.device(device)
        chart.add_line(
            [(point.size_bytes, point.gigabytes_per_second) for point in line],
            name=f"{device} {way.value}",
            label=words[f"short_{way}"] if device in devices[:MOST_NAMED_DEVICES] else "",
            colour=colour.fill,
            text_colour=colour.text,
            dash=WAY_DASHES[way],
            told=[_tell_copy(point, words) for point in line],
        )
    return go.Figure(chart.spec())


def _tell_copy(point: CopyPoint, words: Words) -> str:
    return (
        f"{point.device}, {words[f'short_{point.way}']}, {format_short(point.size_bytes)}<br>"
        f"{point.median} ({point.spread})<br>{point.gigabytes_per_second:.3g} GB/s, "
        f"{words['repeats']}: {point.repeats}"
    )


def format_short(size_bytes: int) -> str:
    """Write a power of two without decimals.

    >>> format_short(4096), format_short(64 * 2**20)
    ('4 KiB', '64 MiB')
    """
    for unit, name in ((GIBIBYTE, "GiB"), (MEBIBYTE, "MiB"), (KIBIBYTE, "KiB")):
        if size_bytes >= unit:
            return f"{size_bytes / unit:g} {name}"
    return f"{size_bytes} B"
