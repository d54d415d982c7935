"""Parameters line by line: what the state_dict keeps, and what is frozen."""

import plotly.graph_objects as go

from playground.lessons.parameters.figures.boxes import box
from playground.lessons.parameters.records import Counted, FreezeByNameReport, KeepStateReport
from playground.lessons.parameters.records.explained import shape_text
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import canvas, write

ROW = 24
EDGE = 4
KEY = 26
MOST_ROWS = 24
NAMES = 0.5  # of the width
LETTERS = 20  # of a name that has room there on a phone
LEAST_BAR = 0.008


@drawn_once
def kept(report: KeepStateReport, palette: Palette, words: Words) -> go.Figure:
    """Draw each tensor of the network, and whether it is in the state_dict.

    Args:
        report: A network and its state_dict.
        palette: The colours of the theme.
        words: Needs ``parameter``, ``buffer``, ``plain``, ``kept`` and ``left_out``.
    """
    rows = report.tensors[:MOST_ROWS]
    if report.tensors[MOST_ROWS:]:
        rows = (*rows[:-1], report.tensors[-1])  # what was given stands last
    height = 2 * EDGE + ROW * len(rows)
    sketch = canvas(palette, height)
    for index, each in enumerate(rows):
        y = height - EDGE - ROW * (index + 0.5)
        colour = palette.accent if each.is_saved else palette.trouble
        if not each.is_parameter and each.is_saved:
            colour = palette.success
        kind = "parameter" if each.is_parameter else "buffer" if each.is_registered else "plain"
        box(
            sketch,
            0,
            1,
            y - ROW / 2 + 2,
            y + ROW / 2 - 2,
            fill=tinted(colour, 0.1) if each.is_saved else None,
            edge=tinted(colour, 0.35) if each.is_saved else colour,
            dash="solid" if each.is_saved else "dot",
        )
        write(sketch, _cut(each.name), 0.015, y, palette.ink, is_code=True, size=11)
        write(sketch, shape_text(each.shape), 0.48, y, palette.muted, is_code=True, size=11)
        write(sketch, words[kind], 0.64, y, colour, size=11)
        said = f"✓ {words['kept']}" if each.is_saved else f"✗ {words['left_out']}"
        write(sketch, said, 0.985, y, colour, anchor="right", size=11)
    return go.Figure(sketch.spec())


@drawn_once
def counts(report: FreezeByNameReport, palette: Palette, words: Words) -> go.Figure:
    """Draw a bar for each parameter, as long as it has numbers; frozen ones are hollow.

    Args:
        report: A network with a part frozen.
        palette: The colours of the theme.
        words: Needs ``key_trainable``, ``key_frozen``, ``key_changed`` and ``more_rows``.
    """
    rows = report.rows[:MOST_ROWS]
    left = len(report.rows) - len(rows)
    height = 2 * EDGE + KEY + ROW * (len(rows) + bool(left))
    sketch = canvas(palette, height)
    most = max((row.numbers for row in report.rows), default=0) or 1
    for index, row in enumerate(rows):
        _draw_count(sketch, row, height - EDGE - ROW * (index + 0.5), most, palette)
    if left:
        write(sketch, words["more_rows"].format(count=left), 0, EDGE + KEY + ROW / 2, palette.muted)
    _draw_key(sketch, palette, words)
    return go.Figure(sketch.spec())


def _draw_count(sketch: Sketch, row: Counted, y: float, most: int, palette: Palette) -> None:
    colour = palette.accent if row.is_trainable else palette.muted
    write(sketch, _cut(row.name), 0, y, palette.ink, is_code=True, size=11)
    width = max(LEAST_BAR, row.numbers / most * 0.32)
    box(
        sketch,
        NAMES,
        NAMES + width,
        y - 7,
        y + 7,
        fill=tinted(colour, 0.75) if row.is_trainable else None,
        edge=colour,
        dash="solid" if row.is_trainable else "dot",
    )
    sketch.add_scatter(
        name=row.name,
        x=[NAMES + width + 0.015],
        y=[y],
        mode="text",
        text=[f"{row.numbers:,}"],
        textposition="middle right",
        textfont={"size": 11, "color": palette.muted},
        hovertext=[f"{row.name} {row.shape}"],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    if row.has_changed:
        is_odd = not row.is_trainable
        ink = palette.trouble if is_odd else palette.success
        write(sketch, "<b>Δ</b>", 0.99, y, ink, anchor="right")


def _draw_key(sketch: Sketch, palette: Palette, words: Words) -> None:
    y = EDGE + KEY / 2 - 4
    box(sketch, 0, 0.035, y - 6, y + 6, fill=tinted(palette.accent, 0.75), edge=palette.accent)
    write(sketch, words["key_trainable"], 0.045, y, palette.muted, size=11)
    box(sketch, 0.3, 0.335, y - 6, y + 6, fill=None, edge=palette.muted, dash="dot")
    write(sketch, words["key_frozen"], 0.345, y, palette.muted, size=11)
    text = f"<b>Δ</b> {words['key_changed']}"
    write(sketch, text, 0.99, y, palette.muted, anchor="right", size=11)


def _cut(name: str) -> str:
    return name if len(name) <= LETTERS else "…" + name[1 - LETTERS :]
