"""A signal on its way through many layers, and its gradient on the way back."""

import math
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.settings import Bounds, Settings, check_within
from playground.explained import Told
from playground.lessons.initialization.records.arguments import SEED_BOUNDS, Pairs, check_seed
from playground.lessons.initialization.records.explained import Explained
from playground.units import short

BATCH = 64
MUCH = 10.0  # times; from here on a signal has grown, or faded


@unique
class Scheme(StrEnum):
    """What fills the weights; all but the first are functions of torch.nn.init."""

    DEFAULT = "default"
    NORMAL = "normal_"
    XAVIER_UNIFORM = "xavier_uniform_"
    XAVIER_NORMAL = "xavier_normal_"
    KAIMING_UNIFORM = "kaiming_uniform_"
    KAIMING_NORMAL = "kaiming_normal_"
    ORTHOGONAL = "orthogonal_"
    CONSTANT = "constant_"

    @property
    def takes(self) -> tuple[str, ...]:
        """The field that it is given, if any."""
        if self in {Scheme.XAVIER_UNIFORM, Scheme.XAVIER_NORMAL, Scheme.ORTHOGONAL}:
            return ("gain",)
        return {Scheme.NORMAL: ("std",), Scheme.CONSTANT: ("value",)}.get(self, ())

    @property
    def controls(self) -> tuple[str, ...]:
        """What else there is to choose."""
        return (*self.takes, "activation", "depth", "width", "seed")


@unique
class Activation(StrEnum):
    """What follows each layer."""

    IDENTITY = "identity"
    RELU = "relu"
    LEAKY_RELU = "leaky_relu"
    TANH = "tanh"
    SIGMOID = "sigmoid"
    GELU = "gelu"

    @property
    def type_name(self) -> str:
        """The class in torch.nn."""
        return TYPES[self]

    @property
    def slope(self) -> float | None:
        """Of the straight line on the left, where there are two straight lines."""
        return SLOPES.get(self)


TYPES = {
    Activation.IDENTITY: "Identity",
    Activation.RELU: "ReLU",
    Activation.LEAKY_RELU: "LeakyReLU",
    Activation.TANH: "Tanh",
    Activation.SIGMOID: "Sigmoid",
    Activation.GELU: "GELU",
}
SLOPES = {Activation.IDENTITY: 1.0, Activation.RELU: 0.0, Activation.LEAKY_RELU: 0.01}


