"""The outputs of two networks for one example: a ring and a dot for each number."""

import plotly.graph_objects as go

from playground.lessons.blocks.figures.lines import line
from playground.lessons.blocks.records import CompareWithSequentialReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch.canvas import canvas, write

HEIGHT = 190
BOTTOM = 44
TOP = HEIGHT - 12


@drawn_once
def outputs(report: CompareWithSequentialReport, palette: Palette, words: Words) -> go.Figure:
    """Draw the ten outputs of both; where a dot lies in its ring, they are equal.

    Args:
        report: Two networks that were both fed.
        palette: The colours of the theme.
        words: Needs ``class_dots`` and ``sequential_rings``.
    """
    sketch = canvas(palette, HEIGHT)
    most = max((abs(each) for each in (*report.mine, *report.theirs)), default=0.0) or 1.0
    middle, half = (TOP + BOTTOM) / 2, (TOP - BOTTOM) / 2
    xs = [0.06 + 0.9 * (index + 0.5) / len(report.mine) for index in range(len(report.mine))]
    line(sketch, [0.06, 0.97], [middle, middle], palette.line)
    write(sketch, "0", 0.03, middle, palette.muted, anchor="center", size=11)
    rings = [middle + half * each / most for each in report.theirs]
    dots = [middle + half * each / most for each in report.mine]
    for x, ring, dot in zip(xs, rings, dots, strict=True):
        if abs(ring - dot) > 1:
            line(sketch, [x, x], [ring, dot], palette.trouble, 1.2, "dot")
    parts = (
        ("nn.Sequential", rings, report.theirs, "circle-open", 15),
        ("MLP", dots, report.mine, "circle", 7),
    )
    for name, ys, values, symbol, size in parts:
        colour = palette.ink if name == "MLP" else palette.accent
        sketch.add_scatter(
            x=xs,
            y=ys,
            name=name,
            mode="markers",
            marker={
                "symbol": symbol,
                "size": size,
                "color": colour,
                "line": {"color": colour, "width": 2},
                "opacity": 1,
            },
            customdata=list(values),
            hovertemplate=f"{name} %{{customdata:.6f}}<extra></extra>",
        )
    write(sketch, f"○ {words['sequential_rings']}", 0.06, 14, palette.accent)
    write(sketch, f"● {words['class_dots']}", 0.97, 14, palette.ink, anchor="right")
    return go.Figure(sketch.spec())
