"""SVG pictures of this lesson: curves over epochs, the classified plane, and bars."""

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playground.steps import Picture
from playground.steps.device_map import colours

WIDTH, HEIGHT, LEFT, TOP = 440, 250, 46, 44
PLANE = 180  # of the plane, in the picture
REACH = 1.6  # the plane goes from minus this to this, both ways
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
class Plane:
    """The points, and the class that the model predicts at each cell of the plane.

    Attributes:
        points: The (x, y, class) of each training point.
        classes: Rows from the bottom up; in each the class of every cell, as one digit.
    """

    points: tuple[tuple[float, float, int], ...]
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """The state of one run."""

    losses: tuple[float, ...]
    accuracies: tuple[float, ...]
    plane: Plane


def look_at(names: Mapping[str, Any]) -> Plane:
    """Evaluate the model of a program on the cells of the plane; runs in the worker.

    Args:
        names: The variables of the program: torch, its Trainer and its points.
    """
    torch, trainer, points = names["torch"], names["trainer"], names["points"]
    axis = torch.linspace(-REACH, REACH, CELLS)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    places = torch.stack((x.flatten(), y.flatten()), 1)
    was_training = trainer.model.training
    trainer.model.eval()
    with torch.no_grad():
        X, _ = trainer.prepare_batch((places, places))
        digits = "".join(map(str, trainer.model(X).argmax(1).tolist()))
    trainer.model.train(was_training)
    X, labels = points.train
    return Plane(
        points=tuple(
            (round(x, 3), round(y, 3), label)
            for (x, y), label in zip(X.tolist(), labels.tolist(), strict=True)
        ),
        classes=tuple(digits[row * CELLS : (row + 1) * CELLS] for row in range(CELLS)),
    )


def draw_training(run: Training, epochs: int, words: tuple[str, str]) -> Picture:
    """Draw the loss, the accuracy and the plane.

    Args:
        run: The state of the run.
        epochs: The number of epochs of the whole run.
        words: The titles of the loss, on a logarithmic scale, and of the accuracy.
    """
    width = WIDTH - PLANE - LEFT - 16
    parts = [text(0, 14, words[0], "--tp-ink"), text(0, 32, words[1], "--tp-success")]
    parts += _curves((Curve(name="", losses=run.losses),), ("--tp-ink",), epochs, width)
    steps = [(number, 1 - each) for number, each in enumerate(run.accuracies)]
    parts.append(_polyline(steps, epochs, width, "--tp-success", "5 3"))
    parts += _plane(run.plane, WIDTH - PLANE)
    return _picture(parts)


def draw_curves(curves: Sequence[Curve], epochs: int, title: str) -> Picture:
    """Draw the losses of several runs; the curve of a device has the device's colour."""
    inks = [
        colours(each.name)[2][4:-1] if each.name.startswith(("cpu", "cuda")) else LINES[place % 4]
        for place, each in enumerate(curves)
    ]
    parts = [text(0, 14, title, "--tp-ink")]
    parts += _curves(curves, inks, epochs, WIDTH - LEFT - 80)
    for place, (each, ink) in enumerate(zip(curves, inks, strict=True)):
        parts.append(text(WIDTH, TOP + 12 + 20 * place, each.name, ink, anchor="end"))
    return _picture(parts)


