"""SVG pictures of this lesson: curves over epochs, the classified plane, and bars."""

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playground.steps import Picture
from playground.steps.device_map import colours

WIDTH, HEIGHT, LEFT, TOP = 440, 250, 46, 44
PLANE, PLANE_LEFT = 352, 46  # of the plane, in the picture
MAX_TICKS = 6
REACH = 1.7  # the plane goes from minus this to this, both ways
CELLS = 40
MIN_LOSS = 1e-5  # below it a curve on a logarithmic scale says nothing
CLASSES = ("--tp-accent", "--tp-success", "--tp-trouble")
LINES = ("--tp-muted", *CLASSES)
DASHES = ("", "6 4", "2 3", "8 3 2 3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The losses of one run, and its name."""

    name: str
    losses: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """The place of curves in a picture."""

    width: float
    top: float = TOP
    height: float = HEIGHT - TOP - 24

    def x(self, number: int, epochs: int) -> float:
        """Return the place of an epoch, counted from 0."""
        return LEFT + self.width * number / max(epochs - 1, 1)


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
        points: The (x, y, class) of each training point.
        frames: States of the model, the last one is the current.
    """

    losses: tuple[float, ...]
    accuracies: tuple[float, ...]
    points: tuple[tuple[float, float, int], ...]
    frames: tuple[Frame, ...]


def look_at(names: Mapping[str, Any]) -> Frame:
    """Evaluate the model of a program on the cells of the plane; runs in the worker.

    Args:
        names: The variables of the program: torch, its Trainer and its points.
    """
    torch, trainer = names["torch"], names["trainer"]
    axis = torch.linspace(-REACH, REACH, CELLS)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    places = torch.stack((x.flatten(), y.flatten()), 1)
    was_training = trainer.model.training
    trainer.model.eval()
    with torch.no_grad():
        X, _ = trainer.prepare_batch((places, places))
        digits = "".join(map(str, trainer.model(X).argmax(1).tolist()))
    trainer.model.train(was_training)
    classes = tuple(digits[row * CELLS : (row + 1) * CELLS] for row in range(CELLS))
    return Frame(epoch=len(trainer.losses), classes=classes)


def points_of(names: Mapping[str, Any]) -> tuple[tuple[float, float, int], ...]:
    """Return the training points of a program; runs in the worker."""
    X, labels = names["points"].train
    pairs = zip(X.tolist(), labels.tolist(), strict=True)
    return tuple((round(x, 3), round(y, 3), label) for (x, y), label in pairs)


def draw_training(run: Training, epochs: int, words: tuple[str, str, str]) -> Picture:
    """Draw the plane, and the loss and the accuracy below it, with a frame for each state.

    Args:
        run: The state of the run.
        epochs: The number of epochs of the whole run.
        words: The titles of the loss, on a logarithmic scale, and of the accuracy; the epoch's.
    """
    axes = Axes(top=PLANE + 92, height=120, width=WIDTH - LEFT - 44)
    parts = [
        text(0, PLANE + 54, words[0], "--tp-ink"),
        text(0, PLANE + 72, words[1], "--tp-success"),
    ]
    shown = [each for each in run.frames if each.epoch <= len(run.losses)]
    parts += [
        _frame(each, run, axes, epochs, words[2], is_last=each is shown[-1]) for each in shown
    ]
    parts += _points(run.points)
    curve = Curve(name="", losses=run.losses)
    parts += _curves((curve,), ("--tp-ink",), epochs, axes)
    steps = [(number, 1 - each) for number, each in enumerate(run.accuracies)]
    parts.append(_polyline(steps, epochs, axes, "--tp-success", "5 3"))
    parts += [
        text(
            WIDTH,
            axes.top + axes.height * (1 - part) + 5,
            f"{part:.0%}",
            "--tp-success",
            anchor="end",
        )
        for part in (0.0, 0.5, 1.0)
    ]
    return _picture(parts, axes.top + axes.height + 24)


def draw_curves(curves: Sequence[Curve], epochs: int, title: str) -> Picture:
    """Draw the losses of several runs; the curve of a device has the device's colour.

    Each curve has its name as ``data-answer``: that of the visitor's prediction is drawn thick.
    """
    inks = [
        colours(each.name)[2][4:-1] if each.name.startswith(("cpu", "cuda")) else LINES[place % 4]
        for place, each in enumerate(curves)
    ]
    parts = [text(0, 14, title, "--tp-ink")]
    parts += _curves(curves, inks, epochs, Axes(width=WIDTH - LEFT - 80))
    for place, (each, ink) in enumerate(zip(curves, inks, strict=True)):
        name = text(WIDTH, TOP + 12 + 20 * place, each.name, ink, anchor="end")
        parts.append(f'<g data-answer="{html.escape(each.name)}">{name}</g>')
    return _picture(parts, HEIGHT)


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


def text(x: float, y: float, words: str, ink: str, *, anchor: str = "start") -> str:
    """Draw a line of text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="14" text-anchor="{anchor}"'
        f' style="fill:var({ink})">{html.escape(words)}</text>'
    )


