"""Histograms of drawn values with the expected density, as data and as SVG."""

import html
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from playground.modules.distributions import Distribution
from playground.modules.initialiser_types import Sample
from playground.steps import Picture
from playground.units import short

WIDTH, MARGIN = 440, 12
LABEL, PLOT, AXIS = 22, 92, 24
ROW = LABEL + PLOT + AXIS
CURVE_POINTS = 90
FEW_BINS, BINS = 5, 61  # odd, so that the middle one holds the middle
PIN_HEIGHT = 0.94  # of the plot

Span = tuple[float, float]
Curve = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Plain data of one histogram.

    Attributes:
        counts: Values in each bin, without those of the pins.
        pins: Values that occur exactly, with their measured shares.
        curve: Expected counts by value; empty if no closed form is known.
        other: A second expected curve, drawn dashed.
    """

    label: str
    counts: tuple[int, ...]
    span: Span
    pins: tuple[Span, ...]
    curve: Curve
    other: Curve
    mean: float
    std: float


def measured(values: Any, distribution: Distribution | None) -> Sample:
    """Measure a live tensor; called in the worker."""
    from playground.modules.initialisers import sample  # loads torch

    bins = max(FEW_BINS, min(BINS, math.isqrt(values.numel())))
    return sample(values, distribution.points if distribution else (), bins=bins | 1)


def histogram(
    label: str,
    sample: Sample,
    distribution: Distribution | None = None,
    other: Distribution | None = None,
) -> Histogram:
    """Describe a sample together with its expected distribution.

    Args:
        label: Name of the values.
        sample: As ``measured`` returns it.
        distribution: Its expected distribution, if one is known.
        other: Another distribution, for comparison.
    """
    low, high = sample.edges[0], sample.edges[-1]
    pins = sample.points or (((sample.least, 1.0),) if sample.least == sample.most else ())
    counts = list(sample.counts)
    for value, share in pins:
        place = min(int((value - low) / (high - low) * len(counts)), len(counts) - 1)
        if place >= 0:
            counts[place] = max(counts[place] - round(share * sample.count), 0)
    area = sample.count * (high - low) / len(counts)
    return Histogram(
        label=label,
        counts=tuple(counts),
        span=(low, high),
        pins=pins,
        curve=_curve(distribution, area),
        other=_curve(other, area),
        mean=sample.mean,
        std=sample.std or 0.0,
    )


def _curve(distribution: Distribution | None, area: float) -> Curve:
    if distribution is None:
        return ()
    low, high = distribution.reach
    if low >= high or not distribution.density((low + 3 * high) / 4):
        return ()
    steps = range(CURVE_POINTS + 1)
    values = [low + (high - low) * each / CURVE_POINTS for each in steps]
    inside = [(x, area * distribution.density(x)) for x in values]
    return ((low, 0.0), *inside, (high, 0.0))


def draw(rows: Sequence[Histogram], *, is_shared: bool = False) -> Picture:
    """Draw histograms below each other.

    Args:
        rows: At least one.
        is_shared: All have the same horizontal scale.
    """
    spans = [_span(each) for each in rows]
    whole = (min(low for low, _ in spans), max(high for _, high in spans))
    parts = []
    for index, each in enumerate(rows):
        span = whole if is_shared else spans[index]
        parts.append(f'<g transform="translate(0 {ROW * index})">{"".join(_row(each, span))}</g>')
    svg = f'<svg viewBox="0 0 {WIDTH} {ROW * len(rows)}">{"".join(parts)}</svg>'
    described = "; ".join(
        f"{each.label}: {short(each.mean)} ± {short(each.std)}"
        + "".join(f", {share:.1%} = {short(value)}" for value, share in each.pins)
        for each in rows
    )
    return Picture(svg, {"described": described})


def _span(each: Histogram) -> Span:
    xs = [*each.span, *(x for x, _ in (*each.curve, *each.other))]
    return min(xs), max(xs)


def _row(each: Histogram, span: Span) -> Iterator[str]:
    low, high = span
    floor = LABEL + PLOT
    most = max(*each.counts, 1, *(y for _, y in (*each.curve, *each.other))) * 1.06

    def across(value: float) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * (value - low) / (high - low)

    def up(count: float) -> float:
        return floor - PLOT * count / most

    yield text(MARGIN, 15, each.label, "--tp-ink", weight=650)
    moments = f"{short(each.mean)} ± {short(each.std)}"
    yield text(WIDTH - MARGIN, 15, moments, "--tp-muted", anchor="end")
    width = (each.span[1] - each.span[0]) / len(each.counts)
    bars = "".join(
        f"M{across(each.span[0] + place * width):.1f} {floor}V{up(count):.1f}"
        f"H{across(each.span[0] + (place + 1) * width):.1f}V{floor}z"
        for place, count in enumerate(each.counts)
        if count
    )
    if bars:
        yield f'<path d="{bars}" style="fill:var(--tp-accent)" opacity="0.55"/>'
    for curve, dash in ((each.curve, ""), (each.other, ' stroke-dasharray="5 4"')):
        if curve:
            points = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in curve)
            yield (
                f'<polyline points="{points}" fill="none" stroke-width="1.8"{dash}'
                f' style="stroke:var(--tp-ink)"/>'
            )
    for value, share in each.pins:
        if share:
            yield from _pin(across(value), share)
    yield f'<path d="M{MARGIN} {floor}H{WIDTH - MARGIN}" style="stroke:var(--tp-muted)"/>'
    ticks = {low: "start", high: "end"} | ({0.0: "middle"} if low < 0 < high else {})
    for value, anchor in ticks.items():
        yield text(across(value), floor + 16, short(value), "--tp-muted", anchor=anchor)


def _pin(x: float, share: float) -> Iterator[str]:
    top = LABEL + PLOT * (1 - PIN_HEIGHT * share)
    yield (
        f'<path d="M{x:.1f} {LABEL + PLOT}V{top:.1f}" stroke-width="4" stroke-linecap="round"'
        f' style="stroke:var(--tp-accent)"/>'
    )
    side, anchor = (-8, "end") if x > WIDTH / 2 + 40 else (8, "start")
    yield text(x + side, top + 10, f"{share:.1%}", "--tp-ink", anchor=anchor)


def text(
    x: float, y: float, words: str, colour: str, *, anchor: str = "start", weight: int = 400
) -> str:
    """Draw a line of text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="13" text-anchor="{anchor}"'
        f' font-weight="{weight}" style="fill:var({colour})">{html.escape(words)}</text>'
    )
