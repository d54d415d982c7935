"""A tensor and an array: two names on one row of memory, or a row each."""

import plotly.graph_objects as go

from playground.lessons.tensors.figures.canvas import canvas
from playground.lessons.tensors.records import ConvertToNumpyReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, Sketch

HEIGHT = 168
UPPER, MIDDLE, LOWER = 128, 84, 40
NAME_X, NAME_END = 0.02, 0.3
CELLS_LEFT, CELLS_RIGHT = 0.36, 0.98
CELL = 40


@drawn_once
def shared_memory(report: ConvertToNumpyReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the memory behind the names ``x`` and ``a`` after the edit.

    Args:
        report: The conversion and the edit.
        palette: The colours of the theme.
        words: Needs ``tensor`` and ``array``.
    """
    sketch = canvas(palette, HEIGHT)
    rows = {"x": MIDDLE, "a": MIDDLE} if report.still_one_memory else {"x": UPPER, "a": LOWER}
    for name in ("x", "a"):
        if name == "x" or (report.array_values and not report.still_one_memory):
            _draw_cells(sketch, report, name, rows[name], palette)
    names = (("x", words["tensor"], UPPER), ("a", words["array"], LOWER))
    for name, kind, height in names:
        is_there = name == "x" or bool(report.array_values)
        _draw_name(sketch, name, kind, height, rows[name], is_there, palette)
    return go.Figure(sketch.spec())


def _draw_cells(
    sketch: Sketch, report: ConvertToNumpyReport, name: str, height: float, palette: Palette
) -> None:
    is_array = name == "a"
    device = "cpu" if is_array else report.device
    values = report.array_values if is_array else report.x_values
    is_edited = report.still_one_memory or report.edits_array == is_array
    edited = report.changed if is_edited else ()
    colour = palette.device(device)
    width = (CELLS_RIGHT - CELLS_LEFT) / len(values)
    sketch.add_scatter(
        x=[CELLS_LEFT + width * (index + 0.5) for index in range(len(values))],
        y=[height] * len(values),
        name=f"{name} @ {device}",
        mode="markers+text",
        marker={
            "symbol": "square",
            "size": CELL,
            "color": colour.fill,
            "line": {
                "color": palette.ink,
                "width": [3 if index in edited else 0 for index in range(len(values))],
            },
            "opacity": 1,
        },
        text=[
            f"<b>{value}</b>" if index in edited else value for index, value in enumerate(values)
        ],
        textposition="middle center",
        textfont={"color": colour.on_fill, "family": MONOSPACE, "size": 13},
        hovertemplate=f"{device} [%{{pointNumber}}]: %{{text}}<extra></extra>",
    )


def _draw_name(
    sketch: Sketch,
    name: str,
    kind: str,
    height: float,
    row: float,
    is_there: bool,
    palette: Palette,
) -> None:
    sketch.add_annotation(
        x=NAME_X,
        y=height,
        xanchor="left",
        text=f"<b>{name}</b>  {kind}",
        font={"color": palette.ink if is_there else palette.muted, "size": 13},
    )
    if not is_there:
        sketch.add_annotation(
            x=(CELLS_LEFT + CELLS_RIGHT) / 2,
            y=height,
            text="<b>✗</b>",
            font={"color": palette.trouble, "size": 18},
        )
        return
    sketch.add_scatter(
        x=[NAME_END, CELLS_LEFT],
        y=[height, row],
        name=f"{name} →",
        mode="lines",
        line={"color": palette.muted, "width": 2},
        hoverinfo="skip",
    )
