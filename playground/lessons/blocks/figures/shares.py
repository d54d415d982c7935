"""The gradient of some numbers, stacked from the two uses of one layer."""

import plotly.graph_objects as go

from playground.lessons.blocks.figures.lines import line
from playground.lessons.blocks.records import Share, TrainSharedReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import canvas, write

ROW = 26
EDGE = 6
KEY = 52
LEFT = 0.14
RIGHT = 0.97


@drawn_once
def shares(report: TrainSharedReport, palette: Palette, words: Words) -> go.Figure:
    """Draw what each use adds, end to end, and where autograd's gradient is.

    Args:
        report: A training step with a layer in two places.
        palette: The colours of the theme.
        words: Needs ``first_use``, ``second_use`` and ``together``.
    """
    height = ROW * len(report.shares) + EDGE + KEY
    sketch = canvas(palette, height)
    ends = [0.0]
    for each in report.shares:
        ends += [each.first, each.first + each.second, each.together]
    low, high = min(ends), max(ends)
    span = high - low or 1.0

    def across(value: float) -> float:
        return LEFT + (RIGHT - LEFT) * (value - low) / span

    line(sketch, [across(0), across(0)], [KEY - 2, height - 2], palette.muted)
    for index, share in enumerate(report.shares):
        y = height - EDGE - ROW * (index + 0.5)
        write(sketch, f"bias[{index}]", 0.0, y, palette.ink, is_code=True, size=10)
        first, total = across(share.first), across(share.first + share.second)
        _draw_part(sketch, across(0), first, y + 4, palette.accent, share, "first")
        _draw_part(sketch, first, total, y - 4, palette.success, share, "second")
        sketch.add_scatter(
            x=[across(share.together)],
            y=[y],
            name=f"bias[{index}]",
            mode="markers",
            marker={
                "symbol": "line-ns",
                "size": 20,
                "line": {"color": palette.ink, "width": 3},
                "opacity": 1,
            },
            hovertemplate=f"{share.together:.4g}<extra></extra>",
        )
    write(sketch, f"■ {words['first_use']}", 0.0, 36, palette.accent, size=11)
    write(sketch, f"■ {words['second_use']}", 0.99, 36, palette.success, anchor="right", size=11)
    write(sketch, f"┃ {words['together']}", 0.0, 14, palette.ink, size=11)
    return go.Figure(sketch.spec())


def _draw_part(
    sketch: Sketch, start: float, end: float, y: float, colour: str, share: Share, use: str
) -> None:
    value = share.first if use == "first" else share.second
    sketch.add_scatter(
        x=[start, end, end, start, start],
        y=[y - 4, y - 4, y + 4, y + 4, y - 4],
        name=use,
        mode="lines",
        fill="toself",
        fillcolor=tinted(colour, 0.5),
        line={"color": colour, "width": 1},
        hoveron="fills",
        text=f"{value:.4g}",
        hoverinfo="text",
    )
