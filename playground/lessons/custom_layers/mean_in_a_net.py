"""Step on the mean after a layer that subtracts it: the rounding error that remains."""

import math
from enum import StrEnum
from typing import Any

from playground.lessons.custom_layers.pictures import ACCENT, MUTED, TROUBLE, magnitudes
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number


class Precision(StrEnum):
    """The data type of parameters and batch."""

    FLOAT32 = "torch.float32"
    FLOAT64 = "torch.float64"
    FLOAT16 = "torch.float16"


class MeanInANet(Step):
    """Put the layer at the end of a network, and compare the mean with 0."""

    units: int = number(1, 256, default=128)
    batch: int = number(1, 256, default=4)
    precision: Precision = Precision.FLOAT32
    seed: int = number(0, 9999, default=1)

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn

            class CenteredLayer(nn.Module):
                def forward(self, X):
                    return X - X.mean()
            {w.folded}
            torch.manual_seed({self.seed})
            net = nn.Sequential(nn.Linear(8, {w.units}), CenteredLayer())
            net.to({w.precision})
            X = torch.rand({w.batch}, 8, dtype={self.precision.value})
            Y = net(X)
            print(Y.mean().item() == 0){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        torch, net, Y = run["torch"], run["net"], run["Y"].detach()
        with torch.no_grad():
            H = net[0](run["X"])
        mean, unit = Y.mean().item(), torch.finfo(Y.dtype).eps
        subtracted, exact = H.mean().item(), exact_mean(H)
        left_over = "rounded" if mean else "cancelled"
        return Answer(
            prediction=run.printed.strip(),
            explanation=left_over if Y.numel() > 1 else "one-value",
            facts={"mean": f"{mean:.3g}", "exact_mean": f"{exact_mean(Y):.3g}", "eps": unit},
            placeholders={
                "count": Y.numel(),
                "subtracted": f"{subtracted:.4g}",
                "mean_error": f"{abs(subtracted - exact):.2g}",
            },
            data=(mean, exact_mean(Y), unit, Y.abs().double().mean().item()),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None or not any(answer.data):
            return None
        mean, _, unit, size = answer.data
        marks = [("Y.mean()", mean, TROUBLE), (labels["eps"], unit, MUTED)]
        marks += [(labels["size"], size, ACCENT)] if size else []
        values = ", ".join(f"{name} {value:.2g}" for name, value, _ in marks)
        return Picture(magnitudes(marks), {"marks": values})


def exact_mean(values: Any) -> float:
    """Compute the mean with an exact sum, rounded once."""
    numbers = values.detach().double().flatten().tolist()
    return math.fsum(numbers) / len(numbers)


def is_tiny(step: MeanInANet, answer: Answer) -> bool:
    """Return whether the mean is nearer to 0 than 1e-12, but not 0."""
    del step
    return bool(0 < abs(answer.data[0]) < 1e-12)
