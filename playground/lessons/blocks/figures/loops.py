"""The rounds of the loop over the scale of the batch; endless ones at the top edge."""

import plotly.graph_objects as go

from playground.lessons.blocks.figures.lines import line
from playground.lessons.blocks.records import EXPONENTS, CountLoopsReport, Infinite
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch
from playground.sketch.canvas import canvas, write

HEIGHT = 230
BOTTOM = 50
TOP = HEIGHT - 34
LEFT = 0.1
RIGHT = 0.97
TICKS = (0, 10, 20, 30, 38)
LEVELS = (0, 50, 100)
MOST = 140


@drawn_once
def loops(report: CountLoopsReport, palette: Palette, words: Words) -> go.Figure:
    """Draw one dot for each scale; what was chosen has a ring, an infinite number too.

    Args:
        report: A loop that was counted.
        palette: The colours of the theme.
        words: Needs ``rounds``, ``scale`` and ``never_ends``.
    """
    sketch = canvas(palette, HEIGHT)
    _draw_axes(sketch, palette, words)
    ended = [each for each in report.curve if each.has_ended]
    endless = [each for each in report.curve if not each.has_ended]
    sketch.add_scatter(
        x=[_across(each.exponent) for each in ended],
        y=[_upwards(each.loops) for each in ended],
        name="rounds",
        mode="markers",
        marker={"size": 6, "color": palette.accent, "opacity": 1},
        customdata=[(each.exponent, each.loops) for each in ended],
        hovertemplate="10^%{customdata[0]}: %{customdata[1]}<extra></extra>",
    )
    sketch.add_scatter(
        x=[_across(each.exponent) for each in endless],
        y=[TOP + 14 for _ in endless],
        name="endless",
        mode="markers",
        marker={"symbol": "x", "size": 8, "color": palette.trouble, "opacity": 1},
        customdata=[each.exponent for each in endless],
        hovertemplate=f"10^%{{customdata}}: {words['never_ends']}<extra></extra>",
    )
    write(sketch, words["never_ends"], LEFT + 0.01, TOP + 14, palette.trouble, size=11)
    is_finite = report.infinite == Infinite.NOWHERE
    if is_finite or not report.has_ended:
        y = _upwards(report.loops) if report.has_ended else TOP + 14
        sketch.add_scatter(
            x=[_across(report.exponent if is_finite else EXPONENTS[-1])],
            y=[y],
            name="chosen",
            mode="markers" if is_finite else "markers+text",
            text=["" if is_finite else "∞"],
            textposition="middle center",
            textfont={"color": palette.trouble, "size": 12},
            marker={
                "symbol": "circle-open",
                "size": 15,
                "color": palette.ink,
                "line": {"color": palette.ink, "width": 2},
                "opacity": 1,
            },
            hoverinfo="skip",
        )
    return go.Figure(sketch.spec())


def _across(exponent: int) -> float:
    first, last = EXPONENTS[0], EXPONENTS[-1]
    return LEFT + 0.02 + (RIGHT - LEFT - 0.04) * (exponent - first) / (last - first)


def _upwards(count: int) -> float:
    return BOTTOM + (TOP - BOTTOM) * min(count, MOST) / MOST


def _draw_axes(sketch: Sketch, palette: Palette, words: Words) -> None:
    for level in LEVELS:
        y = _upwards(level)
        line(sketch, [LEFT, RIGHT], [y, y], palette.line)
        write(sketch, str(level), LEFT - 0.015, y, palette.muted, anchor="right", size=11)
    for tick in TICKS:
        text = f"10<sup>{tick}</sup>"
        write(sketch, text, _across(tick), BOTTOM - 15, palette.muted, anchor="center", size=11)
    write(sketch, words["scale"], RIGHT, 12, palette.muted, anchor="right", size=11)
    write(sketch, words["rounds"], LEFT + 0.01, _upwards(MOST) - 8, palette.muted, size=11)