def heights(losses: Sequence[float]) -> list[float | None]:
    """Return losses as powers of ten; one that is not finite is None."""
    return [math.log10(max(loss, MIN_LOSS)) if math.isfinite(loss) else None for loss in losses]


def ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times the powers of ten, from the last one below to the first one above.

    >>> ticks(0.3, 0.9), ticks(4.0, 30.0)
    ([0.2, 0.5, 1.0], [2.0, 5.0, 10.0, 20.0, 50.0])
    """
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    marks = [float(f"{digit}e{decade}") for decade in decades for digit in (1, 2, 5)]
    first = max(place for place, each in enumerate(marks) if each <= low)
    last = min(place for place, each in enumerate(marks) if each >= high)
    return marks[first : max(last, first + 1) + 1]


def _curves(curves: Sequence[Curve], inks: Sequence[str], epochs: int, axes: Axes) -> Iterator[str]:
    raised = [heights(each.losses) for each in curves]
    known = [each for line in raised for each in line if each is not None] or [0.0]
    marks = ticks(10 ** min(known), 10 ** max(known))
    low, high = math.log10(marks[0]), math.log10(marks[-1])
    labelled = (
        marks if len(marks) <= MAX_TICKS else [each for each in marks if f"{each:e}"[0] == "1"]
    )
    for each in labelled[:: -(-len(labelled) // MAX_TICKS)]:
        y = axes.top + axes.height * (high - math.log10(each)) / (high - low)
        yield f'<path d="M{LEFT} {y:.1f}h{axes.width:.0f}" style="stroke:var(--tp-line)"/>'
        yield text(LEFT - 6, y + 5, f"{each:g}", "--tp-muted", anchor="end")
    for place, (curve, line, ink) in enumerate(zip(curves, raised, inks, strict=True)):
        steps = [
            (number, (high - each) / (high - low))
            for number, each in enumerate(line)
            if each is not None
        ]
        drawn = _polyline(steps, epochs, axes, ink, DASHES[place % len(DASHES)])
        yield f'<g data-answer="{html.escape(curve.name)}">{drawn}</g>' if curve.name else drawn
    bottom = axes.top + axes.height + 20
    yield text(LEFT, bottom, "1", "--tp-muted", anchor="middle")
    yield text(LEFT + axes.width, bottom, str(epochs), "--tp-muted", anchor="middle")


def _polyline(
    steps: Sequence[tuple[int, float]], epochs: int, axes: Axes, ink: str, dash: str
) -> str:
    """Draw a line through points: the epoch from 0, and the distance from the top, 0 to 1."""
    points = " ".join(
        f"{axes.x(number, epochs):.1f},{axes.top + axes.height * down:.1f}"
        for number, down in steps
    )
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<polyline points="{points}" fill="none" style="stroke:var({ink})"'
        f' stroke-width="2"{dashed}/>'
    )


def _frame(
    frame: Frame, run: Training, axes: Axes, epochs: int, word: str, *, is_last: bool
) -> str:
    """Draw the plane as one state of the model divides it, and where that is on the curves.

    The page shows one frame at a time; where it cannot, the last one is seen.
    """
    place = f"translate({PLANE_LEFT} 0) scale({PLANE / CELLS})"
    parts = [f'<g transform="{place}" opacity="0.36">']
    for label, ink in enumerate(CLASSES):
        path = "".join(
            f"M{begin} {CELLS - 1 - row}h{end - begin}v1h{begin - end}z"
            for row, begin, end in stretches(frame.classes, str(label))
        )
        parts.append(f'<path d="{path}" style="fill:var({ink})"/>' if path else "")
    parts.append("</g>")
    said = f"{word} {frame.epoch}"
    if frame.epoch:
        x = axes.x(frame.epoch - 1, epochs)
        line = f"M{x:.1f} {axes.top}v{axes.height}"
        parts.append(f'<path d="{line}" style="stroke:var(--tp-accent)" stroke-width="1.5"/>')
        said += f": {run.losses[frame.epoch - 1]:.3g} · {run.accuracies[frame.epoch - 1]:.0%}"
    parts.append(text(PLANE_LEFT, PLANE + 22, said, "--tp-ink"))
    hidden = "" if is_last else ' visibility="hidden"'
    return f'<g class="pp-frame" data-frame="{frame.epoch}"{hidden}>{"".join(parts)}</g>'


def _points(points: Sequence[tuple[float, float, int]]) -> Iterator[str]:
    scale = PLANE / (2 * REACH)
    for label, ink in enumerate(CLASSES):
        yield "".join(
            f'<circle cx="{PLANE_LEFT + (x + REACH) * scale:.0f}" cy="{(REACH - y) * scale:.0f}"'
            f' r="3" style="fill:var({ink});stroke:var(--tp-paper)" stroke-width=".6"/>'
            for x, y, own in points
            if own == label
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


def _picture(parts: Sequence[str], height: float) -> Picture:
    return Picture(f'<svg viewBox="0 0 {WIDTH} {height}">{"".join(parts)}</svg>')
