"""Different inputs in, and how far apart they still are behind every layer."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.outcome import Outcome
from playground.compute.settings import Bounds, Settings, check_bounds
from playground.explained import Told
from playground.lessons.parameters.records.explained import Explained
from playground.lessons.parameters.records.networks import RGNET, read
from playground.modules.spec import InputSpec, Network

MOST_SEED = 9999
NEARLY = 0.01  # of the spread of the inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """What comes out of one layer.

    Attributes:
        path: The layer's; empty for what goes in.
        spread: The standard deviation over the examples, averaged over all places.
        size: The mean magnitude.
    """

    path: str
    type_name: str
    spread: float
    size: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedNetworkReport(Explained):
    """What a network makes of different inputs.

    Attributes:
        stops: What goes in, then layer by layer.
        outputs: The first number of each output.
        examples: How many inputs there were.
    """

    stops: tuple[Stop, ...]
    outputs: tuple[float, ...]
    examples: int

    @property
    def ratio(self) -> float:
        """The spread of the outputs as a share of that of the inputs."""
        if not self.stops or not self.stops[0].spread:
            return 0.0
        return self.stops[-1].spread / self.stops[0].spread

    @property
    def actual(self) -> Outcome | str:
        """How far apart the outputs are."""
        if not self.outcome.ok:
            return self.outcome
        if self.ratio < NEARLY:
            return "nearly_equal"
        return "closer" if self.ratio < 1 else "as_far"

    @property
    def printed(self) -> str:
        """The outputs, as far as they are shown."""
        shown = ", ".join(f"{each:.4f}" for each in self.outputs[:10])
        return shown + (", …" if len(self.outputs) > 10 else "")

    @property
    def facts(self) -> Told:
        """The two spreads."""
        if not self.stops:
            return {}
        return {
            "input_spread": self.stops[0].spread,
            "output_spread": self.stops[-1].spread,
            "output_size": self.stops[-1].size,
        }

    @property
    def mentions(self) -> Told:
        """The spreads and their ratio."""
        return {
            **{name: f"{value:.2g}" for name, value in self.facts.items()},
            "layers": len(self.stops) - 1,
            "examples": self.examples,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-way-through"
        return {"nearly_equal": "signal-lost", "closer": "signal-weaker"}.get(
            str(self.actual), "signal-kept"
        )

    @property
    def is_drawn(self) -> bool:
        """The inputs came through."""
        return self.outcome.ok and len(self.stops) > 1

    @property
    def pictured(self) -> Told:
        """The spread at every stop."""
        parts = (f"{stop.path or 'X'} {stop.spread:.2g}" for stop in self.stops)
        return {"spreads": "; ".join(parts)}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedNetwork(Settings[FeedNetworkReport]):
    """Send different inputs through a network at its first values.

    Args:
        network: As JSON; the first size of its input becomes the number of examples.
        examples: How many inputs.
        scale: What every input is multiplied by; tokens are left alone.
        seed: Of torch's generator.
    """

    BOUNDS: ClassVar[Bounds] = {
        "examples": {"least": 2, "most": 64},
        "scale": {"least": 1, "most": 1000},
        "seed": {"least": 0, "most": MOST_SEED},
    }

    network: str = RGNET.to_json()
    examples: int = 10
    scale: int = 1
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        read(self.network)
        check_bounds(self)

    @property
    def spec(self) -> Network:
        """The network with a batch of so many examples."""
        network = read(self.network)
        inputs = [
            InputSpec((self.examples, *one.shape[1:]), one.kind, one.below) for one in network.input
        ]
        return Network(network.block, inputs)
