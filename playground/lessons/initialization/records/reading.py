"""What PyTorch draws where nobody asks for anything."""

import math
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings, check_length
from playground.explained import Told
from playground.lessons.initialization.records.arguments import SEED_BOUNDS, check_seed
from playground.lessons.initialization.records.initialising import MOST_PATH
from playground.lessons.initialization.records.measured import Measured
from playground.lessons.initialization.records.networks import DEFAULT, check_network
from playground.modules.distributions import Fixed, Normal, Uniform
from playground.modules.initialiser_types import Fans
from playground.modules.spec import Network
from playground.units import short


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDefaultReport(Measured):
    """One parameter as its layer was made.

    Attributes:
        parameter: Its path.
        type_name: The class of the module that holds it.
        call: What torch called to fill it, as a line of code; None where nothing was seen.
        layer_fans: The fans of the weight beside it; for a weight, its own.
    """

    parameter: str
    type_name: str
    call: str | None
    layer_fans: Fans | None

    @property
    def bound(self) -> float | None:
        """Beyond this no value can be; None where there is no such bound."""
        return self.distribution.most if isinstance(self.distribution, Uniform) else None

    @property
    def inverse_root(self) -> float | None:
        """One over the root of the layer's fan_in."""
        return 1 / math.sqrt(self.layer_fans.fan_in) if self.layer_fans else None

    @property
    def follows_rule(self) -> bool:
        """The bound is 1 / √fan_in of the layer's weight."""
        return (
            self.bound is not None
            and self.inverse_root is not None
            and math.isclose(self.bound, self.inverse_root, rel_tol=1e-9)
        )

    @property
    def actual(self) -> str:
        """What picture its values make."""
        match self.distribution:
            case Uniform():
                return "box"
            case Normal():
                return "bell"
            case Fixed():
                return "spike"
        return "other"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            **self.found,
            "call": self.call,
            "farthest": None if self.bound is None else short(self.bound, 4),
            "inverse_root": None if self.inverse_root is None else short(self.inverse_root, 4),
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the layer."""
        return {
            **self.spoken,
            "parameter": self.parameter,
            "type": self.type_name,
            "call": self.call,
            "bound": short(self.bound, 4),
            "layer_fan_in": self.layer_fans.fan_in if self.layer_fans else "—",
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.shape is None:
            return "no-shape-yet"
        if self.follows_rule and len(self.shape) == 1:
            return "default-bias"
        if self.follows_rule and (self.call or "").startswith("nn.init.kaiming_uniform_"):
            return "default-weight"
        return {
            "box": "default-uniform",
            "bell": "default-normal",
            "spike": "default-fixed",
        }.get(self.actual, "default-unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDefault(Settings["ReadDefaultReport"]):
    """Make a network, and look at one of its parameters.

    Args:
        network: As JSON.
        parameter: By its path; empty for the first.
        seed: Of torch's generator, before the first layer is made.
    """

    BOUNDS: ClassVar[Bounds] = SEED_BOUNDS

    network: str = DEFAULT.to_json()
    parameter: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_network(self.network)
        check_length("parameter", self.parameter, most=MOST_PATH)
        check_seed(self.seed)

    @property
    def spec(self) -> Network:
        """The network as data."""
        return Network.from_json(self.network)
