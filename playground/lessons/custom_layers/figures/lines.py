"""Values on a number line, and means on a logarithmic one."""

import math

import plotly.graph_objects as go

from playground.lessons.custom_layers.records import CenterValuesReport, MeasureMeanReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, Sketch
from playground.sketch.canvas import canvas, rule

LANE = 74
FOOT = 22
HEIGHT = 216
BASE = 40
DOTS = (66, 118)  # px between which the other seeds lie
SCATTER = 7  # so many heights, one after the other
MARKS = (206, 188, 170)  # heights of the names of the vertical lines


@drawn_once
def shift(report: CenterValuesReport, palette: Palette, words: Words) -> go.Figure:
    """Draw every value on a line before the layer, and on another after it.

    Args:
        report: Values that the layer took.
        palette: The colours of the theme.
        words: Needs ``before`` and ``after``.
    """
    everything = [each for rows in (report.before, report.after) for row in rows for each in row]
    least, most = min(everything), max(everything)
    room = (most - least) * 0.06
    height = 2 * LANE + FOOT
    sketch = canvas(palette, height, (least - room, most + room))
    rule(sketch, (0, 0), (FOOT, height), palette.muted, "dot")
    sketch.add_annotation(x=0, y=FOOT - 10, text="0", font={"color": palette.muted, "size": 12})
    for index, (name, rows) in enumerate((("before", report.before), ("after", report.after))):
        y = height - LANE * index - LANE + 14
        rule(sketch, (least - room, most + room), (y, y), palette.line)
        sketch.add_annotation(
            xref="paper",
            x=0,
            y=y + 42,
            xanchor="left",
            text=words[name],
            font={"color": palette.muted, "size": 12},
        )
        for number, row in enumerate(rows):
            sketch.add_scatter(
                x=list(row),
                y=[y] * len(row),
                name=f"{name} {number}",
                mode="markers+text",
                marker={
                    "symbol": ("circle", "diamond")[number % 2],
                    "size": 12,
                    "color": (palette.accent, palette.success)[number % 2],
                    "opacity": 1,
                },
                text=[f"{each:g}" for each in row],
                textposition="top center",
                textfont={"color": palette.ink, "size": 11, "family": MONOSPACE},
                hovertemplate="%{x}<extra></extra>",
            )
    return go.Figure(sketch.spec())


@drawn_once
def magnitudes(report: MeasureMeanReport, palette: Palette, words: Words) -> go.Figure:
    """Draw how far each mean is from 0, on a logarithmic line; exact zeros stand apart.

    Args:
        report: The means of many seeds.
        palette: The colours of the theme.
        words: Needs ``mark_size``, ``mark_unit``, ``mark_step``, ``exactly`` and ``this_seed``.
    """
    marks = (
        ("size", report.size, words["mark_size"]),
        ("unit", report.unit, words["mark_unit"]),
        ("step", report.step, words["mark_step"]),
    )
    numbers = [abs(each) for each in report.others] + [value for _, value, _ in marks]
    low = math.floor(min(math.log10(each) for each in numbers if each)) - 1
    high = 1.0
    pocket = low - (high - low) * 0.12
    sketch = canvas(palette, HEIGHT, (pocket - (high - low) * 0.09, high))
    _draw_axis(sketch, low, pocket, palette, words)
    for (name, value, label), top in zip(marks, MARKS, strict=True):
        _draw_mark(sketch, name, value, label, top, (low, high), palette)
    for index, value in reversed(list(enumerate(report.others))):
        is_chosen = index == 0
        x = math.log10(abs(value)) if value else pocket
        y = sum(DOTS) / 2 if is_chosen else _height_of(index)
        sketch.add_scatter(
            x=[x],
            y=[y],
            name="chosen" if is_chosen else f"seed {report.seed + index}",
            mode="markers",
            marker={
                "size": 15 if is_chosen else 6,
                "color": palette.accent if is_chosen else palette.muted,
                "opacity": 1 if is_chosen else 0.7,
                "line": {"color": palette.paper, "width": 1.5 if is_chosen else 0},
            },
            hovertemplate=f"seed {report.seed + index}: {value:.3g}<extra></extra>",
        )
        if is_chosen:
            sketch.add_annotation(
                x=x,
                y=DOTS[1] + 14,
                xanchor="left" if x < (low + high) / 2 else "right",
                text=f"<b>{words['this_seed']}</b>",
                font={"color": palette.accent, "size": 12},
            )
    return go.Figure(sketch.spec())


def _height_of(index: int) -> float:
    return DOTS[0] + (DOTS[1] - DOTS[0]) * (index * 3 % SCATTER) / (SCATTER - 1)


def _draw_axis(sketch: Sketch, low: int, pocket: float, palette: Palette, words: Words) -> None:
    rule(sketch, (low, 1), (BASE, BASE), palette.muted)
    every = max(1, round((1 - low) / 5))
    muted = {"color": palette.muted, "size": 11}
    for decade in range(0, low - 1, -every):
        rule(sketch, (decade, decade), (BASE - 4, BASE), palette.muted)
        text = "1" if decade == 0 else f"1e{decade}"
        sketch.add_annotation(x=decade, y=BASE - 14, text=text, font=muted)
    rule(sketch, (pocket, pocket), (BASE, DOTS[1] + 6), palette.line, "dot")
    sketch.add_annotation(
        x=pocket, y=BASE - 14, text=f"<b>{words['exactly']}</b>", font={**muted, "size": 12}
    )


def _draw_mark(
    sketch: Sketch,
    name: str,
    value: float,
    label: str,
    top: int,
    span: tuple[float, float],
    palette: Palette,
) -> None:
    if not value:
        return
    x = math.log10(value)
    rule(sketch, (x, x), (BASE, top - 9), palette.muted, "dash")
    is_left = x < sum(span) / 2
    sketch.add_annotation(
        name=name,
        x=x,
        y=top,
        xanchor="left" if is_left else "right",
        text=f"{label} {value:.2g}",
        bgcolor=palette.paper,
        borderpad=0,
        font={"color": palette.ink, "size": 11},
    )
