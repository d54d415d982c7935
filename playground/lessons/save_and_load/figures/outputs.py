"""The outputs of a network and of its clone, one under the other, and which of them are equal."""

import plotly.graph_objects as go

from playground.lessons.save_and_load.figures.marks import add_text, surface
from playground.lessons.save_and_load.records import RestoreModelReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import draw_box, write

CAPTION, CELL, GAP = 22, 24, 10


@drawn_once
def outputs(report: RestoreModelReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the first numbers of both outputs.

    Args:
        report: The outputs.
        palette: The colours of the theme.
        words: Needs ``output_of`` and ``cloned_output_of``.
    """
    rows = len(report.output)
    block = CAPTION + CELL * rows + GAP
    sketch = surface(palette, 2 * block - GAP)
    top = 2.0 * block - GAP
    for name, label, grid in (
        ("Y", "output_of", report.output),
        ("Y_clone", "cloned_output_of", report.cloned_output),
    ):
        write(sketch, words[label], 0, top - CAPTION / 2, palette.muted)
        for index, row in enumerate(grid):
            y = top - CAPTION - CELL * (index + 1)
            for place, number in enumerate(row):
                is_equal = number == report.output[index][place]
                _draw_cell(
                    sketch, (name, index, place), number, y, len(row), palette, is_equal=is_equal
                )
        top -= block
    return go.Figure(sketch.spec())


def _draw_cell(
    sketch: Sketch,
    at: tuple[str, int, int],
    number: float,
    y: float,
    columns: int,
    palette: Palette,
    *,
    is_equal: bool,
) -> None:
    name, row, place = at
    is_clone = name != "Y"
    colour = palette.success if is_equal else palette.trouble
    width = 1 / max(columns, 3)
    draw_box(
        sketch,
        (place * width, y + 1, width - 0.006, CELL - 2),
        fill=tinted(colour, 0.14) if is_clone else None,
        edge=colour if is_clone else palette.line,
    )
    mark = ("✓ " if is_equal else "✗ ") if is_clone else ""
    add_text(
        sketch,
        f"{name}[{row}, {place}]",
        f"{mark}{number:.3f}".replace("-", "−"),
        (place + 0.5) * width,
        y + CELL / 2,
        colour=palette.ink,
        hover=f"{name}[{row}, {place}] = {number!r}",
    )
