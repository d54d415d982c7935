"""Gradients as an addition on paper: part under part, a rule, the tied gradient below it."""

import plotly.graph_objects as go

from playground.lessons.tied_parameters.figures.shapes import shade, write
from playground.lessons.tied_parameters.records import Matrix, TiedGradientReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, Sketch
from playground.sketch.canvas import canvas, draw_box

CAPTION, CELL, GAP = 22, 22, 8
SIDE = 0.07  # of the width, for the signs


@drawn_once
def addition(report: TiedGradientReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the part of every place, and the gradient of the tied weight.

    Args:
        report: The gradients.
        palette: The colours of the theme.
        words: Needs ``part_of``, with the place, and ``tied_gradient``.
    """
    rows = len(report.tied)
    block = CAPTION + CELL * rows + GAP
    height = block * (len(report.parts) + 1) + 6
    sketch = canvas(palette, height)
    most = max(abs(each) for row in report.tied for each in row)
    top = float(height)
    for index, (place, part) in enumerate(zip(report.places, report.parts, strict=True)):
        caption = words["part_of"].format(place=f"net[{place}]")
        sign = "+" if index else ""
        _draw_matrix(sketch, f"part {index}", part, top, palette, caption, sign, most)
        top -= block
    sketch.add_shape(
        type="line",
        x0=0,
        x1=1,
        y0=top + GAP / 2,
        y1=top + GAP / 2,
        line={"color": palette.ink, "width": 1.6},
    )
    sign = "=" if report.actual == "sum" else "≠"
    _draw_matrix(sketch, "tied", report.tied, top - 6, palette, words["tied_gradient"], sign, most)
    return go.Figure(sketch.spec())


def _draw_matrix(
    sketch: Sketch,
    name: str,
    matrix: Matrix,
    top: float,
    palette: Palette,
    caption: str,
    sign: str,
    most: float,
) -> None:
    width = (1 - SIDE) / len(matrix[0])
    write(sketch, SIDE, top - CAPTION / 2, caption, palette.muted, xanchor="left")
    if sign:
        middle = top - CAPTION - CELL * len(matrix) / 2
        write(sketch, SIDE / 2, middle, f"<b>{sign}</b>", palette.ink, size=18)
    cells = [(r, c, value) for r, row in enumerate(matrix) for c, value in enumerate(row)]
    for r, c, value in cells:
        box = (SIDE + c * width, top - CAPTION - (r + 1) * CELL, width, float(CELL))
        draw_box(sketch, box, fill=shade(value, most, palette), edge=palette.line, width=0.8)
    sketch.add_scatter(
        x=[SIDE + (c + 0.5) * width for _, c, _ in cells],
        y=[top - CAPTION - (r + 0.5) * CELL for r, _, _ in cells],
        name=name,
        mode="text",
        text=[f"{value:.3f}".replace("-", "−") for *_, value in cells],
        textfont={"color": palette.ink, "size": 12, "family": MONOSPACE},
        hovertext=[f"grad[{r}, {c}] = {value:.6g}" for r, c, value in cells],
        hovertemplate="%{hovertext}<extra></extra>",
    )
