"""Step on symmetric hidden units: units that start equal stay equal during training."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from playground.lessons.initialization.histogram import text
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number

WIDTH, LEFT = 440, 46
LINES, FUNCTION, GAP = 150, 120, 56
SEVERAL = 3
REACH = 2.5  # of the first input, in the picture of the learned function
POINTS = 41
DECIMALS = 4

Curve = tuple[tuple[float, float], ...]


class Start(StrEnum):
    """The initializer of every parameter; the value is its code."""

    CONSTANT = "nn.init.constant_(p, 0.5)"
    ZEROS = "nn.init.zeros_(p)"
    NORMAL = "nn.init.normal_(p, std=0.5)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """Plain data of the picture.

    Attributes:
        paths: For each distinct unit: how many share it, and its first weight before each step.
        learned: The function that the network has learned of its first input.
    """

    paths: tuple[tuple[int, tuple[float, ...]], ...]
    learned: Curve


class SymmetricUnits(Step):
    """Train a small network on |x|, and count its distinct hidden units."""

    start: Start = Start.CONSTANT
    units: int = number(2, 16, default=8)
    steps: int = number(0, 50, default=30)
    is_one_changed: bool = False
    has_dropout: bool = False

    def code(self, w: Words) -> str:
        dropout = "nn.Dropout(0.5), " if self.has_dropout else ""
        changed = "net[0].weight.data[0, 0] += 0.1\n" if self.is_one_changed else ""
        layers = f"nn.ReLU(), {dropout}nn.Linear({self.units}, 1))"
        return (
            "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n"
            "torch.manual_seed(0)\nX = torch.randn(64, 4)\ny = X[:, :1].abs()\npath = []"
            f"{w.folded}\n"
            f"net = nn.Sequential(\n    nn.Linear(4, {w.units}), {layers}\n"
            f"for p in net.parameters():\n    {w.start}\n"
            f"{changed}"
            "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
            f"for step in range({w.steps}):\n"
            "    path.append(net[0].weight.tolist())\n"
            "    optimizer.zero_grad()\n"
            "    F.mse_loss(net(X), y).backward()\n"
            "    optimizer.step()\n"
            f"print(len(net[0].weight.round(decimals={DECIMALS}).unique(dim=0))){w.asked}\n"
        )

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return one, two, and the number of units, without duplicates."""
        del devices
        return tuple(dict.fromkeys(("1", "2", str(self.units))))

    def answer(self, run: Run) -> Answer:
        net, torch, X, y = (run[each] for each in ("net", "torch", "X", "y"))
        final = net[0].weight.tolist()
        path = [*run["path"], final]
        rows = [tuple(round(each, DECIMALS) for each in row) for row in final]
        distinct = int(run.printed)
        net.eval()
        with torch.no_grad():
            loss = run["F"].mse_loss(net(X), y).item()
            grid = torch.zeros(POINTS, 4)
            grid[:, 0] = torch.linspace(-REACH, REACH, POINTS)
            learned = tuple(zip(grid[:, 0].tolist(), net(grid)[:, 0].tolist(), strict=True))
        groups: dict[tuple[float, ...], list[int]] = {}
        for unit, row in enumerate(rows):
            groups.setdefault(row, []).append(unit)
        return Answer(
            prediction=str(distinct) if str(distinct) in self.choices(()) else "other",
            explanation=self.explanation(),
            facts={"distinct": distinct, "loss": loss},
            placeholders={
                "units": self.units,
                "steps": self.steps,
                "loss": f"{loss:.3g}",
            },
            is_silent_failure=distinct < self.units and self.steps > 0,
            data=Units(
                paths=tuple(
                    (len(members), tuple(each[members[0]][0] for each in path))
                    for members in groups.values()
                ),
                learned=learned,
            ),
        )

    def explanation(self) -> str:
        if not self.steps:
            return "no-step"
        if self.start is Start.NORMAL:
            return "random"
        if self.is_one_changed and not self.has_dropout:
            return "one-changed"
        if self.start is Start.ZEROS and not self.is_one_changed:
            return "zeros"
        return "dropout" if self.has_dropout else "equal"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        return draw(answer.data, self.units, labels) if answer else None


def draw(data: Units, units: int, labels: Labels) -> Picture:
    """Draw both plots; the width of a line shows how many units share it."""
    values = [value for _, path in data.paths for value in path]
    low, high = min(values), max(values)
    room = max(0.1 * (high - low), 0.05)
    parts = [text(0, 14, labels["first_weight"], "--tp-ink", weight=650)]
    parts += _plot(
        [tuple(enumerate(path)) for _, path in data.paths],
        [1.6 + 8 * (count - 1) / units for count, _ in data.paths],
        (low - room, high + room),
        top=24,
        height=LINES,
    )
    top = 24 + LINES + GAP
    parts.append(text(0, top - 12, labels["learned"], "--tp-ink", weight=650))
    target = ((-REACH, REACH), (0.0, 0.0), (REACH, REACH))
    ys = [y for _, y in data.learned]
    parts += _plot(
        [target, data.learned],
        [1.6, 2.6],
        (min(*ys, 0.0), max(*ys, REACH)),
        top=top,
        height=FUNCTION,
        dashed=0,
    )
    svg = f'<svg viewBox="0 0 {WIDTH} {top + FUNCTION + 22}">{"".join(parts)}</svg>'
    shared = ", ".join(f"{count} ×" for count, _ in data.paths)
    return Picture(svg, {"groups": shared})


def _plot(
    curves: Sequence[Curve],
    widths: Sequence[float],
    span: tuple[float, float],
    *,
    top: int,
    height: int,
    dashed: int | None = None,
) -> Iterator[str]:
    """Draw curves in one frame, with the ends of both axes."""
    (low, high), xs = span, [x for curve in curves for x, _ in curve]
    first, last = min(xs), max(max(xs), min(xs) + 1)

    def place(x: float, y: float) -> str:
        across = LEFT + (WIDTH - LEFT - 12) * (x - first) / (last - first)
        return f"{across:.1f},{top + height * (high - y) / (high - low):.1f}"

    yield (
        f'<path d="M{LEFT} {top}V{top + height}H{WIDTH - 12}" fill="none"'
        f' style="stroke:var(--tp-muted)"/>'
    )
    for index, (curve, width) in enumerate(zip(curves, widths, strict=True)):
        colour = "--tp-muted" if index == dashed else "--tp-accent"
        dash = ' stroke-dasharray="5 4"' if index == dashed else ""
        points = " ".join(place(x, y) for x, y in curve)
        if len(curve) == 1:
            points += " " + place(curve[0][0] + 0.02, curve[0][1])
        yield (
            f'<polyline points="{points}" fill="none" stroke-width="{width:.1f}"{dash}'
            f' stroke-linecap="round" opacity="0.8" style="stroke:var({colour})"/>'
        )
    yield text(LEFT - 6, top + 10, f"{high:.2f}", "--tp-muted", anchor="end")
    yield text(LEFT - 6, top + height, f"{low:.2f}", "--tp-muted", anchor="end")
    yield text(LEFT, top + height + 16, f"{first:g}", "--tp-muted")
    yield text(WIDTH - 12, top + height + 16, f"{last:g}", "--tp-muted", anchor="end")


def break_the_symmetry(step: SymmetricUnits, answer: Answer) -> bool:
    """Return whether several units start equal, and all are distinct in the end."""
    is_equal = step.start is not Start.NORMAL and not step.is_one_changed
    distinct: Any = answer.facts["distinct"]
    return is_equal and distinct == step.units >= SEVERAL
