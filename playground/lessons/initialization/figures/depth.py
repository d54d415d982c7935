"""How large the numbers are after each layer, and the gradients at the same places."""

import math

import plotly.graph_objects as go

from playground.lessons.initialization.records import Signal, SignalThroughDepthReport
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, Span, tinted
from playground.sketch.canvas import canvas, rule

PANEL, HEAD, LEGEND, FOOT = 172, 30, 42, 34
HEIGHT = LEGEND + 2 * (PANEL + HEAD) + FOOT
LEFT = -0.13  # where the marks of the size stand
TICKS = 4


@drawn_once
def signals(report: SignalThroughDepthReport, palette: Palette, words: Words) -> go.Figure:
    """Draw sizes by powers of ten: a band of half of them, one of nine in ten, the std, the theory.

    Args:
        report: A signal through many layers.
        palette: The colours of the theme.
        words: Needs ``std``, ``theory_std``, ``sizes``, ``forward``, ``backward`` and
            ``layer_number``.
    """
    sketch = canvas(palette, HEIGHT, (LEFT, 1.01))
    theory = report.theory
    depth = report.depth
    _draw_legend(sketch, words, palette, has_theory=theory is not None)
    upper = FOOT + PANEL + HEAD
    forward = theory.activation_stds(depth) if theory else ()
    back = theory.gradient_stds(depth) if theory else ()
    _draw_panel(sketch, upper, words["forward"], report.activations, forward, palette)
    _draw_panel(sketch, FOOT, words["backward"], report.gradients, back, palette)
    for layer in sorted({1, (depth + 1) // 2, depth}):
        sketch.add_annotation(
            x=_across(layer, depth),
            y=FOOT - 12,
            text=str(layer),
            font={"color": palette.muted, "size": 11},
        )
    sketch.add_annotation(
        x=LEFT,
        y=FOOT - 12,
        xanchor="left",
        text=words["layer_number"],
        font={"color": palette.muted, "size": 11},
    )
    return go.Figure(sketch.spec())


def _draw_legend(sketch: Sketch, words: Words, palette: Palette, *, has_theory: bool) -> None:
    first = [(f"● {words['std']}", palette.accent)]
    if has_theory:
        first.append((f"┄ {words['theory_std']}", palette.trouble))
    second = [(f"▒ {words['sizes']}", palette.muted)]
    for line, entries in enumerate((first, second)):
        text = " &nbsp; ".join(f'<span style="color:{hue}">{said}</span>' for said, hue in entries)
        sketch.add_annotation(x=LEFT, y=HEIGHT - 10 - 18 * line, xanchor="left", text=text)


def _draw_panel(
    sketch: Sketch,
    floor: float,
    title: str,
    layers: tuple[Signal, ...],
    theory: tuple[float, ...],
    palette: Palette,
) -> None:
    low, high = _span(layers, theory)

    def upwards(size: float) -> float:
        return round(floor + PANEL * (math.log10(size) - low) / (high - low), 1)

    sketch.add_annotation(
        x=LEFT,
        y=floor + PANEL + 13,
        xanchor="left",
        text=f"<b>{title}</b>",
        font={"color": palette.ink},
    )
    _draw_powers(sketch, floor, (low, high), palette)
    depth = len(layers)
    told = [(_across(number, depth), each) for number, each in enumerate(layers, 1)]
    for lower, upper, opacity in ((0, 4, 0.16), (1, 3, 0.26)):
        banded = [(x, each.quantiles) for x, each in told if each.quantiles]
        if len(banded) > 1:
            sketch.add_scatter(
                x=[x for x, _ in banded] + [x for x, _ in reversed(banded)],
                y=[upwards(each[lower]) for _, each in banded]
                + [upwards(each[upper]) for _, each in reversed(banded)],
                name="band",
                mode="lines",
                line={"width": 0},
                fill="toself",
                fillcolor=tinted(palette.muted, opacity),
                hoverinfo="skip",
            )
    curve = [(_across(number, depth), std) for number, std in enumerate(theory, 1) if std > 0]
    if curve:
        sketch.add_scatter(
            x=[x for x, _ in curve],
            y=[upwards(std) for _, std in curve],
            name="theory",
            mode="lines",
            line={"color": palette.trouble, "width": 2, "dash": "dash"},
            hoverinfo="skip",
        )
    finite = [
        (number, each.std) for number, each in enumerate(layers, 1) if 0 < each.std < math.inf
    ]
    sketch.add_scatter(
        x=[_across(number, depth) for number, _ in finite],
        y=[upwards(std) for _, std in finite],
        name="std",
        mode="markers",
        marker={"size": 7 if depth <= 25 else 5, "color": palette.accent, "opacity": 1},
        customdata=[f"{number}: {std:.3g}" for number, std in finite],
        hovertemplate="%{customdata}<extra></extra>",
    )
    _draw_ends(sketch, floor, layers, palette)


def _draw_ends(sketch: Sketch, floor: float, layers: tuple[Signal, ...], palette: Palette) -> None:
    """What no power of ten can tell: a mark at the foot for 0, at the top for overflow."""
    for name, size, symbol, y in (
        ("0", 0.0, "triangle-down", floor),
        ("> 3.4e+38", math.inf, "triangle-up", floor + PANEL),
    ):
        beyond = [number for number, each in enumerate(layers, 1) if each.std == size]
        if beyond:
            sketch.add_scatter(
                x=[_across(number, len(layers)) for number in beyond],
                y=[y] * len(beyond),
                name=name,
                mode="markers",
                marker={"symbol": symbol, "size": 8, "color": palette.accent, "opacity": 1},
                customdata=[f"{number}: {name}" for number in beyond],
                hovertemplate="%{customdata}<extra></extra>",
            )


def _draw_powers(sketch: Sketch, floor: float, span: Span, palette: Palette) -> None:
    low, high = span
    step = max(1, math.ceil((high - low) / TICKS))
    for power in range(math.ceil(low / step) * step, math.floor(high) + 1, step):
        y = floor + PANEL * (power - low) / (high - low)
        rule(sketch, (0, 1), (y, y), palette.line)
        sketch.add_annotation(
            x=-0.015,
            y=y,
            xanchor="right",
            text="1" if power == 0 else f"10<sup>{str(power).replace('-', '−')}</sup>",
            font={"color": palette.muted, "size": 11},
        )


def _span(layers: tuple[Signal, ...], theory: tuple[float, ...]) -> Span:
    """From which power of ten to which; at least two of them."""
    sizes = [std for each in layers for std in (each.std, *each.quantiles)]
    powers = [math.log10(size) for size in (*sizes, *theory) if 0 < size < math.inf]
    low = math.floor(min(powers, default=0))
    high = math.ceil(max(powers, default=0))
    return (min(low, high - 2), high)


def _across(layer: int, depth: int) -> float:
    return round((layer - 0.5) / depth, 4)
