"""Step on a layer with parameters: the effect of `.data` in its forward method."""

from enum import StrEnum

from playground.lessons.custom_layers.pictures import ACCENT, LINE, MUTED, svg_of, text_at
from playground.steps import Answer, Labels, Picture, Run, Step, Words, fix_field

CELL = (64, 30)  # px


class Sum(StrEnum):
    """The sum before the ReLU in forward; the value is the code that the program shows."""

    DATA = "X @ self.weight.data + self.bias.data"
    PARAMETERS = "X @ self.weight + self.bias"
    MIXED = "X @ self.weight.data + self.bias"


class MyLinear(Step):
    """Create the layer of the textbooks, and run a backward pass through it."""

    sum: Sum = Sum.DATA
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        total = Sum.PARAMETERS.value if self.is_fixed else w.sum
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F

            torch.manual_seed(0)
            {w.folded}
            class MyLinear(nn.Module):
                def __init__(self, in_units, units):
                    super().__init__()
                    self.weight = nn.Parameter(torch.randn(in_units, units))
                    self.bias = nn.Parameter(torch.randn(units))
                def forward(self, X):
                    return F.relu({total})

            layer = MyLinear(5, 3)
            Y = layer(torch.rand(2, 5))
            Y.sum().backward()
            print(layer.weight.grad){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        layer, Y = run["layer"], run["Y"]
        grad = layer.weight.grad
        is_right = self.is_fixed or self.sum is Sum.PARAMETERS
        units = (Y.detach() > 0).any(dim=0).tolist()
        explanation = (
            {Sum.DATA: "no-history", Sum.MIXED: "only-the-bias"}[self.sum]
            if not is_right
            else "arrives"
        )
        if grad is not None:
            prediction = "numbers"
        else:
            prediction = "None" if run.outcome.ok else run.outcome.error_type
        return Answer(
            prediction=prediction,
            explanation=explanation,
            facts={
                "grad_fn": None if Y.grad_fn is None else Y.grad_fn.name(),
                "names": ", ".join(name for name, _ in layer.named_parameters()),
                "bias_grad": "None" if layer.bias.grad is None else str(layer.bias.grad.tolist()),
            },
            placeholders={"dead": units.count(False), "units": len(units)},
            is_silent_failure=self.sum is Sum.MIXED and not self.is_fixed,
            fix=None if is_right else self.tried_fix(),
            data=None if grad is None else tuple(map(tuple, grad.tolist())),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None:
            return None
        width, height = CELL
        parts = [text_at(8, 16, labels["grid"], MUTED)]
        for row in range(5):
            for column in range(3):
                value = None if answer.data is None else answer.data[row][column]
                x, y = 60 + (width + 4) * column, 26 + (height + 4) * row
                colour = ACCENT if value else LINE
                shown = "None" if value is None else f"{value:.2f}"
                parts.append(
                    f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" style="fill:'
                    f'color-mix(in srgb,{colour} 16%,transparent);stroke:{colour}"/>'
                )
                parts.append(text_at(x + width / 2, y + 20, shown, anchor="middle"))
            parts.append(text_at(8, 46 + (height + 4) * row, f"X[:, {row}]", MUTED, size=12))
        gradient = "None" if answer.data is None else str([list(row) for row in answer.data])
        return Picture(svg_of(parts, 26 + (height + 4) * 5 + 4), {"gradient": gradient})
