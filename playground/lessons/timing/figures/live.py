"""What was measured so far, as a small SVG that a page can draw many times a second."""

import html
import math

from playground.lessons.timing.records import MeasuringProgress
from playground.palette import Palette, Words

WIDTH, HEIGHT, EDGE = 320, 150, 10


def live(told: MeasuringProgress, palette: Palette, words: Words) -> str:
    """Draw a dot for each time that was taken, on logarithmic axes; a line joins those of a kind.

    Args:
        told: How far the measurement is.
        palette: The colours of the theme.
        words: Needs ``so_far``.
    """
    if not told.dots:
        return ""
    across = [math.log(x) for _, _, x, _ in told.dots]
    upwards = [math.log(y) for _, _, _, y in told.dots]
    places = [
        (_place(x, across, WIDTH), HEIGHT - _place(y, upwards, HEIGHT))
        for x, y in zip(across, upwards, strict=True)
    ]
    lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for (device, line, _, _), place in zip(told.dots, places, strict=True):
        lines.setdefault((device, line), []).append(place)
    drawn = "".join(_line(line, palette.device(device).fill) for (device, _), line in lines.items())
    title = html.escape(words["so_far"])
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" role="img" aria-label="{title}" '
        f'xmlns="http://www.w3.org/2000/svg">{drawn}</svg>'
    )


def _place(value: float, among: list[float], extent: float) -> float:
    low, high = min(among), max(among)
    part = (value - low) / (high - low) if high > low else 0.5
    return EDGE + part * (extent - 2 * EDGE)


def _line(places: list[tuple[float, float]], colour: str) -> str:
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2"/>' for x, y in places)
    return (
        f'<g fill="{colour}"><polyline points="{joined}" fill="none" stroke="{colour}" '
        f'stroke-width="1.6"/>{dots}</g>'
    )
