"""Two places of a network, and the weight that each of them leads to."""

import plotly.graph_objects as go

from playground.lessons.tied_parameters.figures.shapes import draw_line, shade, write
from playground.lessons.tied_parameters.records import Matrix, ShareLayerReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch
from playground.sketch.canvas import canvas, draw_box

BOX, WIRE, CAPTION, CELL = 34, 34, 22, 17
HEIGHT = BOX + WIRE + CAPTION + 8 * CELL + 4
GAP = 0.06


@drawn_once
def places(report: ShareLayerReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the network's places, and lines from two of them to one weight or to two.

    Args:
        report: What was written, and what both weights then hold.
        palette: The colours of the theme.
        words: Needs ``one_weight``.
    """
    sketch = canvas(palette, HEIGHT)
    width = 1 / report.length
    for place in range(report.length):
        is_ours = place in (2, 4)
        draw_box(
            sketch,
            (place * width + 0.006, HEIGHT - BOX + 2, width - 0.012, BOX - 8),
            fill=None,
            edge=palette.accent if is_ours else palette.line,
        )
        colour = palette.ink if is_ours else palette.muted
        text = f"<b>[{place}]</b>" if is_ours else f"[{place}]"
        write(sketch, (place + 0.5) * width, HEIGHT - BOX / 2 - 2, text, colour)
    grids: list[tuple[str, float, Matrix, tuple[int, ...]]]
    if report.is_same_layer:
        grids = [("shared", 0.5 - (1 - GAP) / 4, report.first, (2, 4))]
    else:
        second = ("net[4]", (1 + GAP) / 2, report.second, (4,))
        grids = [("net[2]", 0.0, report.first, (2,)), second]
    for name, left, weight, leading in grids:
        is_written = report.is_same_layer or report.position.number in leading
        _draw_weight(sketch, name, left, weight, palette, is_written=is_written)
        for place in leading:
            start = ((place + 0.5) * width, HEIGHT - BOX - 4.0)
            end = (left + (1 - GAP) / 4, HEIGHT - BOX - WIRE + 4.0)
            draw_line(sketch, start, end, palette.accent)
    if report.is_same_layer:
        top = HEIGHT - BOX - WIRE - CAPTION - 4 * CELL
        x = 0.5 + (1 - GAP) / 4 + 0.015
        write(sketch, x, top, words["one_weight"], palette.muted, xanchor="left", align="left")
    return go.Figure(sketch.spec())


def _draw_weight(
    sketch: Sketch, name: str, left: float, weight: Matrix, palette: Palette, *, is_written: bool
) -> None:
    """A weight as cells; the corner tells its number, framed where it was written."""
    top = HEIGHT - BOX - WIRE - CAPTION
    cell = (1 - GAP) / 2 / len(weight)
    most = max(abs(each) for row in weight for each in row[1:])
    for r, row in enumerate(weight):
        for c, value in enumerate(row):
            is_corner = r == c == 0
            box = (left + c * cell, top - (r + 1) * CELL, cell, float(CELL))
            edge = palette.accent if is_corner and is_written else palette.line
            fill = shade(value, most, palette)
            draw_box(sketch, box, fill=fill, edge=edge, width=2.4 if edge != palette.line else 0.6)
    corner = f"{name}.weight[0, 0] = <b>{weight[0][0]:.3g}</b>"
    colour = palette.ink if is_written else palette.muted
    write(sketch, left, top + CAPTION / 2, corner, colour, size=11, xanchor="left", name=name)
    cells = [(r, c) for r in range(len(weight)) for c in range(len(weight))]
    sketch.add_scatter(
        x=[left + (c + 0.5) * cell for _, c in cells],
        y=[top - (r + 0.5) * CELL for r, _ in cells],
        name=name,
        mode="markers",
        marker={"size": CELL, "opacity": 0},
        text=[f"{name}.weight[{r}, {c}] = {weight[r][c]:.3g}" for r, c in cells],
        hovertemplate="%{text}<extra></extra>",
    )
