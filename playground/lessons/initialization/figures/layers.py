"""The parameters of a network, one under the other, before and after a rule."""

import plotly.graph_objects as go

from playground.lessons.initialization.records import RecipeReport, Row
from playground.modules.initialiser_types import Sample
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import canvas, rule

LANE, HILL = 74, 40
HEAD = 26
MOST_LANES = 8
LEFT, WIDTH = 0.02, 0.96


@drawn_once
def layers(report: RecipeReport, palette: Palette, words: Words) -> go.Figure:
    """Draw each parameter's values: an outline before, a filled hill after.

    Args:
        report: A network whose parameters were filled.
        palette: The colours of the theme.
        words: Needs ``before``, ``after`` and ``more_parameters``.
    """
    rows = report.rows[:MOST_LANES]
    hidden = len(report.rows) - len(rows)
    height = HEAD + LANE * len(rows) + (20 if hidden else 0)
    sketch = canvas(palette, height)
    for x, name, colour in ((0, "before", palette.muted), (0.5, "after", palette.accent)):
        sketch.add_annotation(
            x=x, y=height - 12, xanchor="left", text=f"▬ {words[name]}", font={"color": colour}
        )
    for number, row in enumerate(rows):
        _draw_lane(sketch, row, height - HEAD - LANE * (number + 1), palette)
    if hidden:
        text = words["more_parameters"].format(count=hidden)
        sketch.add_annotation(x=0, y=9, xanchor="left", text=text, font={"color": palette.muted})
    return go.Figure(sketch.spec())


def _draw_lane(sketch: Sketch, row: Row, floor: float, palette: Palette) -> None:
    low = min(row.before.least, row.after.least)
    high = max(row.before.most, row.after.most)
    if low == high:
        low, high = low - 0.5, high + 0.5
    rule(sketch, (LEFT, LEFT + WIDTH), (floor + 16, floor + 16), palette.line)
    colour = palette.accent if row.is_touched else palette.muted
    _draw_hill(sketch, row.before, (low, high), floor + 16, palette.muted, None)
    _draw_hill(sketch, row.after, (low, high), floor + 16, colour, tinted(colour, 0.28))
    sketch.add_annotation(
        x=LEFT,
        y=floor + 16 + HILL + 8,
        xanchor="left",
        text=f"<b>{row.path}</b>",
        font={"color": palette.ink, "size": 12},
    )
    for x, anchor, value in ((LEFT, "left", low), (LEFT + WIDTH, "right", high)):
        sketch.add_annotation(
            x=x,
            y=floor + 7,
            xanchor=anchor,
            text=f"{value:.3g}",
            font={"color": palette.muted, "size": 11},
        )


def _draw_hill(
    sketch: Sketch,
    sample: Sample,
    span: tuple[float, float],
    floor: float,
    colour: str,
    fill: str | None,
) -> None:
    """The counts of a sample as an outline; a single value is a stem."""

    def across(value: float) -> float:
        return round(LEFT + WIDTH * (value - span[0]) / (span[1] - span[0]), 4)

    most = max(sample.counts)
    if sample.least == sample.most:
        xs = [across(sample.least)] * 2
        ys: list[float] = [floor, floor + HILL]
    else:
        xs, ys = [across(sample.edges[0])], [floor]
        for place, count in enumerate(sample.counts):
            height = round(floor + HILL * count / most, 1)
            xs += [across(sample.edges[place]), across(sample.edges[place + 1])]
            ys += [height, height]
        xs.append(across(sample.edges[-1]))
        ys.append(floor)
    sketch.add_scatter(
        x=xs,
        y=ys,
        mode="lines",
        line={"color": colour, "width": 3 if len(xs) == 2 else 1.4},
        fill="toself" if fill and len(xs) > 2 else "none",
        fillcolor=fill or colour,
        hoverinfo="skip",
    )
