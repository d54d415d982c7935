"""Step on fans: the one that torch computes from a weight's shape, and that of the layer."""

from enum import StrEnum
from typing import Any

from playground.lessons.initialization.histogram import draw, histogram, measured
from playground.modules.distributions import Normal
from playground.modules.initialiser_types import Fans
from playground.steps import Answer, Labels, Picture, Run, Step, Words, fix_field

NEAR = 0.1
MY_LINEAR = """class MyLinear(nn.Module):
    def __init__(self, in_units, units):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_units, units))
    def forward(self, X):
        return X @ self.weight

"""


class Layer(StrEnum):
    """Layers whose weights have different layouts; the value is the code."""

    LINEAR = "nn.Linear(20, 256, bias=False)"
    MY_LINEAR = "MyLinear(20, 256)"
    CONVOLUTION = "nn.Conv2d(3, 64, 5, bias=False)"
    TRANSPOSED = "nn.ConvTranspose2d(3, 64, 5, bias=False)"
    GROUPED = "nn.Conv2d(8, 16, 3, groups=4, bias=False)"


BATCHES = {
    Layer.CONVOLUTION: "8, 3, 24, 24",
    Layer.TRANSPOSED: "8, 3, 24, 24",
    Layer.GROUPED: "8, 8, 24, 24",
}
FANS = {  # every fan that there is, for torch or for the layer
    Layer.LINEAR: (20, 256),
    Layer.MY_LINEAR: (20, 256),
    Layer.CONVOLUTION: (75, 1600),
    Layer.TRANSPOSED: (75, 1600),
    Layer.GROUPED: (18, 36, 144),
}
TURNED = {Layer.MY_LINEAR: ".T", Layer.TRANSPOSED: ".transpose(0, 1)"}


class Mode(StrEnum):
    """The fan that the initializer divides by."""

    FAN_IN = '"fan_in"'
    FAN_OUT = '"fan_out"'


class WhichFan(Step):
    """Initialize a layer's weight with ``kaiming_normal_``, and measure the layer's output."""

    layer: Layer = Layer.MY_LINEAR
    mode: Mode = Mode.FAN_IN
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        definition = MY_LINEAR if self.layer is Layer.MY_LINEAR else ""
        turned = TURNED.get(self.layer, "") if self.is_fixed else ""
        return (
            f"import torch\nfrom torch import nn\n{w.folded}\n{definition}"
            f"torch.manual_seed(0)\n"
            f"layer = {w.layer}\n"
            f"nn.init.kaiming_normal_(layer.weight{turned}, mode={w.mode}){w.asked}\n"
            f"X = torch.randn({BATCHES.get(self.layer, '512, 20')})\n"
            f"print(torch.relu(layer(X)).square().mean())"
        )

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return every fan of the table."""
        del devices
        return tuple(map(str, FANS[self.layer]))

    def answer(self, run: Run) -> Answer:
        """Compare the fan computed from the shape with the counted connections of the layer."""
        from playground.modules.initialisers import fans  # loads torch

        layer, X = run["layer"], run["X"]
        weight = layer.weight
        given = weight.transpose(0, 1) if self.is_turned else weight
        signal = run["torch"].relu(layer(X)).square().mean().item()
        sample = measured(weight, None)
        used = self.chosen(fans(tuple(given.shape)))
        real = self.chosen(real_fans(layer, X))
        explanation = self.explanation(is_right=used == real)
        is_silent = explanation == "fan-swapped"
        return Answer(
            prediction=str(used),
            explanation=explanation,
            facts={
                "used": used,
                "real": real,
                "std": sample.std,
                "signal": signal,
            },
            placeholders={
                "shape": str(tuple(weight.shape)),
                "mode": self.mode.strip('"'),
                "std": f"{sample.std:.4g}",
                "right_std": f"{(2 / real) ** 0.5:.4g}",
                "signal": f"{signal:.4g}",
            },
            is_silent_failure=is_silent,
            fix=self.tried_fix() if is_silent else None,
            data=histogram(
                "weight", sample, Normal(0.0, (2 / used) ** 0.5), Normal(0.0, (2 / real) ** 0.5)
            ),
        )

    @property
    def is_turned(self) -> bool:
        """The initializer gets a transposed view of the weight."""
        return self.is_fixed and self.layer in TURNED

    def chosen(self, fans: Fans) -> int:
        """Return the fan that the mode selects."""
        return fans.fan_in if self.mode is Mode.FAN_IN else fans.fan_out

    def explanation(self, *, is_right: bool) -> str:
        if is_right:
            fits = "fan-fits" if self.mode is Mode.FAN_IN else "fan-out-fits"
            return "turned-around" if self.is_turned else fits
        if self.layer is Layer.GROUPED:
            return "fan-of-groups"
        return "fan-swapped" if self.mode is Mode.FAN_IN else "two-swaps-cancel"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        return draw([answer.data]) if answer else None


def real_fans(layer: Any, batch: Any) -> Fans:
    """Count the products in an output, and the outputs that an input reaches.

    The layer is run with ones everywhere; its weight is overwritten.
    """
    layer.weight.data.fill_(1.0)
    x = batch[:1].clone().fill_(1.0).requires_grad_()
    y = layer(x)
    y.sum().backward()
    return Fans(int(y.max()), int(x.grad.max()))


def a_fan_for_my_linear(step: WhichFan, answer: Answer) -> bool:
    """Return whether MyLinear keeps the mean square after the ReLU near 1."""
    signal = answer.facts["signal"]
    is_near = isinstance(signal, float) and abs(signal - 1) < NEAR
    return step.layer is Layer.MY_LINEAR and is_near
