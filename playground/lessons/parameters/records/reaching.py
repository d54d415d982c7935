"""One layer, one parameter anywhere in a network, and the tree that they are picked from."""

from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.compute.settings import Settings, check_length, check_within
from playground.explained import Table, Told
from playground.lessons.parameters.records.choices import Moment
from playground.lessons.parameters.records.explained import Explained, Shape
from playground.lessons.parameters.records.networks import PLAIN, RGNET, read
from playground.lessons.parameters.records.views import (
    Branch,
    Filled,
    View,
    filled,
    told_view,
    wrong_paths,
)
from playground.modules.spec import Network
from playground.units import format_bytes

MOST_SEED = 9999
MOST_NAME = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class ListParametersReport:
    """The tree of a network: its modules, each with its own parameters."""

    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListParameters(Settings[ListParametersReport]):
    """List all modules and parameters of a network, tied ones under every name."""

    network: str = RGNET.to_json()

    def __post_init__(self) -> None:
        """Refuse what is no network."""
        self.check_types()
        read(self.network)

    @property
    def spec(self) -> Network:
        """The network as data."""
        return read(self.network)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenLayerReport(Explained):
    """One parameter of a layer: its type, its values, its gradient.

    Attributes:
        layer: The code that reaches the layer.
        attribute: What the layer calls it.
        type_name: The parameter's class.
        data_type: The class of its ``.data``.
        printed: What ``print(layer.state_dict())`` says.
    """

    layer: str
    attribute: str
    type_name: str
    data_type: str
    requires_grad: bool | None
    printed_state: str
    moment: Moment
    values: View | None
    gradient: View | None

    @property
    def filled(self) -> Filled:
        """What the gradient holds."""
        return filled(self.gradient)

    @property
    def actual(self) -> Outcome | str:
        """What the gradient holds, or torch's refusal."""
        return self.filled.value if self.outcome.ok else self.outcome

    @property
    def answers(self) -> tuple[str, ...]:
        """All that it can hold."""
        return (*(each.value for each in Filled), "other")

    @property
    def printed(self) -> str:
        """The state_dict of the layer."""
        return self.printed_state

    @property
    def is_drawn(self) -> bool:
        """There are values."""
        return self.values is not None

    @property
    def facts(self) -> Told:
        """The types, and what the gradient is."""
        return {
            "parameter_type": self.type_name,
            "data_type": self.data_type,
            "requires_grad": self.requires_grad,
        }

    @property
    def mentions(self) -> Told:
        """The layer, and what is looked at in it."""
        return {"layer": self.layer, "attribute": self.attribute}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-way-back"
        if self.moment in {Moment.BEFORE, Moment.ZEROED}:
            return f"gradient-{self.moment}"
        return "gradient-zeros" if self.filled is Filled.ZEROS else f"gradient-{self.moment}"

    @property
    def pictured(self) -> Told:
        """Values and gradient in words."""
        return {"values": told_view(self.values), "gradient": told_view(self.gradient)}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenLayer(Settings[OpenLayerReport]):
    """Open one layer of a network, and look at one of its parameters.

    Args:
        network: As JSON.
        path: The parameter's name in the network.
        moment: When its gradient is looked at.
        seed: Of torch's generator.
    """

    network: str = PLAIN.to_json()
    path: str = "2.bias"
    moment: Moment = Moment.BEFORE
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        read(self.network)
        check_length("path", self.path, most=MOST_NAME)
        check_within("seed", self.seed, least=0, most=MOST_SEED)

    @property
    def spec(self) -> Network:
        """The network as data."""
        return read(self.network)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachParameterReport(Explained):
    """One parameter, wherever it is.

    Attributes:
        name: In the state_dict.
        index_path: The code that reaches it.
        variable: What the network is called in the code.
        shape: None where it has none yet.
        tied: All other names of the same object.
        values: None where there are none yet.
        gradient_before: Before the backward pass.
        gradient: After it.
    """

    name: str
    index_path: str
    variable: str
    shape: Shape | None
    dtype: str
    device: str
    numbers: int
    size_bytes: int
    is_trainable: bool
    tied: tuple[str, ...]
    values: View | None
    gradient_before: View | None
    gradient: View | None

    @property
    def actual(self) -> str:
        """The path, as code."""
        return f"`{self.index_path}`"

    @property
    def answers(self) -> tuple[str, ...]:
        """The right path among likely mistakes."""
        paths = wrong_paths(self.index_path, self.variable, self.name)
        return tuple(f"`{path}`" for path in paths)

    @property
    def is_drawn(self) -> bool:
        """There are values."""
        return self.values is not None

    @property
    def facts(self) -> Told:
        """All that is known about it."""
        return {
            "name": self.name,
            "index_path": self.index_path,
            "shape": None if self.shape is None else str(self.shape),
            "dtype": self.dtype,
            "device": self.device,
            "bytes": format_bytes(self.size_bytes),
            "is_trainable": self.is_trainable,
            "tied": ", ".join(self.tied) or "—",
        }

    @property
    def mentions(self) -> Told:
        """The two names, and where the gradient is."""
        return {
            "name": self.name,
            "index_path": self.index_path,
            "levels": self.name.count("."),
            "tied": ", ".join(self.tied),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.values is None:
            return "not-there-yet"
        if not self.outcome.ok:
            return "reached-without-backward"
        return "reached-tied" if self.tied else "reached"

    @property
    def pictured(self) -> Told:
        """Values and gradient in words."""
        return {"values": told_view(self.values), "gradient": told_view(self.gradient)}

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The gradient before and after the backward pass."""
        before = words[f"gradient_{filled(self.gradient_before)}"]
        after = words[f"gradient_{filled(self.gradient)}"]
        return ((("when", "gradient"), ((words["at_first"], before), (words["then"], after))),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachParameter(Settings[ReachParameterReport]):
    """Reach one parameter of a network by its name and by its place, and look at it.

    Args:
        path: Its name in the state_dict.
        network: As JSON.
        seed: Of torch's generator.
    """

    path: str = "0.block 1.0.bias"
    network: str = RGNET.to_json()
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        read(self.network)
        check_length("path", self.path, most=MOST_NAME)
        check_within("seed", self.seed, least=0, most=MOST_SEED)

    @property
    def spec(self) -> Network:
        """The network as data."""
        return read(self.network)
