"""What ``named_parameters`` lists: names with their shapes, line by line."""

import plotly.graph_objects as go

from playground.lessons.parameters.figures.boxes import box
from playground.lessons.parameters.records import NameParametersReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import tinted
from playground.sketch.canvas import canvas, write

ROW = 26
EDGE = 4
MOST_ROWS = 24
DIMENSION = 0.075  # of the width: the side of the largest size


@drawn_once
def names(report: NameParametersReport, palette: Palette, words: Words) -> go.Figure:
    """Draw each entry: its name, its shape, and a rectangle as wide and high as the shape says.

    Args:
        report: A network whose parameters were listed.
        palette: The colours of the theme.
        words: Needs ``more_rows``.
    """
    rows = report.listed[:MOST_ROWS]
    left = report.entries - len(rows)
    height = 2 * EDGE + ROW * (len(rows) + bool(left))
    sketch = canvas(palette, height)
    most = max((size for _, shape in rows for size in shape or ()), default=1)
    for index, (name, shape) in enumerate(rows):
        y = height - EDGE - ROW * (index + 0.5)
        sketch.add_scatter(
            name=name,
            x=[0.0],
            y=[y],
            mode="text",
            text=[name],
            textposition="middle right",
            textfont={"size": 12, "color": palette.ink, "family": "monospace"},
            hovertext=[f"{name} {shape}"],
            hovertemplate="%{hovertext}<extra></extra>",
        )
        told = "—" if shape is None else str(tuple(shape))
        write(sketch, told, 0.84, y, palette.muted, anchor="right", is_code=True)
        high, wide = _sides(shape or (), most)
        box(
            sketch,
            0.88,
            0.88 + DIMENSION * wide,
            y - high * (ROW - 6) / 2,
            y + high * (ROW - 6) / 2,
            fill=tinted(palette.accent, 0.25),
            edge=palette.accent,
        )
    if left:
        write(sketch, words["more_rows"].format(count=left), 0, EDGE + ROW / 2, palette.muted)
    return go.Figure(sketch.spec())


def _sides(shape: tuple[int, ...], most: int) -> tuple[float, float]:
    """Height and width from 0 to 1: a vector is one row high; square roots keep the small seen."""
    rest = 1
    for size in shape[1:]:
        rest *= size
    high, wide = (shape[0], rest) if len(shape) > 1 else (1, shape[0] if shape else 1)
    return min(1.0, max(0.12, (high / most) ** 0.5)), min(1.5, max(0.12, (wide / most) ** 0.5))
