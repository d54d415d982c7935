"""Step on a layer that reads `.data` inside a network: training never changes the layer."""

from enum import StrEnum
from typing import Any

from playground.lessons.custom_layers.pictures import (
    ACCENT,
    MUTED,
    TROUBLE,
    WIDTH,
    svg_of,
    text_at,
)
from playground.steps import (
    Answer,
    Labels,
    Picture,
    Run,
    Step,
    Words,
    fix_field,
    number,
    run_program,
)

MAX_STEPS = 200


class Layers(StrEnum):
    """The position of the layer; the value is the code that the program shows."""

    MIDDLE = "nn.Linear(4, 8), MyLinear(8, 8), nn.Linear(8, 1)"
    FIRST = "MyLinear(4, 8), nn.Linear(8, 1)"
    LAST = "nn.Linear(4, 8), nn.ReLU(), MyLinear(8, 1)"
    EVERYWHERE = "MyLinear(4, 8), MyLinear(8, 1)"


class DataTrap(Step):
    """Train a network that contains such a layer."""

    layers: Layers = Layers.MIDDLE
    steps: int = number(0, MAX_STEPS, default=50)
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        data = "" if self.is_fixed else ".data"
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
                    return F.relu(X @ self.weight{data} + self.bias{data})

            torch.manual_seed(2)
            X = torch.rand(64, 4)
            {w.folded}
            net = nn.Sequential({w.layers})
            optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
            for step in range({w.steps}):
                loss = F.mse_loss(net(X), X.sum(dim=1, keepdim=True))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            for name, p in net.named_parameters():
                print(name, p.grad is None){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        """Compare with the network before training, and with the training without the mistake."""
        net = run["net"]
        start = run_program(self.replaced(steps=0).program())["net"]
        good = run_program(self.replaced(is_fixed=True).program())
        own = {name for name, part in net.named_modules() if type(part).__name__ == "MyLinear"}
        moved = tuple(
            (name, (p - before).abs().mean().item(), name.partition(".")[0] in own)
            for (name, p), before in zip(net.named_parameters(), start.parameters(), strict=True)
        )
        without = {name.partition(".")[0] for name, p in net.named_parameters() if p.grad is None}
        prediction = "own" if without else "none"
        if not run.outcome.ok:
            prediction = run.outcome.error_type
        return Answer(
            prediction=prediction if self.steps else "every",
            explanation=self.explanation(run),
            facts={
                "loss": rounded(run.get("loss")),
                "good_loss": None if self.is_fixed else rounded(good.get("loss")),
                "still": ", ".join(name for name, distance, _ in moved if not distance) or None,
            },
            is_silent_failure=run.outcome.ok and not self.is_fixed and self.steps > 0,
            fix=None if self.is_fixed else self.tried_fix(),
            data=moved,
        )

    def explanation(self, run: Run) -> str:
        if not self.steps:
            return "not-trained"
        if self.is_fixed:
            return "repaired"
        if not run.outcome.ok:
            return "nothing-leads-back"
        return "leaf-is-cut-off" if self.layers is Layers.FIRST else "passes-through"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None:
            return None
        most = max(distance for _, distance, _ in answer.data) or 1.0
        parts = [text_at(8, 16, labels["moved"], MUTED)]
        for row, (name, distance, is_own) in enumerate(answer.data):
            y = 28 + 30 * row
            width = (WIDTH - 190) * distance / most
            colour = TROUBLE if is_own and not distance else ACCENT
            parts.append(text_at(8, y + 15, name, colour))
            parts.append(
                f'<rect data-id="moved-{name}" x="90" y="{y + 2}" width="{max(width, 2):.1f}"'
                f' height="18" rx="4" style="fill:{colour}"/>'
            )
            parts.append(text_at(WIDTH - 4, y + 15, f"{distance:.3g}", colour, "end"))
        distances = ", ".join(f"{name} {distance:.2g}" for name, distance, _ in answer.data)
        return Picture(svg_of(parts, 34 + 30 * len(answer.data)), {"moved": distances})


def rounded(loss: Any) -> str | None:
    """Format a loss with four digits."""
    return None if loss is None else f"{loss.item():.4g}"


def is_noticed(step: DataTrap, answer: Answer) -> bool:
    """Return whether PyTorch refuses the mistake."""
    del step
    return answer.outcome.error_type == "RuntimeError"
