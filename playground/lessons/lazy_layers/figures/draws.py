"""Who takes random numbers, in order: on the left with sizes, on the right lazily."""

import plotly.graph_objects as go

from playground.lessons.lazy_layers.figures.lines import line, word
from playground.lessons.lazy_layers.records import CompareSeedsReport, Draw
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import canvas, draw_cell

HEAD = 28
ROW = 30
FOOT = 22
WIDTH = 0.4
MOST_ROWS = 14
MOST_LETTERS = 20


@drawn_once
def draws(report: CompareSeedsReport, palette: Palette, words: Words) -> go.Figure:
    """Draw both orders, the same thing joined by a line: lines that cross are numbers swapped.

    Args:
        report: A network made twice.
        palette: The colours of the theme.
        words: Needs ``with_sizes``, ``made_lazy``, ``while_made``, ``in_forward``, ``more_draws``.
    """
    longest = max(len(report.eager), len(report.lazy))
    rows = min(longest, MOST_ROWS)
    height = HEAD + ROW * rows + (FOOT if longest > rows else 0) + 2
    sketch = canvas(palette, height)
    equal = {each.name for each in report.compared if each.is_equal}
    known = {each.name for each in report.compared}
    lefts = {"with_sizes": 0.002, "made_lazy": 0.998 - WIDTH}
    for (label, left), order in zip(lefts.items(), (report.eager, report.lazy), strict=True):
        word(sketch, left, height - HEAD / 2, f"<b>{words[label]}</b>", palette.ink)
        for row, draw in enumerate(order[:rows]):
            place = (left, height - HEAD - ROW * (row + 1) + 3, WIDTH, ROW - 6)
            colour = palette.muted
            if draw.what in known:
                colour = palette.success if draw.what in equal else palette.trouble
            _draw_one(sketch, draw, (label, row), place, colour, palette, words)
    places = {draw.what: row for row, draw in enumerate(report.lazy[:rows])}
    for row, draw in enumerate(report.eager[:rows]):
        if draw.what in places:
            colour = palette.success if draw.what in equal else palette.trouble
            ys = [height - HEAD - ROW * (each + 0.5) for each in (row, places[draw.what])]
            ends = (0.002 + WIDTH, ys[0]), (0.998 - WIDTH, ys[1])
            line(sketch, *ends, colour if draw.what in known else palette.muted, draw.what)
    if longest > rows:
        word(sketch, 0, FOOT / 2, f"+ {longest - rows} {words['more_draws']}", palette.muted)
    return go.Figure(sketch.spec())


def _draw_one(
    sketch: Sketch,
    draw: Draw,
    at: tuple[str, int],
    place: tuple[float, float, float, float],
    colour: str,
    palette: Palette,
    words: Words,
) -> None:
    label, row = at
    name = draw.what if len(draw.what) <= MOST_LETTERS else f"…{draw.what[1 - MOST_LETTERS :]}"
    when = words["in_forward" if draw.in_forward else "while_made"]
    draw_cell(
        sketch,
        place,
        name=f"{label} {row} {draw.what}",
        text=name,
        told=f"{draw.what}<br>{draw.numbers:,}<br>{when}",
        fill=tinted(colour, 0.12),
        edge=colour,
        ink=palette.ink,
        is_dotted=draw.in_forward,
        size=11 if len(name) <= 16 else 10,
    )
