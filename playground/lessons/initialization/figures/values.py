"""A histogram of values, with the density that was expected drawn over it."""

import plotly.graph_objects as go

from playground.lessons.initialization.records import CountFansReport, Measured
from playground.modules.distributions import Distribution, Fixed, Points, Span
from playground.modules.initialiser_types import Sample
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted
from playground.sketch.canvas import canvas, rule

FOOT, TOP, HEAD = 34, 210, 262  # px: the axis, the highest bar, the height of the picture
SAMPLES = 120  # of a density
TICKS = 5
DIGITS = 4
MARKS = {"solid": "<b>—</b>", "dash": "<b>- -</b>"}


@drawn_once
def values(report: Measured, palette: Palette, words: Words) -> go.Figure:
    """Draw how often which values came, over what was expected.

    Args:
        report: With a sample.
        palette: The colours of the theme.
        words: Needs ``theory`` and ``measured``.
    """
    curves = ((report.distribution, palette.trouble, "solid", words["theory"]),)
    return go.Figure(_draw(report, curves, palette, words).spec())


@drawn_once
def fans(report: CountFansReport, palette: Palette, words: Words) -> go.Figure:
    """Draw what was drawn by torch's fan, and what the layer's own fan asks for.

    Args:
        report: A weight that was filled.
        palette: The colours of the theme.
        words: Needs ``by_torch``, ``by_layer`` and ``measured``.
    """
    curves = [(report.distribution, palette.trouble, "solid", f"{words['by_torch']} {report.used}")]
    if not report.is_right:
        label = f"{words['by_layer']} {report.real}"
        curves.append((report.right, palette.success, "dash", label))
    return go.Figure(_draw(report, tuple(curves), palette, words).spec())


Curve = tuple[Distribution | None, str, str, str]


def _draw(report: Measured, curves: tuple[Curve, ...], palette: Palette, words: Words) -> Sketch:
    sample = report.sample
    if sample is None:
        return canvas(palette, HEAD)
    reaches = [curve[0].reach for curve in curves if curve[0]]
    low = min([sample.edges[0], *(reach[0] for reach in reaches)])
    high = max([sample.edges[-1], *(reach[1] for reach in reaches)])
    room = (high - low) * 0.04
    sketch = canvas(palette, HEAD, (low - room, high + room))
    rule(sketch, (low - room, high + room), (FOOT, FOOT), palette.muted)
    _draw_ticks(sketch, low, high, palette)
    bars = heights(sample)
    unit = (TOP - FOOT) / _peak(bars, [curve[0] for curve in curves if curve[0]])
    width = sample.edges[1] - sample.edges[0]
    if any(bars):
        sketch.add_bar(
            x=[_round(edge + width / 2) for edge in sample.edges[:-1]],
            y=[round(bar * unit, 1) for bar in bars],
            base=FOOT,
            width=_round(width * 0.94),
            name="measured",
            marker={"color": tinted(palette.accent, 0.55), "line": {"width": 0}},
            customdata=list(sample.counts),
            hovertemplate="%{x:.4g}: %{customdata}<extra></extra>",
        )
    for number, (distribution, colour, dash, label) in enumerate(curves):
        if distribution is None:
            continue
        _draw_curve(sketch, distribution, unit, colour, dash)
        sketch.add_annotation(
            xref="paper",
            x=1,
            y=HEAD - 10 - 17 * number,
            xanchor="right",
            text=f"{'○' if isinstance(distribution, Fixed) else MARKS[dash]} {label}",
            font={"color": colour, "size": 12},
        )
    sketch.add_annotation(
        xref="paper",
        x=0,
        y=HEAD - 10,
        xanchor="left",
        text=f"▮ {words['measured']}: {sample.count:,}",
        font={"color": palette.accent, "size": 12},
    )
    expected = curves[0][0].points if curves[0][0] else ()
    _draw_points(sketch, sample.points, expected, (low, high), palette)
    return sketch


