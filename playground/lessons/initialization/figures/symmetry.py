"""The hidden units over the steps of a training: lines that lie upon each other, or part."""

import plotly.graph_objects as go

from playground.lessons.initialization.records import SymmetricUnitsReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import canvas, rule

LINES, BARS, HEAD, GAP, FOOT = 180, 64, 24, 40, 22
HEIGHT = HEAD + LINES + GAP + BARS + FOOT
LEFT, RIGHT = -0.1, 1.11
THIN, THICK = 1.6, 9.0


@drawn_once
def units(report: SymmetricUnitsReport, palette: Palette, words: Words) -> go.Figure:
    """Draw a line for each different unit, as thick as many share it; below, how many there are.

    Args:
        report: Units that were trained.
        palette: The colours of the theme.
        words: Needs ``first_weight``, ``distinct_units`` and ``steps``.
    """
    sketch = canvas(palette, HEIGHT, (LEFT, RIGHT))
    floor = FOOT + BARS + GAP
    _write(sketch, LEFT, HEIGHT - 10, f"<b>{words['first_weight']}</b>", palette.ink)
    _write(sketch, LEFT, floor - 18, f"<b>{words['distinct_units']}</b>", palette.ink)
    _draw_lines(sketch, report, floor, palette)
    _draw_bars(sketch, report, palette)
    for step in sorted({0, report.steps}):
        x = _across(step, report)
        _write(sketch, x, FOOT - 11, str(step), palette.muted, "center")
    _write(sketch, 0.5, FOOT - 11, words["steps"], palette.muted, "center")
    return go.Figure(sketch.spec())


def _draw_lines(
    sketch: Sketch, report: SymmetricUnitsReport, floor: float, palette: Palette
) -> None:
    weights = [weight for moment in report.moments for weight in moment.weights]
    low, high = min(weights), max(weights)
    if high - low < 1e-3:
        low, high = low - 0.5, high + 0.5

    def upwards(weight: float) -> float:
        return round(floor + 8 + (LINES - 16) * (weight - low) / (high - low), 1)

    for value in (low, high):
        rule(sketch, (0, 1), (upwards(value), upwards(value)), palette.line)
        _write(sketch, -0.015, upwards(value), f"{value:.2f}", palette.muted, "right")
    xs = [_across(step, report) for step in range(report.steps + 1)]
    last = report.moments[-1].groups
    for group in sorted(set(last)):
        members = [unit for unit, each in enumerate(last) if each == group]
        ys = [upwards(moment.weights[members[0]]) for moment in report.moments]
        share = (len(members) - 1) / max(report.units - 1, 1)
        sketch.add_scatter(
            x=xs,
            y=ys,
            name=f"{len(members)} of {report.units}",
            mode="lines" if len(xs) > 1 else "markers",
            line={"color": tinted(palette.accent, 0.75), "width": THIN + THICK * share},
            marker={"color": palette.accent, "size": 8},
            hoverinfo="skip",
        )
        if len(members) > 1:
            _write(sketch, 1.012, ys[-1], f"× {len(members)}", palette.accent)


def _draw_bars(sketch: Sketch, report: SymmetricUnitsReport, palette: Palette) -> None:
    counts = [moment.distinct for moment in report.moments]
    rule(sketch, (0, 1), (FOOT, FOOT), palette.line)
    sketch.add_bar(
        x=[_across(step, report) for step in range(len(counts))],
        y=[round((BARS - 14) * count / report.units, 1) for count in counts],
        base=FOOT,
        width=0.7 / len(counts),
        name="distinct",
        marker={"color": tinted(palette.accent, 0.55), "line": {"width": 0}},
        customdata=counts,
        hovertemplate="%{customdata}<extra></extra>",
    )
    x, y = _across(report.steps, report), FOOT + (BARS - 14) * counts[-1] / report.units
    _write(sketch, x, y + 9, str(counts[-1]), palette.accent, "center")


def _across(step: int, report: SymmetricUnitsReport) -> float:
    return round((step + 0.5) / (report.steps + 1), 4)


def _write(
    sketch: Sketch, x: float, y: float, text: str, colour: str, anchor: str = "left"
) -> None:
    font = {"color": colour, "size": 11 if colour != "ink" else 12}
    sketch.add_annotation(x=x, y=y, xanchor=anchor, text=text, font=font)