def draw_bars(bars: Sequence[tuple[str, float]], limit: tuple[str, float] | None) -> Picture:
    """Draw named bars below each other, and a dashed line at the limit."""
    most = max([value for _, value in bars] + ([limit[1]] if limit else []))
    scale = (WIDTH - 90) / most if most > 0 else 0.0
    parts = []
    for place, (name, value) in enumerate(bars):
        y = 30 + 56 * place
        parts.append(text(0, y, name, "--tp-ink"))
        parts.append(
            f'<rect data-id="bar-{place}" x="0" y="{y + 8}" width="{max(value * scale, 1):.1f}"'
            ' height="18" rx="4" style="fill:var(--tp-accent)"/>'
        )
        parts.append(text(max(value * scale, 1) + 6, y + 22, f"{value:.3g}", "--tp-ink"))
    bottom = 30 + 56 * len(bars)
    if limit:
        x = max(limit[1] * scale, 1)
        across = "".join(f"M{x:.1f} {34 + 56 * place}v26" for place in range(len(bars)))
        parts.append(
            f'<path data-id="limit" d="{across}" style="stroke:var(--tp-trouble)"'
            ' stroke-width="2" stroke-dasharray="5 4"/>'
        )
        anchor = "end" if x > WIDTH / 2 else "start"
        parts.append(text(x, bottom + 4, limit[0], "--tp-trouble", anchor=anchor))
    return Picture(f'<svg viewBox="0 0 {WIDTH} {bottom + 12}">{"".join(parts)}</svg>')


def text(x: float, y: float, words: str, ink: str, *, anchor: str = "start") -> str:
    """Draw a line of text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="14" text-anchor="{anchor}"'
        f' style="fill:var({ink})">{html.escape(words)}</text>'
    )


def heights(losses: Sequence[float]) -> list[float | None]:
    """Return losses as powers of ten; one that is not finite is None."""
    return [math.log10(max(loss, MIN_LOSS)) if math.isfinite(loss) else None for loss in losses]


def _curves(
    curves: Sequence[Curve], inks: Sequence[str], epochs: int, width: float
) -> Iterator[str]:
    raised = [heights(each.losses) for each in curves]
    known = [each for line in raised for each in line if each is not None] or [0.0]
    low, high = math.floor(min(known)), max(math.ceil(max(known)), math.floor(min(known)) + 1)
    for decade in range(low, high + 1, max(1, (high - low) // 3)):
        y = TOP + (HEIGHT - TOP - 24) * (high - decade) / (high - low)
        yield f'<path d="M{LEFT} {y:.1f}h{width:.0f}" style="stroke:var(--tp-line)"/>'
        yield text(LEFT - 6, y + 5, f"1e{decade}" if decade else "1", "--tp-muted", anchor="end")
    for place, (line, ink) in enumerate(zip(raised, inks, strict=True)):
        steps = [
            (number, (high - each) / (high - low))
            for number, each in enumerate(line)
            if each is not None
        ]
        yield _polyline(steps, epochs, width, ink, DASHES[place % len(DASHES)])
    yield text(LEFT, HEIGHT - 4, "1", "--tp-muted", anchor="middle")
    yield text(LEFT + width, HEIGHT - 4, str(epochs), "--tp-muted", anchor="middle")


def _polyline(
    steps: Sequence[tuple[int, float]], epochs: int, width: float, ink: str, dash: str
) -> str:
    """Draw a line through points: the epoch from 0, and the distance from the top, 0 to 1."""
    points = " ".join(
        f"{LEFT + width * number / max(epochs - 1, 1):.1f},{TOP + (HEIGHT - TOP - 24) * down:.1f}"
        for number, down in steps
    )
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<polyline points="{points}" fill="none" style="stroke:var({ink})"'
        f' stroke-width="2"{dashed}/>'
    )


def _plane(plane: Plane, left: float) -> Iterator[str]:
    side = PLANE / CELLS
    scale = PLANE / (2 * REACH)
    for label, ink in enumerate(CLASSES):
        path = "".join(
            f"M{left + begin * side:.1f} {TOP + (CELLS - 1 - row) * side:.1f}"
            f"h{(end - begin) * side:.1f}v{side:.1f}h{(begin - end) * side:.1f}z"
            for row, begin, end in stretches(plane.classes, str(label))
        )
        yield f'<path d="{path}" style="fill:var({ink})" opacity="0.22"/>'
        yield "".join(
            f'<circle cx="{left + (x + REACH) * scale:.0f}" cy="{TOP + (REACH - y) * scale:.0f}"'
            f' r="2" style="fill:var({ink})"/>'
            for x, y, own in plane.points
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


def _picture(parts: Sequence[str]) -> Picture:
    return Picture(f'<svg viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>')
