"""SVG pictures of this lesson: planes that models divide, with a frame for each state; bars."""

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from playground.lessons.training.own_points import REACH, Point
from playground.steps import Labels, Picture
from playground.steps.answer import Plain

WIDTH, LARGE, SMALL = 440, 372, 190  # of the picture, of a single plane, of one of several
LEFT, ABOVE, BETWEEN = 30, 26, 26  # of a plane: numbers left of it, a line above, numbers below
CURVES = 84  # the height of the curves of a single run
CURVES_LEFT, CURVES_WIDTH = 44, 346  # where they begin, with room for numbers on both sides
INKS = ("--tp-accent", "--tp-success", "--tp-trouble")  # of the classes
CAPS = ("round", "square", "butt")  # the shape of a point tells its class, too
TICKS = (-1, 0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The plane as the model divides it after an epoch; before the first, it is untrained.

    Attributes:
        classes: Rows from the bottom up; in each the class of every cell, as one digit.
    """

    epoch: int
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """The state of one run.

    Attributes:
        name: Of the run, among those of its step.
        points: The (x, y, class) of each training point.
        frames: States of the model, the last one is the current.
    """

    name: str = ""
    losses: tuple[float, ...]
    accuracies: tuple[float, ...]
    points: tuple[Point, ...]
    frames: tuple[Frame, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """The place of a plane in a picture."""

    left: float
    top: float
    size: float

    def x(self, value: float) -> float:
        """Return the place of a coordinate."""
        return self.left + self.size * (value + REACH) / (2 * REACH)

    def y(self, value: float) -> float:
        """Return the place of a coordinate; they grow upwards."""
        return self.top + self.size * (REACH - value) / (2 * REACH)


def planes(count: int) -> list[Plane]:
    """Return the places of planes: a large one, or two in a row."""
    if count == 1:
        return [Plane(left=LEFT, top=ABOVE, size=LARGE)]
    pitch = SMALL + ABOVE + BETWEEN
    return [
        Plane(
            left=LEFT + (WIDTH - SMALL - LEFT) * (each % 2),
            top=ABOVE + pitch * (each // 2),
            size=SMALL,
        )
        for each in range(count)
    ]


def draw_planes(
    runs: Sequence[Training], labels: Labels, own: Sequence[Point] = (), epochs: int = 0
) -> Picture:
    """Draw the plane of each run, with a frame for each state; all runs have the same epochs.

    Args:
        runs: The state of each run.
        labels: The step's, with the word for an epoch.
        own: The visitor's points, which can be changed by clicking.
        epochs: Of a single run, in all; below its plane are then its curves so far, and a line at
            the epoch that is shown.
    """
    places = planes(len(runs))
    parts = [
        _ground(plane, labels.get(f"run_{each.name}", each.name))
        for plane, each in zip(places, runs, strict=True)
    ]
    states = list(zip(*(each.frames for each in runs), strict=True))
    for state in states:
        hidden = "" if state is states[-1] else ' visibility="hidden"'
        drawn = "".join(
            _divided(frame, each, plane, labels["loss"])
            for frame, each, plane in zip(state, runs, places, strict=True)
        )
        epoch = state[0].epoch
        said = _epoch(places, epoch, labels)
        if epochs and epoch:
            x, y = _epoch_x(epoch, epochs), _height(places) + BETWEEN
            drawn += f'<path d="M{x:.1f} {y}v{CURVES}" style="stroke:var(--tp-muted)"/>'
        parts.append(f'<g class="pp-frame" data-frame="{epoch}"{hidden}>{drawn}{said}</g>')
    for plane, each in zip(places, runs, strict=True):
        parts += _points(each.points, plane)
        parts.append(_frame(plane, each.name))
        parts += _own(own, plane)
    height = _height(places)
    if epochs:
        parts += _curves(runs[0], epochs, height + BETWEEN, labels)
        height += 2 * BETWEEN + CURVES
    return _picture(parts, height, {"epoch": states[-1][0].epoch})


def draw_own(own: Sequence[Point], labels: Labels) -> Picture:
    """Draw the visitor's points on a plane that no model has divided."""
    (plane,) = planes(1)
    said = _epoch([plane], 0, labels)
    parts = [said, _frame(plane, ""), *_own(own, plane, is_open=True)]
    return _picture(parts, _height([plane]), {"epoch": 0})


def _curves(run: Training, epochs: int, top: float, labels: Labels) -> Iterator[str]:
    """Draw the loss (on a logarithmic axis) and the accuracy of the epochs so far.

    Their colours and lines are those of the chart that takes this place after the run.
    """
    right = CURVES_LEFT + CURVES_WIDTH
    axes = f"M{CURVES_LEFT} {top}v{CURVES}h{CURVES_WIDTH}v-{CURVES}"
    yield f'<path d="{axes}" fill="none" style="stroke:var(--tp-muted)"/>'
    losses = [math.log10(each) if 0 < each < math.inf else None for each in run.losses]
    known = [each for each in losses if each is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    spread = max(high - low, 0.1)
    heights = [None if each is None else (each - low) / spread for each in losses]
    for name, values, ink, dash in (
        ("loss", heights, "accent", ""),
        ("correct", run.accuracies, "success", ' stroke-dasharray="6 4"'),
    ):
        path = _curve(values, epochs, top)
        line = f'fill="none" stroke-width="2.2" style="stroke:var(--tp-{ink})"{dash}'
        yield f'<path class="pp-{name}" d="{path}" {line}/>'
    yield text(CURVES_LEFT, top - 8, f"━ {labels['loss']}", "--tp-accent", size=13)
    words = f"┅ {labels['correct']}"
    yield text(right, top - 8, words, "--tp-success", anchor="end", size=13)
    ends = [(10, 10**high)] if known else []
    ends += [(CURVES, 10**low)] if high > low else []
    for y, loss in ends:
        yield text(CURVES_LEFT - 5, top + y, _brief(loss), "--tp-muted", anchor="end", size=13)
    for y, share in ((10, "100%"), (CURVES, "0%")):
        yield text(right + 5, top + y, share, "--tp-muted", size=13)
    for epoch in sorted({1, epochs}):
        x = _epoch_x(epoch, epochs)
        yield text(x, top + CURVES + 17, f"{epoch}", "--tp-muted", anchor="middle", size=13)


def _epoch_x(epoch: int, epochs: int) -> float:
    return CURVES_LEFT + CURVES_WIDTH * (epoch - 1) / max(epochs - 1, 1)


def _brief(loss: float) -> str:
    """Format a loss in at most five letters: there is little room left of the curves."""
    plain = f"{loss:.2g}"
    return plain if len(plain) < 5 else f"{loss:.0e}".replace("e-0", "e-").replace("e+0", "e")


def _curve(values: Sequence[float | None], epochs: int, top: float) -> str:
    """Return a curve as a path; a value that is missing parts it."""
    parts = []
    for place, value in enumerate(values):
        if value is None:
            continue
        is_first = place == 0 or values[place - 1] is None
        x, y = _epoch_x(place + 1, epochs), top + CURVES * (1 - value)
        parts.append(f"{'M' if is_first else 'L'}{x:.1f} {y:.1f}{'h.01' if is_first else ''}")
    return "".join(parts)


def _height(places: Sequence[Plane]) -> float:
    return places[-1].top + places[-1].size + BETWEEN * min(len(places), 2)


def _epoch(places: Sequence[Plane], epoch: int, labels: Labels) -> str:
    """Write the epoch above a single plane, or below several.

    The space is an en space: between Chinese and a digit that of the page's font is hardly seen.
    """
    first, *others = places
    words = f"{labels['epoch']}\u2002{epoch}"
    if others:
        return text(WIDTH, _height(places) - 6, words, anchor="end")
    return text(first.left, first.top - 9, words)


def _ground(plane: Plane, name: str) -> str:
    """Draw what the first class has where no other one is, and the name above."""
    name = text(plane.left, plane.top - 9, name) if name else ""
    return f'{name}<path d="{_box(plane)}" style="fill:{_wash(0)}"/>'


def _frame(plane: Plane, name: str) -> str:
    """Draw the border, and numbers at the axes; a name marks the run that was predicted."""
    border = f'<path d="{_box(plane)}" fill="none" style="stroke:var(--tp-muted)"/>'
    parts = [f'<g data-answer="{html.escape(name)}">{border}</g>' if name else border]
    for each in TICKS:
        x, y = plane.x(each), plane.y(each)
        below = plane.top + plane.size
        tick = f"M{x:.1f} {below}v4M{plane.left} {y:.1f}h-4"
        parts.append(f'<path d="{tick}" style="stroke:var(--tp-muted)"/>')
        number = str(each).replace("-", "\u2212")
        parts.append(text(x, below + 18, number, "--tp-muted", anchor="middle", size=13))
        parts.append(text(plane.left - 7, y + 4, number, "--tp-muted", anchor="end", size=13))
    return "".join(parts)


def _box(plane: Plane) -> str:
    return f"M{plane.left} {plane.top}h{plane.size}v{plane.size}h-{plane.size}z"


def _wash(label: int) -> str:
    return f"color-mix(in srgb, var({INKS[label]}) 34%, var(--tp-paper))"


def _divided(frame: Frame, run: Training, plane: Plane, loss: str) -> str:
    """Draw the cells of all classes but the first, and how good the model is."""
    cells = len(frame.classes)
    place = f"translate({plane.left} {plane.top}) scale({plane.size / cells:.4f})"
    parts = [f'<g transform="{place}">']
    for label in range(1, len(INKS)):
        path = "".join(
            f"M{begin} {cells - 1 - row}h{end - begin}v1h{begin - end}z"
            for row, begin, end in stretches(frame.classes, str(label))
        )
        parts.append(f'<path d="{path}" style="fill:{_wash(label)}"/>' if path else "")
    parts.append("</g>")
    if frame.epoch:
        named = f"{loss} " if plane.size == LARGE else ""
        said = f"{named}{run.losses[frame.epoch - 1]:.3g} · {run.accuracies[frame.epoch - 1]:.0%}"
        parts.append(text(plane.left + plane.size, plane.top - 9, said, anchor="end"))
    return "".join(parts)


def _points(points: Sequence[Point], plane: Plane) -> Iterator[str]:
    """Draw points as lines without length: one path for each class."""
    size = 5.5 if plane.size == LARGE else 3.6
    for label, ink in enumerate(INKS):
        path = "".join(
            f"M{plane.x(x):.1f} {plane.y(y):.1f}h{0.01 if label < 2 else size}"
            for x, y, own in points
            if own == label
        )
        if path:
            line = f'd="{path}" stroke-linecap="{CAPS[label]}" fill="none"'
            yield f'<path {line} style="stroke:var(--tp-paper)" stroke-width="{size + 1.6}"/>'
            yield f'<path {line} style="stroke:var({ink})" stroke-width="{size}"/>'


def _own(own: Sequence[Point], plane: Plane, *, is_open: bool = False) -> Iterator[str]:
    """Ring the visitor's points; a click into the plane above them adds or removes one."""
    for x, y, label in own:
        yield (
            f'<circle cx="{plane.x(x):.1f}" cy="{plane.y(y):.1f}" r="6"'
            f' style="fill:var({INKS[label]});stroke:var(--tp-ink)" stroke-width="2"/>'
        )
    if own or is_open:
        yield f'<path class="pp-plane" data-reach="{REACH}" d="{_box(plane)}" fill="transparent"/>'


def draw_bars(bars: Sequence[tuple[str, float]], limit: tuple[str, float] | None) -> Picture:
    """Draw named bars below each other, and a dashed line at the limit."""
    most = max([value for _, value in bars] + ([limit[1]] if limit else []))
    scale = (WIDTH - 90) / most if most > 0 else 0.0
    parts = []
    for place, (name, value) in enumerate(bars):
        y, width = 22 + 64 * place, max(value * scale, 1)
        parts.append(text(0, y, name, "--tp-ink"))
        parts.append(
            f'<rect data-id="bar-{place}" x="0" y="{y + 10}" width="{width:.1f}"'
            ' height="18" rx="4" style="fill:var(--tp-accent)"/>'
        )
        parts.append(
            text(
                max(width, limit[1] * scale if limit else 0) + 8, y + 24, f"{value:.3g}", "--tp-ink"
            )
        )
    bottom = 22 + 64 * len(bars)
    if limit:
        x = max(limit[1] * scale, 1)
        across = "".join(f"M{x:.1f} {28 + 64 * place}v26" for place in range(len(bars)))
        parts.append(
            f'<path data-id="limit" d="{across}" style="stroke:var(--tp-trouble)"'
            ' stroke-width="2" stroke-dasharray="5 4"/>'
        )
        anchor = "end" if x > WIDTH / 2 else "start"
        parts.append(text(x, bottom + 4, limit[0], "--tp-trouble", anchor=anchor))
    return _picture(parts, bottom + 12)


def text(
    x: float, y: float, words: str, ink: str = "--tp-ink", *, anchor: str = "start", size: int = 14
) -> str:
    """Draw a line of text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
        f' style="fill:var({ink})">{html.escape(words)}</text>'
    )


def stretches(classes: Sequence[str], label: str) -> Iterator[tuple[int, int, int]]:
    """Return the row, begin and end of each run of cells of one class."""
    for row, cells in enumerate(classes):
        begin = None
        for column, each in enumerate((*cells, "")):
            if each == label and begin is None:
                begin = column
            elif each != label and begin is not None:
                yield row, begin, column
                begin = None


def _picture(
    parts: Sequence[str], height: float, values: Mapping[str, Plain] | None = None
) -> Picture:
    return Picture(f'<svg viewBox="0 0 {WIDTH} {height}">{"".join(parts)}</svg>', values or {})
