"""The storage of a large tensor with the part that is meant, and the files that came of it."""

import plotly.graph_objects as go

from playground.lessons.save_and_load.figures.marks import add_text, surface
from playground.lessons.save_and_load.records import SaveViewReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import draw_box
from playground.units import format_bytes

ROW, BAR = 46, 18
LEAST = 0.006  # of the width; what is smaller could not be seen
MOST_MARKS = 40


@drawn_once
def storage(report: SaveViewReport, palette: Palette, words: Words) -> go.Figure:
    """Draw bars to one scale: the storage of ``big``, both files.

    Args:
        report: The sizes.
        palette: The colours of the theme.
        words: Needs ``big_storage``, ``this_file`` and ``cloned_file``.
    """
    most = max(report.big_bytes, report.file_bytes, report.cloned_bytes)
    is_large = report.file_bytes > 2 * report.cloned_bytes
    bars = (
        ("big_storage", report.big_bytes, palette.cpu.fill),
        ("this_file", report.file_bytes, palette.trouble if is_large else palette.success),
        ("cloned_file", report.cloned_bytes, palette.accent),
    )
    height = ROW * len(bars)
    sketch = surface(palette, height)
    for index, (label, size, colour) in enumerate(bars):
        top = height - ROW * index
        add_text(
            sketch,
            label,
            f"{words[label]}: <b>{format_bytes(size)}</b>",
            0,
            top - 10,
            textposition="middle right",
            colour=palette.ink,
            size=12,
            is_code=False,
            hover=f"{size:,} bytes",
        )
        end = max(size / most, LEAST)
        box = (0.0, top - 20 - BAR, end, BAR)
        draw_box(sketch, box, fill=tinted(colour, 0.3), edge=colour)
    if report.shares_storage:
        _mark_part(sketch, report, palette, height)
    return go.Figure(sketch.spec())


def _mark_part(sketch: Sketch, report: SaveViewReport, palette: Palette, height: float) -> None:
    """Mark where the numbers of the part lie in the storage; as many marks as can be told apart."""
    scale = report.big_bytes / max(report.big_bytes, report.file_bytes, report.cloned_bytes)
    marks = min(report.numbers, MOST_MARKS) if report.stride > 1 else 1
    for index in range(marks):
        left = index / marks * scale
        box = (left, height - 20 - BAR, LEAST, BAR)
        draw_box(sketch, box, fill=palette.ink, edge=palette.ink, width=0.5)
