"""Step on two weight layouts: (inputs, units) of MyLinear and (units, inputs) of nn.Linear."""

from enum import StrEnum

from playground.lessons.custom_layers.pictures import (
    ACCENT,
    INK,
    MUTED,
    TROUBLE,
    WIDTH,
    svg_of,
    text_at,
)
from playground.steps import Answer, Labels, Picture, Run, Step, Words, fix_field, number

MOST = 6
CELL = 32  # px


class Source(StrEnum):
    """The copied tensor; the value is the code that the program shows."""

    PLAIN = "layer.weight"
    TRANSPOSED = "layer.weight.T"


class TwoLayouts(Step):
    """Copy the weight of one layer into the other, and compare the outputs."""

    inputs: int = number(1, MOST, default=4)
    units: int = number(1, MOST, default=4)
    source: Source = Source.PLAIN
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        source = Source.TRANSPOSED.value if self.is_fixed else w.source
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F

            class MyLinear(nn.Module):
                def __init__(self, in_units, units):
                    super().__init__()
                    self.weight = nn.Parameter(torch.randn(in_units, units))
                    self.bias = nn.Parameter(torch.randn(units))

                def forward(self, X):
                    return F.relu(X @ self.weight + self.bias)

            torch.manual_seed(0)
            {w.folded}
            layer = MyLinear({w.inputs}, {w.units})
            linear = nn.Linear({self.inputs}, {self.units})
            with torch.no_grad():
                linear.weight.copy_({source})
                linear.bias.copy_(layer.bias)
            X = torch.randn(16, {self.inputs})
            same = torch.allclose(layer(X), F.relu(linear(X)), atol=1e-5)
            print(same){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        layer, linear, F = run["layer"], run["linear"], run["F"]
        difference = None
        if run.outcome.ok:
            gap = (layer(run["X"]) - F.relu(linear(run["X"]))).abs().max().item()
            difference = f"{gap:.2g}"
        explanation = self.explanation(run)
        return Answer(
            prediction=run.printed.strip() or run.outcome.error_type,
            explanation=explanation,
            facts={
                "own_shape": str(tuple(layer.weight.shape)),
                "linear_shape": str(tuple(linear.weight.shape)),
                "difference": difference,
            },
            is_silent_failure=explanation == "fits-and-is-wrong",
            fix=self.tried_fix() if explanation in ("shapes-differ", "fits-and-is-wrong") else None,
        )

    def explanation(self, run: Run) -> str:
        if not run.outcome.ok:
            return "shapes-differ"
        if self.is_fixed or self.source is Source.TRANSPOSED:
            return "transposed"
        return "one-number" if self.inputs == self.units == 1 else "fits-and-is-wrong"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        is_plain = not self.is_fixed and self.source is Source.PLAIN
        left = [[(i, u) for u in range(self.units)] for i in range(self.inputs)]
        meant = [[(i, u) for i in range(self.inputs)] for u in range(self.units)]
        parts = _grid(left, left, 8, "MyLinear", is_known=False)
        is_refused = answer is not None and not answer.outcome.ok
        known = answer is not None and not is_refused
        filled = left if is_plain and known and self.inputs == self.units else meant
        parts += _grid(filled, meant, WIDTH / 2 + 8, "nn.Linear", is_known=known)
        parts.append(
            text_at(8, 62 + CELL * max(self.inputs, self.units), labels["cells"], MUTED, size=12)
        )
        wrong = sum(
            a != b
            for row, goal in zip(filled, meant, strict=True)
            for a, b in zip(row, goal, strict=True)
        )
        shapes = f"({self.inputs}, {self.units}), ({self.units}, {self.inputs})"
        return Picture(
            svg_of(parts, 72 + CELL * max(self.inputs, self.units)),
            {"shapes": shapes, "wrong": wrong},
        )


Cells = list[list[tuple[int, int]]]


def _grid(cells: Cells, meant: Cells, left: float, name: str, *, is_known: bool) -> list[str]:
    parts = [text_at(left, 18, f"{name} ({len(meant)}, {len(meant[0])})", INK, weight=650)]
    for row, (line, goal) in enumerate(zip(cells, meant, strict=True)):
        for column, (cell, wanted) in enumerate(zip(line, goal, strict=True)):
            x, y = left + CELL * column, 30 + CELL * row
            colour = TROUBLE if cell != wanted else ACCENT if is_known else MUTED
            parts.append(
                f'<rect x="{x:g}" y="{y}" width="{CELL - 2}" height="{CELL - 2}" rx="5" style="'
                f'fill:color-mix(in srgb,{colour} 16%,transparent);stroke:{colour}"/>'
            )
            shown = f"{cell[0]}→{cell[1]}"
            parts.append(text_at(x + CELL / 2 - 1, y + 20, shown, INK, "middle", size=12))
    return parts


def is_silently_wrong(step: TwoLayouts, answer: Answer) -> bool:
    """Return whether PyTorch accepts the copy, and the outputs differ."""
    del step
    return answer.is_silent_failure
