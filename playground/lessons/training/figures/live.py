"""What is drawn while it runs: SVG of a few kB, which changes in place and needs no library."""

from collections.abc import Sequence

from playground.lessons.training.figures.lines import (
    class_colours,
    curve_colours,
    heights,
    patches,
)
from playground.lessons.training.records import Curve, CurvesProgress, Plane, TrainProgress
from playground.palette import Palette, Words

WIDTH, HEIGHT, GAP = 420, 216, 14
SIDE = 176  # of the plane
LEFT, TOP = 8, 36  # two lines of words above
DASHES = ("", "6 4", "2 3", "8 3 2 3")


def live_training(told: TrainProgress, palette: Palette, words: Words) -> str:
    """The loss, the accuracy, and what the model makes of the plane by now."""
    width = WIDTH - SIDE - GAP - LEFT
    curves = (Curve(name=words["loss"], losses=told.losses),)
    drawn = [
        _curves(curves, (palette.ink,), told.epochs, width),
        _accuracy(told.accuracies, told.epochs, width, palette),
        _plane(told.plane, WIDTH - SIDE, palette),
        _text(LEFT, 12, words["loss_log"], palette.ink),
        _text(LEFT, 28, words["accuracy"], palette.success),
    ]
    return _svg(drawn, words["alt_training"])


def live_curves(told: CurvesProgress, palette: Palette, words: Words) -> str:
    """The losses of several runs."""
    colours = curve_colours(told.curves, palette)
    epochs = max(len(curve.losses) for curve in told.curves)
    drawn = [
        _curves(told.curves, colours, epochs, WIDTH - 2 * LEFT),
        _text(LEFT, 12, words["loss_log"], palette.ink),
        *(
            _text(WIDTH - LEFT, 12 + 15 * place, curve.name, colour, anchor="end")
            for place, (curve, colour) in enumerate(zip(told.curves, colours, strict=True))
        ),
    ]
    return _svg(drawn, words["alt_curves"])


def _curves(curves: Sequence[Curve], colours: Sequence[str], epochs: int, width: float) -> str:
    raised = [heights(curve.losses) for curve in curves]
    known = [each for line in raised for each in line if each is not None] or [0.0]
    low, high = min(known), max(known)
    span = max(high - low, 0.5)
    paths = []
    for place, (line, colour) in enumerate(zip(raised, colours, strict=True)):
        points = " ".join(
            f"{LEFT + width * number / max(epochs - 1, 1):.1f},"
            f"{TOP + (HEIGHT - TOP - 8) * (high - each) / span:.1f}"
            for number, each in enumerate(line)
            if each is not None
        )
        paths.append(_line(points, colour, DASHES[place % len(DASHES)]))
    return "".join(paths)


def _accuracy(accuracies: Sequence[float], epochs: int, width: float, palette: Palette) -> str:
    points = " ".join(
        f"{LEFT + width * number / max(epochs - 1, 1):.1f},"
        f"{TOP + (HEIGHT - TOP - 8) * (1 - each):.1f}"
        for number, each in enumerate(accuracies)
    )
    return _line(points, palette.success, "5 3")


def _plane(plane: Plane, left: float, palette: Palette) -> str:
    scale = SIDE / (2 * plane.REACH)

    def across(x: float) -> float:
        return left + (x + plane.REACH) * scale

    def down(y: float) -> float:
        return TOP + (plane.REACH - y) * scale

    drawn = []
    for label, colour in enumerate(class_colours(palette)):
        path = "".join(
            f"M{across(begin):.1f} {down(top):.1f}H{across(end):.1f}V{down(bottom):.1f}"
            f"H{across(begin):.1f}z"
            for begin, bottom, end, top in patches(plane, label)
        )
        drawn.append(f'<path d="{path}" fill="{colour}" fill-opacity="0.22"/>')
        drawn += [
            f'<circle cx="{across(x):.0f}" cy="{down(y):.0f}" r="2" fill="{colour}"/>'
            for x, y, own in plane.points
            if own == label
        ]
    return "".join(drawn)


def _line(points: str, colour: str, dash: str) -> str:
    return (
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"'
        f' stroke-dasharray="{dash or "none"}"/>'
    )


def _text(x: float, y: float, text: str, colour: str, *, anchor: str = "start") -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="13" fill="{colour}"'
        f' text-anchor="{anchor}">{escaped}</text>'
    )


def _svg(drawn: Sequence[str], alt: str) -> str:
    label = alt.replace('"', "&quot;")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + 2}"'
        f' font-family="sans-serif" role="img" aria-label="{label}">'
        f"{''.join(drawn)}</svg>"
    )
