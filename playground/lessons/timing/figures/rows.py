"""A few times beside each other: a mark for the median on a line for the middle half."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from playground.lessons.timing.records import (
    CompareClocksReport,
    LogLossesReport,
    SplitCopyReport,
    Timed,
)
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, Sketch, tinted

ROW = 40
EDGE = 8
BAR = 12
NARROW_TEXT = 12


@drawn_once
def clocks(report: CompareClocksReport, palette: Palette, words: Words) -> go.Figure:
    """Draw what each clock says, on a logarithmic line.

    Args:
        report: The comparison.
        palette: The colours of the theme.
        words: Needs one ``clock_…`` for each clock.
    """
    rows = [(each.device, words[f"clock_{each.clock}"], each) for each in report.readings]
    return _draw(rows, palette, is_logarithmic=True)


@drawn_once
def pieces(report: SplitCopyReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the time of one big copy and of many small ones, on a logarithmic line.

    Args:
        report: The comparison.
        palette: The colours of the theme.
        words: Needs one ``short_…`` for each way.
    """
    rows = [
        (each.device, f"{words[f'short_{each.way}']} · {each.pieces} ×", each)
        for each in report.points
    ]
    return _draw(rows, palette, is_logarithmic=True)


@drawn_once
def runs(report: LogLossesReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the time of every training run as a bar that begins at nothing.

    Args:
        report: The comparison.
        palette: The colours of the theme.
        words: Needs one ``logging_…`` for each way of logging.
    """
    rows = [(each.device, words[f"logging_{each.logging}"], each) for each in report.points]
    return _draw(rows, palette, is_logarithmic=False)


def _draw(
    rows: Sequence[tuple[str, str, Timed]], palette: Palette, *, is_logarithmic: bool
) -> go.Figure:
    height = ROW * len(rows) + EDGE
    times = [time for _, _, each in rows for time in (each.low_seconds, each.high_seconds)]
    across = (0.0, max(times) * 1.03)
    if is_logarithmic:
        across = (math.log10(min(times)) - 0.15, math.log10(max(times)) + 0.15)
    sketch = Sketch(
        palette,
        height=height,
        across=across,
        upwards=(0, height),
        font={"size": NARROW_TEXT},
        hover_font={"family": MONOSPACE, "size": NARROW_TEXT},
    )
    for index, (device, label, timed) in enumerate(rows):
        middle = height - EDGE - index * ROW - 28
        _draw_texts(sketch, device, label, timed, middle, palette)
        if is_logarithmic:
            _draw_mark(sketch, device, label, timed, middle, across, palette)
        else:
            _draw_bar(sketch, device, label, timed, middle, palette)
    return go.Figure(sketch.spec())


def _draw_texts(
    sketch: Sketch, device: str, label: str, timed: Timed, middle: float, palette: Palette
) -> None:
    name = f"<b>{device}</b> · {label}"
    sides = (
        (0, "left", name, palette.device(device).text),
        (1, "right", timed.median, palette.ink),
    )
    for x, anchor, text, colour in sides:
        sketch.add_annotation(
            xref="paper",
            x=x,
            y=middle + BAR / 2 + 1,
            xanchor=anchor,
            yanchor="bottom",
            text=text,
            font={"color": colour, "size": NARROW_TEXT},
        )


def _told(device: str, label: str, timed: Timed) -> str:
    return f"{device}, {label}<br>{timed.median} ({timed.spread})<extra></extra>"


def _draw_mark(
    sketch: Sketch,
    device: str,
    label: str,
    timed: Timed,
    middle: float,
    across: tuple[float, float],
    palette: Palette,
) -> None:
    colour = palette.device(device).fill
    spans = (
        (across[0], across[1], palette.line, 1),
        (math.log10(timed.low_seconds), math.log10(timed.high_seconds), tinted(colour, 0.45), 7),
    )
    for begin, end, line_colour, width in spans:
        sketch.add_shape(
            type="line",
            x0=begin,
            x1=end,
            y0=middle,
            y1=middle,
            line={"color": line_colour, "width": width},
            layer="below",
        )
    sketch.add_scatter(
        x=[math.log10(timed.median_seconds)],
        y=[middle],
        name=f"{device} {label}",
        mode="markers",
        marker={"color": colour, "size": 12, "line": {"color": palette.paper, "width": 1.5}},
        hovertemplate=_told(device, label, timed),
    )


def _draw_bar(
    sketch: Sketch, device: str, label: str, timed: Timed, middle: float, palette: Palette
) -> None:
    colour = palette.device(device).fill
    sketch.add_bar(
        orientation="h",
        name=f"{device} {label}",
        x=[timed.median_seconds],
        y=[middle],
        width=[BAR],
        marker={"color": colour},
        hovertemplate=_told(device, label, timed),
    )
    sketch.add_shape(
        type="line",
        x0=timed.low_seconds,
        x1=timed.high_seconds,
        y0=middle,
        y1=middle,
        line={"color": palette.ink, "width": 2},
    )
