"""The gradient check: each slope by autograd, over the same slope by a difference quotient."""

import plotly.graph_objects as go

from playground.lessons.blocks.figures.lines import line
from playground.lessons.blocks.records import CheckDutiesReport
from playground.lessons.blocks.records.duties import TOLERANCE
from playground.palette import Palette, Words, drawn_once
from playground.sketch.canvas import canvas, write

HEIGHT = 250
BOTTOM = 34
TOP = HEIGHT - 10
LEFT = 0.1
RIGHT = 0.97


@drawn_once
def slopes(report: CheckDutiesReport, palette: Palette, words: Words) -> go.Figure:
    """Draw a dot for each number; on the diagonal both ways agree.

    Args:
        report: A block that was tried.
        palette: The colours of the theme.
        words: Needs ``by_quotient``, ``by_autograd``, ``of_input`` and ``of_parameters``.
    """
    sketch = canvas(palette, HEIGHT)
    most = max((max(abs(each.finite), abs(each.autograd)) for each in report.slopes), default=0.0)
    most = 1.1 * most or 1.0

    def across(value: float) -> float:
        return LEFT + (RIGHT - LEFT) * (value + most) / (2 * most)

    def upwards(value: float) -> float:
        return BOTTOM + (TOP - BOTTOM) * (value + most) / (2 * most)

    line(sketch, [across(-most), across(most)], [upwards(0)] * 2, palette.line)
    line(sketch, [across(0)] * 2, [upwards(-most), upwards(most)], palette.line)
    line(sketch, [LEFT, RIGHT], [BOTTOM, TOP], palette.muted, 1.2, "dash")
    largest = max((abs(each.finite) for each in report.slopes), default=0.0)
    bound = TOLERANCE * max(largest, TOLERANCE)
    off = [each for each in report.slopes if each.distance > bound]
    good = [each for each in report.slopes if each.distance <= bound]
    of_input = [each for each in good if each.name == "X"]
    of_parameters = [each for each in good if each.name != "X"]
    for name, found, colour, symbol in (
        ("parameters", of_parameters, palette.accent, "circle"),
        ("input", of_input, palette.success, "diamond"),
        ("off", off, palette.trouble, "x"),
    ):
        sketch.add_scatter(
            x=[across(each.finite) for each in found],
            y=[upwards(each.autograd) for each in found],
            name=name,
            mode="markers",
            marker={"symbol": symbol, "size": 8, "color": colour, "opacity": 0.85},
            customdata=[(each.name, each.finite, each.autograd) for each in found],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]:.8g}<br>%{customdata[2]:.8g}"
            "<extra></extra>",
        )
    write(sketch, words["by_quotient"] + " →", RIGHT, 12, palette.muted, anchor="right", size=11)
    write(sketch, "↑ " + words["by_autograd"], LEFT, TOP - 6, palette.muted, size=11)
    write(sketch, f"◆ {words['of_input']}", LEFT, 12, palette.success, size=11)
    write(sketch, f"● {words['of_parameters']}", LEFT + 0.2, 12, palette.accent, size=11)
    return go.Figure(sketch.spec())
