"""Step on an untrained nested network: different inputs, nearly equal outputs."""

import html
import math
from typing import Any, NamedTuple

from playground.lessons.parameters.tree import BLOCK_1
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number

EXAMPLES = 10
CLOSER, NEARLY_EQUAL = 1.0, 0.01  # spread of the outputs, as a share of that of the inputs


class Signal(NamedTuple):
    """The output of a layer: its spread over the examples, and its mean absolute value."""

    layer: str
    spread: float
    size: float


class SameOutput(Step):
    """Follow ten random examples through the blocks."""

    blocks: int = number(1, 8, default=4)
    scale: int = number(1, 1000, default=1)
    seed: int = number(0, 9999, default=1)

    def code(self, w: Words) -> str:
        return f"""\
import torch
from torch import nn

{BLOCK_1.rstrip()}
{w.folded}
def block2():
    net = nn.Sequential()
    for i in range({w.blocks}):
        net.add_module(f"block {{i}}", block1())
    return net

torch.manual_seed({w.seed})
rgnet = nn.Sequential(block2(), nn.Linear(4, 1))
X = {w.scale} * torch.randn({EXAMPLES}, 4)
Y = rgnet(X)
print(X.std(dim=0).mean(), Y.std(dim=0).mean()){w.asked}
"""

    def answer(self, run: Run) -> Answer:
        """Measure the spread after each linear layer, and the output of the biases alone."""
        torch, rgnet, X = run["torch"], run["rgnet"], run["X"]
        with torch.no_grad():
            values, signals = X, [signal("X", X)]
            for block in rgnet[0]:
                for layer in block:
                    values = layer(values)
                signals.append(signal(str(len(signals)), values))
            signals.append(signal("Y", rgnet[1](values)))
            from_biases = rgnet(torch.zeros(1, 4)).item()
        spread = signals[-1].spread
        ratio = spread / signals[0].spread
        return Answer(
            prediction=how_far(ratio),
            explanation=explanation(ratio, spread, abs(from_biases)),
            facts={
                "input_spread": f"{signals[0].spread:.3g}",
                "output_spread": f"{spread:.3g}",
                "output_mean": f"{run['Y'].mean().item():.4g}",
                "from_biases": f"{from_biases:.4g}",
            },
            placeholders={"layers": 2 * self.blocks + 1, "percent": f"{100 * ratio:.2g}"},
            data=tuple(signals),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        if answer is None:
            empty = [Signal(name, 0, 0) for name in ("X", *map(str, range(1, self.blocks + 1)))]
            return draw([*empty, Signal("Y", 0, 0)], labels)
        return draw(answer.data, labels)


def signal(name: str, values: Any) -> Signal:
    """Measure a batch of values."""
    return Signal(name, values.std(dim=0).mean().item(), values.abs().mean().item())


def how_far(ratio: float) -> str:
    """Choose the answer for a ratio of spreads."""
    if ratio >= CLOSER:
        return "as_far"
    return "closer" if ratio >= NEARLY_EQUAL else "nearly_equal"


def explanation(ratio: float, spread: float, from_biases: float) -> str:
    """Choose the explanation that fits this case."""
    if ratio >= NEARLY_EQUAL:
        return "signal-weaker"
    return "biases-remain" if spread < from_biases / 10 else "signal-lost"


def draw(signals: list[Signal], labels: Labels) -> Picture:
    """Draw two falling lines with the values at both ends."""
    lines = {
        "size": ("var(--tp-muted)", [each.size for each in signals], "6 4"),
        "spread": ("var(--tp-accent)", [each.spread for each in signals], ""),
    }
    known = [math.log10(value) for _, values, _ in lines.values() for value in values if value > 0]
    top, bottom = (max(known), min(known)) if known else (0.0, -1.0)
    span = max(top - bottom, 1.0)
    step = 340 / (len(signals) - 1)
    parts = []
    for index, each in enumerate(signals):
        x = 40 + step * index
        parts.append(
            f'<path d="M{x:g} 34 V184" style="stroke:var(--tp-line)"/><text x="{x:g}" y="202"'
            f' font-size="13" text-anchor="middle" style="fill:var(--tp-muted)">{each.layer}</text>'
        )
    for place, (name, (colour, values, dash)) in enumerate(lines.items()):
        parts.append(
            f'<path d="M{4 + 200 * place} 12 h22" style="stroke:{colour}" stroke-width="2.5"'
            f' stroke-dasharray="{dash}"/><text x="{32 + 200 * place}" y="17" font-size="13"'
            f' style="fill:var(--tp-ink)">{html.escape(labels[f"line_{name}"])}</text>'
        )
        points = [
            (40 + step * index, 44 + 122 * (top - math.log10(value)) / span)
            for index, value in enumerate(values)
            if value > 0
        ]
        if len(points) < 2:  # nothing is known yet, or the signal is gone
            continue
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        parts.append(
            f'<polyline data-id="line-{name}" points="{path}" fill="none" stroke-width="2.5"'
            f' style="stroke:{colour}" stroke-dasharray="{dash}"/>'
        )
        x, y = points[-1]
        y += 17 if name == "spread" else -7
        parts.append(
            f'<text x="{min(x, 392):g}" y="{y:g}" font-size="12" text-anchor="middle"'
            f' paint-order="stroke" stroke-width="4" style="fill:var(--tp-ink);'
            f'stroke:var(--tp-paper)">{values[-1]:.2g}</text>'
        )
    svg = f'<svg viewBox="0 0 440 210">{"".join(parts)}</svg>'
    spreads = ", ".join(f"{each.layer} {each.spread:.2g}" for each in signals if each.spread)
    return Picture(svg, {"spreads": spreads or "—"})


def is_spread_out(step: SameOutput, answer: Answer) -> bool:
    """Return whether the outputs of the lesson's network differ by more than 0.1."""
    return step.blocks == SameOutput().blocks and answer.data[-1].spread > 0.1