def _peak(bars: list[float], distributions: list[Distribution]) -> float:
    """What the height of the picture stands for; a density that is endless at its bounds is cut."""
    highest = max(bars, default=0.0)
    tops = [each.density(x) for each in distributions for x in _places(each)]
    top = max(tops, default=0.0)
    return max(highest, min(top, 1.5 * highest) if highest else top) or 1.0


def heights(sample: Sample) -> list[float]:
    """The density in every interval, of the values that are not met exactly.

    The others are a point mass; no bar is high enough for it.
    """
    width = sample.edges[1] - sample.edges[0]
    counts = list(map(float, sample.counts))
    for value, share in sample.points:
        place = min(int((value - sample.edges[0]) / width), len(counts) - 1)
        counts[place] = max(0.0, counts[place] - share * sample.count)
    return [0.0 if count < 0.5 else count / (sample.count * width) for count in counts]


def _draw_curve(
    sketch: Sketch, distribution: Distribution, unit: float, colour: str, dash: str
) -> None:
    places = _places(distribution)
    if places[0] == places[-1] or not any(distribution.density(x) for x in places):
        return
    least, most = distribution.reach
    xs = [least, *places, most]
    ys = [0.0, *(distribution.density(x) for x in places), 0.0]
    sketch.add_scatter(
        x=[_round(x) for x in xs],
        y=[round(min(FOOT + y * unit, TOP + 8), 1) for y in ys],
        name="theory",
        mode="lines",
        line={"color": colour, "width": 2.2, "dash": dash},
        hoverinfo="skip",
    )


def _draw_points(
    sketch: Sketch, points: Points, expected: Points, span: Span, palette: Palette
) -> None:
    """A stem for every value that is met exactly, and a ring where the theory has it end."""
    for (value, share), (_, should) in zip(points, expected, strict=True):
        top = FOOT + (TOP - FOOT) * share
        sketch.add_scatter(
            x=[value, value],
            y=[FOOT, round(top, 1)],
            name=f"exactly {value:g}",
            mode="lines+markers",
            line={"color": palette.accent, "width": 4},
            marker={"size": [0, 13], "color": palette.accent, "opacity": 1},
            hoverinfo="skip",
        )
        sketch.add_scatter(
            x=[value],
            y=[round(FOOT + (TOP - FOOT) * should, 1)],
            name=f"expected {value:g}",
            mode="markers",
            marker={
                "symbol": "circle-open",
                "size": 19,
                "color": palette.trouble,
                "line": {"width": 2.2},
            },
            hoverinfo="skip",
        )
        place = (value - span[0]) / (span[1] - span[0])
        sketch.add_annotation(
            x=value,
            y=top + 20,
            xanchor="left" if place < 0.1 else "right" if place > 0.9 else "center",
            text=f"<b>{value:.4g}</b>: {share:.2%}",
            bgcolor=palette.paper,
            borderpad=1,
            font={"color": palette.ink, "size": 12},
        )


def _draw_ticks(sketch: Sketch, low: float, high: float, palette: Palette) -> None:
    for place in range(TICKS):
        value = low + (high - low) * place / (TICKS - 1)
        rule(sketch, (value, value), (FOOT - 4, FOOT), palette.muted)
        sketch.add_annotation(
            x=value,
            y=FOOT - 15,
            xanchor=("left", *["center"] * (TICKS - 2), "right")[place],
            text=f"{0.0 if abs(value) < 1e-9 * (high - low) else value:.3g}",
            font={"color": palette.muted, "size": 11},
        )


def _places(distribution: Distribution) -> list[float]:
    """Where a density is looked at; just inside its bounds, where it may be endless."""
    least, most = distribution.reach
    inside = (most - least) * 1e-6
    step = (most - least - 2 * inside) / SAMPLES
    return [least + inside + step * place for place in range(SAMPLES + 1)]


def _round(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
