"""The module tree: modules and tensors line by line, what is registered and what is not."""

from typing import Protocol

import plotly.graph_objects as go

from playground.lessons.blocks.figures.lines import line
from playground.lessons.blocks.records import TreeRow
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch
from playground.sketch.canvas import canvas, write

EDGE = 4
ROW = 24
STEP = 0.055  # to the right for each level
START = 0.03
NAME = 6.9 / 296  # of the width on a phone: one character of the code font


class HasTree(Protocol):
    """A report with a module tree."""

    @property
    def tree(self) -> tuple[TreeRow, ...]:
        """Its lines, from the network down."""


@drawn_once
def tree(report: HasTree, palette: Palette, words: Words) -> go.Figure:
    """Draw the tree; what the module does not know hangs on a dotted line.

    Args:
        report: Anything with a tree.
        palette: The colours of the theme.
        words: Needs ``not_registered``.
    """
    rows = report.tree
    has_key = any(not row.is_registered for row in rows)
    height = 2 * EDGE + ROW * (len(rows) + has_key)
    sketch = canvas(palette, height)
    levels: dict[int, float] = {}
    for index, row in enumerate(rows):
        y = height - EDGE - ROW * (index + 0.5)
        x = START + STEP * row.depth
        if row.depth:
            _draw_branch(sketch, row, x, y, levels[row.depth - 1], palette)
        levels[row.depth] = y
        _draw_row(sketch, row, x, y, palette)
    if has_key:
        y = EDGE + ROW / 2
        line(sketch, [START, START + 0.07], [y, y], palette.trouble, 1.6, "dot")
        write(sketch, words["not_registered"], START + 0.09, y, palette.trouble, size=11)
    return go.Figure(sketch.spec())


def _draw_branch(
    sketch: Sketch, row: TreeRow, x: float, y: float, above: float, palette: Palette
) -> None:
    elbow = x - STEP
    colour = palette.muted if row.is_registered else palette.trouble
    line(
        sketch,
        [elbow, elbow, x - 0.014],
        [above - 8, y, y],
        colour,
        1.2 if row.is_registered else 1.6,
        "solid" if row.is_registered else "dot",
    )


def _draw_row(sketch: Sketch, row: TreeRow, x: float, y: float, palette: Palette) -> None:
    is_tensor = row.device is not None
    colour = palette.device(row.device).fill if row.device else palette.accent
    edge = palette.ink if row.is_registered else palette.trouble
    said = f"<b>{row.name}</b> {row.type_name} {row.note} {row.device or ''}"
    sketch.add_scatter(
        x=[x],
        y=[y],
        name=row.name,
        mode="markers",
        marker={
            "symbol": "square" if is_tensor else "circle",
            "size": 11 if is_tensor else 10,
            "color": palette.trouble if row.is_trouble else colour,
            "line": {"color": edge, "width": 0 if row.is_registered else 2},
            "opacity": 1,
        },
        hovertemplate=f"{said}<extra></extra>",
    )
    ink = palette.trouble if row.is_trouble or not row.is_registered else palette.ink
    text = f"<b>{row.name}</b> {row.type_name}{' <b>✗</b>' if row.is_trouble else ''}"
    write(sketch, text, x + 0.03, y, ink, is_code=True, size=11)
    if row.device:
        device = palette.device(row.device).text
        write(sketch, f"<b>{row.device}</b>", 0.99, y, device, anchor="right", size=11)
    elif row.note:
        write(sketch, row.note, 0.99, y, palette.muted, anchor="right", is_code=True, size=11)
