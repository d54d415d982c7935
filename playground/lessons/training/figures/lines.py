"""What both kinds of picture share: colours, patches of the plane, and the scale of a loss."""

import math
from collections.abc import Iterable, Sequence

from playground.lessons.training.records import Curve, Plane
from playground.palette import Palette

Patch = tuple[float, float, float, float]  # left, bottom, right, top
DASHES = ("solid", "dash", "dot", "dashdot")
LEAST_LOSS = 1e-5  # below it a curve on a logarithmic scale says nothing


def class_colours(palette: Palette) -> tuple[str, ...]:
    """The colours of the classes: none of them is a device's."""
    return (palette.accent, palette.success, palette.trouble)


def curve_colours(curves: Sequence[Curve], palette: Palette) -> tuple[str, ...]:
    """A run on a device has the device's colour; any other has one of the classes'."""
    others = (palette.muted, *class_colours(palette))
    return tuple(
        palette.device(curve.name.partition(" ")[0]).text
        if curve.name.startswith(("cpu", "cuda"))
        else others[place % len(others)]
        for place, curve in enumerate(curves)
    )


def patches(plane: Plane, label: int) -> list[Patch]:
    """Where the model tells one class: stretches of cells, row by row."""
    side = 2 * plane.REACH / plane.CELLS
    found = []
    for row, classes in enumerate(plane.classes):
        bottom = -plane.REACH + row * side
        start = None
        for column, told in enumerate((*classes, "")):
            is_mine = told == str(label)
            if is_mine and start is None:
                start = column
            elif not is_mine and start is not None:
                left, right = (-plane.REACH + side * each for each in (start, column))
                found.append((left, bottom, right, bottom + side))
                start = None
    return found


def heights(losses: Iterable[float]) -> list[float | None]:
    """Losses as powers of ten; None where a loss is no number any more."""
    return [math.log10(max(loss, LEAST_LOSS)) if math.isfinite(loss) else None for loss in losses]
