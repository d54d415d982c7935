"""The ledger as a picture: names left, Parameter objects in the middle, storages right."""

from collections.abc import Iterable

import plotly.graph_objects as go

from playground.lessons.tied_parameters.figures.shapes import draw_line, write
from playground.lessons.tied_parameters.records import CountTiedReport, Named
from playground.palette import Palette, Words, drawn_once
from playground.sketch import MONOSPACE, Sketch, tinted
from playground.sketch.canvas import canvas, draw_box

HEAD, ROW, BOX = 28, 26, 20
MOST_DRAWN = 16  # names; tied ones first
MOST_LETTERS = 22
NAMES = 0.43  # where they end
OBJECTS, STORAGES = 0.53, 0.84  # where the boxes begin
OBJECT_WIDTH, STORAGE_WIDTH = 0.21, 0.155  # short of the edge, which would cut the last line


@drawn_once
def ledger(report: CountTiedReport, palette: Palette, words: Words) -> go.Figure:
    """Draw a line from every name to its Parameter, and from every Parameter to its storage.

    Args:
        report: The names of a network.
        palette: The colours of the theme.
        words: Needs ``name``, ``object``, ``storage`` and ``more_names``, with their number.
    """
    rows = _chosen(report)
    left_out = len(report.rows) - len(rows)
    height = HEAD + ROW * len(rows) + (ROW if left_out else 4)
    sketch = canvas(palette, height)
    heads = (
        (NAMES, "name", "right"),
        (OBJECTS + OBJECT_WIDTH / 2, "object", "center"),
        (STORAGES + STORAGE_WIDTH / 2, "storage", "center"),
    )
    for x, label, side in heads:
        write(sketch, x, height - HEAD / 2, words[label], palette.muted, size=11, xanchor=side)
    heights = {row.name: height - HEAD - ROW * (index + 0.5) for index, row in enumerate(rows)}
    objects = _middles((row.object_number, heights[row.name]) for row in rows)
    storages = _middles(
        (row.storage_number, heights[row.name]) for row in rows if row.storage_number
    )
    tied = {row.name for group in report.groups for row in group}
    for row in rows:
        colour = palette.accent if row.name in tied else palette.line
        _draw_name(sketch, row, heights[row.name], palette)
        middle = objects[row.object_number]
        draw_line(sketch, (NAMES + 0.01, heights[row.name]), (OBJECTS, middle), colour)
        if row.storage_number:
            end = (STORAGES, storages[row.storage_number])
            draw_line(sketch, (OBJECTS + OBJECT_WIDTH, middle), end, colour)
    shared = {row.object_number for row in rows if row.name in tied}
    for number, y in objects.items():
        row = next(each for each in rows if each.object_number == number)
        shape = "?" if row.shape is None else "×".join(map(str, row.shape)) or "1"
        _draw_box(sketch, OBJECTS, OBJECT_WIDTH, y, f"P{number} {shape}", palette, number in shared)
    shared = {row.storage_number or 0 for row in rows if row.name in tied}
    for number, y in storages.items():
        _draw_box(sketch, STORAGES, STORAGE_WIDTH, y, f"S{number}", palette, number in shared)
    if left_out:
        text = words["more_names"].format(count=left_out)
        write(sketch, 0, ROW / 2, text, palette.muted, xanchor="left")
    return go.Figure(sketch.spec())


def _chosen(report: CountTiedReport) -> tuple[Named, ...]:
    """All names, or as many as can be drawn, in their order."""
    tied = [row.name for group in report.groups for row in group]
    first = [*tied, *(row.name for row in report.rows if row.name not in tied)][:MOST_DRAWN]
    return tuple(row for row in report.rows if row.name in first)


def _middles(found: Iterable[tuple[int, float]]) -> dict[int, float]:
    """For each number the middle of the heights that belong to it."""
    heights: dict[int, list[float]] = {}
    for number, height in found:
        heights.setdefault(number, []).append(height)
    return {number: sum(each) / len(each) for number, each in heights.items()}


def _draw_name(sketch: Sketch, row: Named, y: float, palette: Palette) -> None:
    text = row.name
    if len(text) > MOST_LETTERS:
        text = f"…{text[-MOST_LETTERS:]}"
    sketch.add_scatter(
        x=[NAMES],
        y=[y],
        name=row.name,
        mode="text",
        text=[text],
        textposition="middle left",
        textfont={
            "color": palette.ink if row.is_counted else palette.muted,
            "size": 11,
            "family": MONOSPACE,
        },
        hovertext=[f"{row.name}: P{row.object_number}, S{row.storage_number or '—'}"],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _draw_box(
    sketch: Sketch,
    left: float,
    width: float,
    y: float,
    text: str,
    palette: Palette,
    is_shared: bool,
) -> None:
    draw_box(
        sketch,
        (left, y - BOX / 2, width, float(BOX)),
        fill=tinted(palette.accent, 0.16) if is_shared else palette.paper,
        edge=palette.accent if is_shared else palette.line,
    )
    write(sketch, left + width / 2, y, text, palette.ink, size=11, name=text)