@dataclass(frozen=True, slots=True, kw_only=True)
class Theory:
    """The recursion of the mean square, for weights of mean 0 and two straight lines.

    On average over all draws of the weights, a layer multiplies the mean square by
    ``fan_in · σ² · (1 + slope²) / 2``, and so does the way back with fan_out. That is exact. From
    the mean square to the std takes one more step: the numbers before the function are normal,
    as they are in wide layers.

    Attributes:
        width: Of all layers, so both fans.
        weight_std: Expected of the weights.
        bias_std: Expected of the biases.
        slope: Of the function left of 0; 1 to its right.
    """

    width: int
    weight_std: float
    bias_std: float
    slope: float

    @property
    def kept(self) -> float:
        """How much of the mean square the function keeps."""
        return (1 + self.slope**2) / 2

    @property
    def factor(self) -> float:
        """What a layer does to the std; a bias adds a little."""
        return math.sqrt(self.width * self.weight_std**2 * self.kept)

    def activation_stds(self, depth: int) -> tuple[float, ...]:
        """After each layer, of inputs whose mean square is 1."""
        shape = math.sqrt(self.kept - (1 - self.slope) ** 2 / (2 * math.pi))
        stds, square = [], 1.0
        for _ in range(depth):
            before = self.width * self.weight_std**2 * square + self.bias_std**2
            stds.append(shape * math.sqrt(before))
            square = self.kept * before
        return tuple(stds)

    def gradient_stds(self, depth: int) -> tuple[float, ...]:
        """At each layer's output, where it is 1 at the last."""
        return tuple(self.factor ** (depth - layer) for layer in range(1, depth + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """The numbers of one layer.

    Attributes:
        std: As ``tensor.std()``; infinite where float32 overflowed.
        quantiles: Of the sizes that are not 0, at 5, 25, 50, 75 and 95 %; none where there are no
            such numbers.
        zero_fraction: How many are exactly 0.
    """

    std: float
    quantiles: tuple[float, ...]
    zero_fraction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalThroughDepthReport(Explained):
    """What became of the signal.

    Attributes:
        activations: After each layer and its function.
        gradients: At the same places: the gradient with respect to those numbers.
        weight_gradient_stds: Of the gradient of each layer's weight.
        theory: None where no closed form is known.
    """

    initializer: Scheme
    activation: Activation
    width: int
    activations: tuple[Signal, ...]
    gradients: tuple[Signal, ...]
    weight_gradient_stds: tuple[float, ...]
    theory: Theory | None

    @property
    def depth(self) -> int:
        """How many layers."""
        return len(self.activations)

    @property
    def activation_stds(self) -> tuple[float, ...]:
        """After each layer and its function."""
        return tuple(each.std for each in self.activations)

    @property
    def gradient_stds(self) -> tuple[float, ...]:
        """Of the gradient with respect to the same numbers; 1 was sent back from the last."""
        return tuple(each.std for each in self.gradients)

    @property
    def change(self) -> float:
        """The std after the last layer over that after the first; infinite after an overflow."""
        first, last = self.activation_stds[0], self.activation_stds[-1]
        return last / first if first else math.inf if last else 0.0

    @property
    def overflow(self) -> int | None:
        """The first layer beyond float32."""
        stds = enumerate(self.activation_stds, 1)
        return next((layer for layer, std in stds if math.isinf(std)), None)

    @property
    def actual(self) -> str:
        """What happens to the std of the activations."""
        if self.overflow or self.change > MUCH:
            return "grows"
        return "fades" if self.change < 1 / MUCH else "keeps"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        theory = self.theory
        return {
            "weight_std": short(theory.weight_std, 4) if theory else None,
            "factor": short(theory.factor, 4) if theory else None,
            "first_std": short(self.activation_stds[0], 4),
            "last_std": _size(self.activation_stds[-1]),
            "first_gradient": _size(self.gradient_stds[0]),
            "zeros": f"{self.activations[-1].zero_fraction:.1%}"
            if self.activations[-1].zero_fraction
            else None,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the numbers of the recursion."""
        theory = self.theory
        return {
            **self.told,
            "depth": self.depth,
            "width": self.width,
            "layer": self.overflow,
            "function": self.activation.type_name,
            "kept": short(theory.kept, 4) if theory else None,
            "total": short(theory.factor**self.depth, 4) if theory else None,
            "back_total": short(theory.factor ** (self.depth - 1), 4) if theory else None,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.initializer is Scheme.CONSTANT:
            return "depth-constant"
        if self.theory is None:
            if self.activation is Activation.SIGMOID:
                is_lost = self.gradient_stds[0] < 1 / MUCH
                return "depth-sigmoid" if is_lost else "depth-sigmoid-large"
            is_tanh = self.activation is Activation.TANH
            return "depth-tanh" if is_tanh else "depth-no-theory"
        if self.overflow:
            return "depth-overflow"
        if self.theory.bias_std:
            return "depth-default"
        return "depth-identity" if self.theory.slope == 1 else "depth-relu"


def _size(std: float) -> str:
    return "> 3.4e+38" if math.isinf(std) else short(std, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalThroughDepth(Settings["SignalThroughDepthReport"]):
    """Send a batch through equal layers, and a gradient of std 1 back.

    Attributes:
        std: For ``normal_`` alone.
        gain: For Xavier and orthogonal.
        value: For ``constant_`` alone.
    """

    BOUNDS: ClassVar[Bounds] = {
        **SEED_BOUNDS,
        "depth": {"least": 2, "most": 50},
        "width": {"least": 2, "most": 512},
        "std": {"least": 0.0, "most": 1.0},
        "gain": {"least": 0.0, "most": 10.0},
        "value": {"least": -1.0, "most": 1.0},
    }

    depth: int = 20
    width: int = 256
    initializer: Scheme = Scheme.NORMAL
    activation: Activation = Activation.RELU
    seed: int = 0
    std: float = 0.01
    gain: float = 1.0
    value: float = 0.01

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        for name in ("depth", "width", "std", "gain", "value"):
            check_within(name, getattr(self, name), **self.BOUNDS[name])
        check_seed(self.seed)

    @property
    def arguments(self) -> Pairs:
        """What the initialiser is given."""
        names = {"value": "val"}
        return tuple(
            (names.get(name, name), float(getattr(self, name))) for name in self.initializer.takes
        )
