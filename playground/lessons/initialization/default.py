"""Step on the default initialization: uniform within ± 1/√fan_in, for any number of outputs."""

import math
from enum import StrEnum

from playground.lessons.initialization.histogram import draw, histogram, measured
from playground.modules.distributions import Distribution, Normal, Uniform
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number, seed, shown_if

A_INPUTS = 100
KERNEL = 3
SAME = 1.25  # ratio of the largest values up to which they count as about the same


class Layer(StrEnum):
    """The class of the second layer; the value is its code."""

    LINEAR = "nn.Linear"
    CONV2D = "nn.Conv2d"
    EMBEDDING = "nn.Embedding"


class Parameter(StrEnum):
    """The parameter of both layers that is read."""

    WEIGHT = "weight"
    BIAS = "bias"


class Default(Step):
    """Create two layers, and compare the largest of their initial values."""

    layer: Layer = Layer.LINEAR
    inputs: int = number(10, 1000, default=100)
    outputs: int = number(50, 1000, default=1000)
    parameter: Parameter = shown_if(Parameter.WEIGHT, layer=(Layer.LINEAR, Layer.CONV2D))
    seed: int = seed()

    def code(self, w: Words) -> str:
        kernel = f", {KERNEL}" if self.layer is Layer.CONV2D else ""
        name = "weight" if self.layer is Layer.EMBEDDING else w.parameter
        return f"""
            import torch
            from torch import nn

            torch.manual_seed({w.seed})
            a = nn.Linear({A_INPUTS}, 50)
            b = {w.layer}({w.inputs}, {w.outputs}{kernel})
            print(a.{name}.abs().max().item())
            print(b.{name}.abs().max().item()){w.asked}
        """

    @property
    def fan_in(self) -> int:
        """Number of products in one output of the second layer."""
        return self.inputs * (KERNEL**2 if self.layer is Layer.CONV2D else 1)

    @property
    def distribution(self) -> Distribution:
        """Distribution of the parameter of the second layer."""
        if self.layer is Layer.EMBEDDING:
            return Normal(0.0, 1.0)
        return Uniform(-1 / math.sqrt(self.fan_in), 1 / math.sqrt(self.fan_in))

    def answer(self, run: Run) -> Answer:
        is_embedding = self.layer is Layer.EMBEDDING
        name = "weight" if is_embedding else self.parameter
        a, b = (getattr(run[each], name) for each in "ab")
        largest_a, largest_b = (each.abs().max().item() for each in (a, b))
        bound_a = 1 / math.sqrt(A_INPUTS)
        expected_a = Uniform(-bound_a, bound_a)
        found = measured(b, self.distribution)
        bound = None if is_embedding else self.distribution.reach[1]
        return Answer(
            prediction=compared(largest_a, largest_b),
            explanation=self.explanation(),
            facts={
                "fan_in": None if is_embedding else self.fan_in,
                "bound": bound,
                "largest": largest_b,
                "std": found.std,
                "expected_std": self.distribution.std,
            },
            placeholders={
                "bound": f"{bound:.4g}" if bound else None,
                "bound_a": f"{bound_a:.4g}",
                "expected_std": f"{self.distribution.std:.4g}",
                "outputs": self.outputs,
                "inputs": self.inputs,
                "name": name,
            },
            data=(
                histogram(f"a.{name}", measured(a, expected_a), expected_a),
                histogram(f"b.{name}", found, self.distribution),
            ),
        )

    def explanation(self) -> str:
        if self.layer is Layer.EMBEDDING:
            return "embedding"
        if self.parameter is Parameter.BIAS:
            return "bias"
        if self.layer is Layer.CONV2D:
            return "convolution"
        return "outputs-do-not-count" if self.inputs == A_INPUTS else "inputs-count"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        return draw(answer.data, is_shared=True) if answer else None


def compared(first: float, second: float) -> str:
    """Classify the second as smaller, about the same, or larger."""
    if second > SAME * first:
        return "larger"
    return "smaller" if first > SAME * second else "same"


def find_a_normal_default(step: Default, answer: Answer) -> bool:
    """Return whether the second layer draws from a normal distribution."""
    del answer
    return step.layer is Layer.EMBEDDING


def half_the_bound(step: Default, answer: Answer) -> bool:
    """Return whether the bound of the second layer is half of that of the first."""
    del step
    bound = answer.facts["bound"]
    return isinstance(bound, float) and math.isclose(bound, 0.5 / math.sqrt(A_INPUTS))
