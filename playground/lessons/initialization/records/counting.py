"""The fans that torch takes, beside those that the layer has."""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.settings import Bounds, Settings
from playground.explained import Told
from playground.lessons.initialization.records.arguments import SEED_BOUNDS, check_seed
from playground.lessons.initialization.records.measured import Measured
from playground.modules.distributions import Distribution
from playground.modules.initialiser_types import Fans
from playground.modules.spec import Layer
from playground.units import short


@unique
class Layout(StrEnum):
    """Layers whose weights are laid out in different ways."""

    LINEAR = "linear"
    MY_LINEAR = "my_linear"
    TRANSPOSED = "transposed"
    CONVOLUTION = "convolution"
    TRANSPOSED_CONVOLUTION = "transposed_convolution"
    GROUPED = "grouped"

    @property
    def layer(self) -> Layer:
        """The layer."""
        return LAYERS[self]

    @property
    def weight(self) -> str:
        """What is given to the initialiser."""
        return "net.weight.T" if self is Layout.TRANSPOSED else "net.weight"

    @property
    def input_shape(self) -> tuple[int, ...]:
        """A batch for it."""
        return INPUTS.get(self, (512, 20))


LAYERS = {
    Layout.LINEAR: Layer.of("Linear", in_features=20, out_features=256),
    Layout.MY_LINEAR: Layer.of("MyLinear", in_units=20, units=256),
    Layout.TRANSPOSED: Layer.of("MyLinear", in_units=20, units=256),
    Layout.CONVOLUTION: Layer.of("Conv2d", in_channels=3, out_channels=64, kernel_size=5),
    Layout.TRANSPOSED_CONVOLUTION: Layer.of(
        "ConvTranspose2d", in_channels=3, out_channels=64, kernel_size=5
    ),
    Layout.GROUPED: Layer.of("Conv2d", in_channels=8, out_channels=16, kernel_size=3, groups=4),
}
INPUTS = {
    Layout.CONVOLUTION: (8, 3, 24, 24),
    Layout.TRANSPOSED_CONVOLUTION: (8, 3, 24, 24),
    Layout.GROUPED: (8, 8, 24, 24),
}


@unique
class Mode(StrEnum):
    """Which fan the Kaiming initialisers divide by."""

    FAN_IN = "fan_in"
    FAN_OUT = "fan_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class CountFansReport(Measured):
    """A weight, and what its layer does with it.

    Attributes:
        real_fans: Counted by running the layer: how many products meet in one output, and how
            many outputs one input reaches.
        right: What would have been drawn by the real fan.
        signal: The mean square after a ReLU, of inputs whose mean square is 1.
    """

    layout: Layout
    mode: Mode
    real_fans: Fans
    right: Distribution
    signal: float

    @property
    def used(self) -> int:
        """What torch divided by."""
        return self._of(self.fans)

    @property
    def real(self) -> int:
        """What it meant to divide by."""
        return self._of(self.real_fans)

    @property
    def is_right(self) -> bool:
        """They are the same."""
        return self.used == self.real

    @property
    def actual(self) -> str:
        """What torch divided by."""
        return str(self.used)

    @property
    def answers(self) -> tuple[str, ...]:
        """Every fan that there is, for torch or for the layer."""
        fans = (self.fans or self.real_fans, self.real_fans)
        return tuple(
            map(str, sorted({number for each in fans for number in (each.fan_in, each.fan_out)}))
        )

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            **self.found,
            "real_fan_in": self.real_fans.fan_in,
            "real_fan_out": self.real_fans.fan_out,
            "signal": short(self.signal, 4),
        }

    @property
    def mentions(self) -> Told:
        """The facts, and what was meant."""
        return {
            **self.spoken,
            "real_fan_in": self.real_fans.fan_in,
            "real_fan_out": self.real_fans.fan_out,
            "signal": short(self.signal, 4),
            "mode": self.mode,
            "used": self.used,
            "real": self.real,
            "right_std": short(self.right.std, 4),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.is_right:
            return "turned-around" if self.layout is Layout.TRANSPOSED else "fan-fits"
        if self.layout is Layout.GROUPED:
            return "fan-of-groups"
        return "fan-swapped"

    def _of(self, fans: Fans | None) -> int:
        fans = fans or self.real_fans
        return fans.fan_in if self.mode is Mode.FAN_IN else fans.fan_out


@dataclass(frozen=True, slots=True, kw_only=True)
class CountFans(Settings["CountFansReport"]):
    """Give a layer's weight to ``kaiming_normal_``, and count what it really is connected to."""

    BOUNDS: ClassVar[Bounds] = SEED_BOUNDS

    layout: Layout = Layout.MY_LINEAR
    mode: Mode = Mode.FAN_IN
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_seed(self.seed)
