"""Step on the size of activations and gradients through many layers, for each initializer."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from playground.lessons.initialization.histogram import text
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number
from playground.units import short

MUCH = 10.0  # times; from here on a signal has grown, or vanished
WIDTH, LEFT, PLOT, GAP = 440, 52, 130, 44
TWICE = 2.0
BAND = (0.05, 0.95)
CLEAR = 16  # between two marks of an axis


class Initializer(StrEnum):
    """The initializer of each weight; the value is the function that the program calls."""

    DEFAULT = "layer.reset_parameters"
    NORMAL = "nn.init.normal_"
    XAVIER = "nn.init.xavier_normal_"
    KAIMING = "nn.init.kaiming_normal_"
    ORTHOGONAL = "nn.init.orthogonal_"
    CONSTANT = "nn.init.constant_"


class Activation(StrEnum):
    """The activation after each layer; the value is the function."""

    RELU = "torch.relu"
    IDENTITY = "nn.Identity()"
    LEAKY_RELU = "nn.functional.leaky_relu"
    TANH = "torch.tanh"
    SIGMOID = "torch.sigmoid"
    GELU = "nn.functional.gelu"


SLOPES = {Activation.IDENTITY: 1.0, Activation.RELU: 0.0, Activation.LEAKY_RELU: 0.01}


@dataclass(frozen=True, slots=True, kw_only=True)
class Theory:
    """Recursion of the mean square, for weights of mean 0 and a piecewise linear activation.

    Attributes:
        width: Width of all layers, so both fans.
        slope: Slope of the function left of 0; it is 1 to the right.
    """

    width: int
    weight_std: float
    bias_std: float
    slope: float

    @property
    def kept(self) -> float:
        """Share of the mean square that the function keeps."""
        return (1 + self.slope**2) / 2

    @property
    def factor(self) -> float:
        """Factor of each layer for the std; a bias adds a little."""
        return math.sqrt(self.width * self.weight_std**2 * self.kept)

    def activation_stds(self, depth: int) -> tuple[float, ...]:
        """Compute the std after each layer, for inputs with a mean square of 1."""
        shape = math.sqrt(self.kept - (1 - self.slope) ** 2 / (2 * math.pi))
        stds, square = [], 1.0
        for _ in range(depth):
            before = self.width * self.weight_std**2 * square + self.bias_std**2
            stds.append(shape * math.sqrt(before))
            square = self.kept * before
        return tuple(stds)

    def gradient_stds(self, depth: int) -> tuple[float, ...]:
        """Compute the std of the gradient at each layer's output, if it is 1 at the last."""
        return tuple(self.factor ** (depth - layer) for layer in range(1, depth + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """Plain data of one plot, layer by layer.

    Attributes:
        bands: Range of the middle 90 % of the absolute values; None if all are 0 or infinite.
        expected: Values of the recursion; empty if there is none.
    """

    stds: tuple[float, ...]
    bands: tuple[tuple[float, float] | None, ...]
    expected: tuple[float, ...]


class SignalThroughDepth(Step):
    """Pass a batch through equal layers, and a gradient of std 1 back."""

    depth: int = number(2, 50, default=20)
    width: int = number(2, 256, default=256)
    initializer: Initializer = Initializer.NORMAL
    std: float = number(0.0, 1.0, default=0.01, only_if={"initializer": (Initializer.NORMAL,)})
    gain: float = number(
        0.1,
        10.0,
        default=1.0,
        only_if={"initializer": (Initializer.XAVIER, Initializer.ORTHOGONAL)},
    )
    activation: Activation = Activation.RELU

    def code(self, w: Words) -> str:
        arguments = {
            Initializer.NORMAL: f", std={w.std}",
            Initializer.XAVIER: f", gain={w.gain}",
            Initializer.ORTHOGONAL: f", gain={w.gain}",
            Initializer.CONSTANT: ", 0.01",
        }.get(self.initializer, "")
        is_default = self.initializer is Initializer.DEFAULT
        given = "" if is_default else f"layer.weight{arguments}"
        zeros = "" if is_default else "    nn.init.zeros_(layer.bias)\n"
        return (
            f"import torch\nfrom torch import nn\n\ntorch.manual_seed(0)\n"
            f"H = torch.randn(64, {self.width}){w.folded}\n"
            f"layers = [nn.Linear({w.width}, {self.width}) for _ in range({w.depth})]\n"
            f"for layer in layers:\n    {w.initializer}({given})\n{zeros}"
            f"outputs = []\n"
            f"for layer in layers:\n"
            f"    H = {w.activation}(layer(H))\n"
            f"    H.retain_grad()\n"
            f"    outputs.append(H)\n"
            f"H.backward(torch.randn_like(H))\n"
            f"print(outputs[0].std(), outputs[-1].std()){w.asked}\n"
        )

    def answer(self, run: Run) -> Answer:
        theory = self.theory()
        outputs = run["outputs"]
        forward = signal(outputs, theory.activation_stds(self.depth) if theory else ())
        backward = signal(
            [each.grad for each in outputs], theory.gradient_stds(self.depth) if theory else ()
        )
        first, last = forward.stds[0], forward.stds[-1]
        overflow = next((n for n, std in enumerate(forward.stds, 1) if math.isinf(std)), None)
        gradient = backward.stds[0]
        return Answer(
            prediction=change(first, last),
            explanation=self.explanation(theory, overflow, gradient),
            facts={
                "factor": theory.factor if theory else None,
                "first_std": first,
                "last_std": last,
                "first_gradient": gradient,
            },
            placeholders={
                "depth": self.depth,
                "width": self.width,
                "layer": overflow,
                "function": self.activation,
                "kept": short(theory.kept, 4) if theory else None,
                "factor": short(theory.factor, 4) if theory else None,
                "total": short(theory.factor**self.depth) if theory else None,
                "first_std": short(first),
                "last_std": short(last),
                "first_gradient": short(gradient),
            },
            data=(forward, backward),
        )

    def theory(self) -> Theory | None:
        """Return the recursion if the weights have mean 0 and the function is piecewise linear."""
        slope = SLOPES.get(self.activation)
        if slope is None or self.initializer is Initializer.CONSTANT:
            return None
        by_width = 1 / math.sqrt(self.width)
        stds = {
            Initializer.DEFAULT: by_width / math.sqrt(3),
            Initializer.NORMAL: self.std,
            Initializer.KAIMING: by_width * math.sqrt(2),
        }
        weight_std = stds.get(self.initializer, self.gain * by_width)
        bias_std = weight_std if self.initializer is Initializer.DEFAULT else 0.0
        return Theory(width=self.width, weight_std=weight_std, bias_std=bias_std, slope=slope)

    def explanation(self, theory: Theory | None, overflow: int | None, gradient: float) -> str:
        if self.initializer is Initializer.CONSTANT:
            return "constant"
        if theory is None:
            if self.activation is Activation.SIGMOID:
                return "sigmoid" if gradient < 1 / MUCH else "sigmoid-large"
            return "tanh" if self.activation is Activation.TANH else "gelu"
        if overflow:
            return "overflow"
        if self.initializer is Initializer.DEFAULT:
            return "default"
        names = {Activation.RELU: "relu", Activation.LEAKY_RELU: "leaky-relu"}
        return names.get(self.activation, "identity")

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        return draw(answer.data, labels) if answer else None


def change(first: float, last: float) -> str:
    """Classify the change of the std between the first and the last layer."""
    if math.isinf(last) or last > MUCH * first:
        return "grows"
    return "vanishes" if last < first / MUCH or not last else "keeps"


def signal(tensors: Sequence[Any], expected: tuple[float, ...]) -> Signal:
    """Measure the tensors of all layers."""
    return Signal(
        stds=tuple(_std(each.detach()) for each in tensors),
        bands=tuple(_band(each.detach()) for each in tensors),
        expected=expected,
    )


def _std(values: Any) -> float:
    """Compute the std in float32, or in float64 if the sum of squares overflows."""
    std: float = values.std().item()
    if not math.isfinite(std):
        std = values.double().std().item()
    return std if math.isfinite(std) else math.inf


def _band(values: Any) -> tuple[float, float] | None:
    sizes = values.abs().flatten()
    sizes = sizes[sizes != 0]
    if not len(sizes) or not bool(sizes.isfinite().all()):
        return None
    low, high = (sizes.kthvalue(1 + round(share * (len(sizes) - 1)))[0].item() for share in BAND)
    return low, high


def draw(plots: tuple[Signal, Signal], labels: Labels) -> Picture:
    """Draw both plots with a vertical scale in powers of ten."""
    parts = []
    for index, (plot, name) in enumerate(zip(plots, ("forward", "backward"), strict=True)):
        top = 24 + index * (PLOT + GAP)
        parts.append(text(0, top - 10, labels[name], "--tp-ink", weight=650))
        parts += _plot(plot, top)
    height = 24 + 2 * PLOT + GAP + 24
    parts.append(text(WIDTH / 2, height - 8, labels["layer"], "--tp-muted", anchor="middle"))
    return Picture(f'<svg viewBox="0 0 {WIDTH} {height}">{"".join(parts)}</svg>')


def _plot(plot: Signal, top: int) -> Iterator[str]:
    bands = [each for each in plot.bands if each]
    shown = [*plot.stds, *plot.expected, *(value for each in bands for value in each)]
    decades = [math.log10(each) for each in shown if 0 < each < math.inf] or [0.0]
    low, high = math.floor(min(decades)), max(math.ceil(max(decades)), math.floor(min(decades)) + 1)
    depth = len(plot.stds)

    def across(layer: float) -> float:
        return LEFT + 8 + (WIDTH - LEFT - 24) * (layer - 1) / max(depth - 1, 1)

    def up(value: float) -> float:
        return top + PLOT * (high - math.log10(value)) / (high - low)

    has_one = low < 0 < high and CLEAR < up(1.0) - top < PLOT - CLEAR
    for decade in (high, *((0,) if has_one else ()), low):
        y = up(10.0**decade)
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - 8}" style="stroke:var(--tp-line)"/>'
        words = f"1e{decade}" if decade else "1"
        yield text(LEFT - 6, y + 4, words, "--tp-muted", anchor="end")
    edges = [(layer, each) for layer, each in enumerate(plot.bands, 1) if each]
    if edges:
        outline = [f"{across(layer):.1f},{up(each[1]):.1f}" for layer, each in edges]
        outline += [f"{across(layer):.1f},{up(each[0]):.1f}" for layer, each in reversed(edges)]
        points = " ".join(outline)
        yield f'<polygon points="{points}" style="fill:var(--tp-accent)" opacity="0.18"/>'
    for values, colour, dash in (
        (plot.expected, "--tp-ink", ' stroke-dasharray="5 4"'),
        (plot.stds, "--tp-accent", ""),
    ):
        points = " ".join(
            f"{across(layer):.1f},{up(each):.1f}"
            for layer, each in enumerate(values, 1)
            if 0 < each < math.inf
        )
        yield (
            f'<polyline points="{points}" fill="none" stroke-width="2"{dash}'
            f' style="stroke:var({colour})"/>'
        )
    yield text(LEFT + 8, top + PLOT + 16, "1", "--tp-muted", anchor="middle")
    yield text(WIDTH - 16, top + PLOT + 16, str(depth), "--tp-muted", anchor="middle")


def fifty_layers(step: SignalThroughDepth, answer: Answer) -> bool:
    """Return whether 50 ReLU layers of width 256 keep their std within a factor of 2."""
    stds = answer.data[0].stds
    is_asked = step.activation is Activation.RELU and (step.depth, step.width) == (50, 256)
    return is_asked and 0 < max(stds) <= TWICE * min(stds)
