"""Records of initialisers, fans and samples. Free of torch."""

from dataclasses import dataclass

from playground.modules.distributions import Distribution, Points
from playground.modules.layer_types import Argument

MAX_VALUES = 10_000_000  # of one tensor; histograms count exactly to 2 ** 24
MAX_DIMENSIONS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialiser:
    """A function of torch.nn.init.

    Attributes:
        name: With its underscore, e.g. ``"xavier_uniform_"``.
        summary: The first sentence of its documentation, in torch's words.
        arguments: Beside the tensor; the generator is left out.
    """

    name: str
    summary: str
    arguments: tuple[Argument, ...] = ()

    def argument(self, name: str) -> Argument | None:
        """Return the argument of a name, or None."""
        return next((each for each in self.arguments if each.name == name), None)


@dataclass(frozen=True, slots=True)
class Fans:
    """The number of inputs of one output, and of outputs of one input, as torch counts them.

    They come from the tensor's shape alone: dimension 1 is taken for the inputs.
    """

    fan_in: int
    fan_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Statistics and a histogram of a tensor's values.

    Attributes:
        std: As ``tensor.std()`` has it, divided by n - 1; None for a single value.
        counts: How many values lie between each two edges; all of them are counted.
        edges: One more than counts.
        points: Values that were expected exactly, and the share that they have.
    """

    shape: tuple[int, ...]
    count: int
    mean: float
    std: float | None
    least: float
    most: float
    zero_fraction: float
    counts: tuple[int, ...]
    edges: tuple[float, ...]
    points: Points = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The expected result of an initialiser.

    Attributes:
        gain: What the nonlinearity, or the caller, asks for; None where there is none.
        distribution: None where no closed form is known.
    """

    gain: float | None
    distribution: Distribution | None
