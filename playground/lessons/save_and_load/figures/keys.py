"""The keys of a file left, those of a network right, and what joins them."""

import plotly.graph_objects as go

from playground.checkpoints.keys import Fit, KeyRow
from playground.lessons.save_and_load.figures.marks import add_text, surface
from playground.lessons.save_and_load.records import CompareKeysReport
from playground.lessons.save_and_load.records.numbers import shape_text
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch
from playground.sketch.canvas import rule, write

HEAD, ROW = 28, 36
MOST_DRAWN = 12
MOST_LETTERS = 19
LEFT, RIGHT = 0.39, 0.61  # where the names end and begin
ORDER = (Fit.SIZE_MISMATCH, Fit.UNEXPECTED, Fit.MISSING, Fit.NO_TENSOR, Fit.FITS)


@drawn_once
def keys(report: CompareKeysReport, palette: Palette, words: Words) -> go.Figure:
    """Draw a line where a key is on both sides; the ones that do not fit come first.

    Args:
        report: The keys.
        palette: The colours of the theme.
        words: Needs ``in_the_file``, ``in_the_network`` and ``more_keys``, with their number.
    """
    rows = sorted(report.rows, key=lambda row: ORDER.index(row.fit))[:MOST_DRAWN]
    left_out = len(report.rows) - len(rows)
    height = HEAD + ROW * len(rows) + (22 if left_out else 0)
    sketch = surface(palette, height)
    for x, label, anchor in ((LEFT, "in_the_file", "right"), (RIGHT, "in_the_network", "left")):
        write(sketch, words[label], x, height - HEAD / 2, palette.muted, anchor=anchor, size=11)
    for index, row in enumerate(rows):
        y = height - HEAD - ROW * (index + 0.5)
        _draw_row(sketch, row, y, palette)
    if left_out:
        text = words["more_keys"].format(count=left_out)
        write(sketch, text, 0, 11, palette.muted)
    return go.Figure(sketch.spec())


def _draw_row(sketch: Sketch, row: KeyRow, y: float, palette: Palette) -> None:
    colour = palette.success if row.fit is Fit.FITS else palette.trouble
    is_in_file, is_in_network = row.fit is not Fit.MISSING, row.fit is not Fit.UNEXPECTED
    for is_there, x, anchor, shape, side in (
        (is_in_file, LEFT, "middle left", row.in_file, "file"),
        (is_in_network, RIGHT, "middle right", row.in_network, "network"),
    ):
        text = row.name if len(row.name) <= MOST_LETTERS else f"…{row.name[1 - MOST_LETTERS :]}"
        add_text(
            sketch,
            f"{side} {row.name}",
            text if is_there else "—",
            x,
            y + 7,
            textposition=anchor,
            colour=palette.ink if is_there else palette.trouble,
            hover=f"{row.name} {shape_text(shape)}",
        )
        if is_there:
            place = "right" if side == "file" else "left"
            write(sketch, shape_text(shape), x, y - 9, palette.muted, anchor=place, size=11)
    if is_in_file and is_in_network:
        dash = "solid" if row.fit is Fit.FITS else "dot"
        rule(sketch, (LEFT + 0.02, RIGHT - 0.02), (y, y), colour, dash)
    mark = {Fit.FITS: "✓", Fit.SIZE_MISMATCH: "≠"}.get(row.fit, "✗")
    write(sketch, f"<b>{mark}</b>", (LEFT + RIGHT) / 2, y + 9, colour, anchor="center", size=13)
