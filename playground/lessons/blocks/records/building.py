"""The builder: a network, what became of a batch in it, and what there is to build with."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.outcome import Outcome
from playground.compute.settings import Settings, check_within
from playground.lessons.blocks.records.chain import Joint, Link, chain, shape_text
from playground.lessons.blocks.records.starts import STARTS
from playground.modules.forward_trace import ForwardTrace, Shape, TraceRow
from playground.modules.layer_types import LayerType
from playground.modules.spec import Network
from playground.units import format_bytes

DEFAULT = next(iter(STARTS.values())).to_json()
MOST_ANSWERS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLayersReport:
    """All layers that the builder can add."""

    layers: tuple[LayerType, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLayers(Settings[ListLayersReport]):
    """List the layers of torch.nn, and the lessons' own blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleRow:
    """One module of the network, whether the batch came to it or not.

    Attributes:
        path: ``""`` for the network itself.
        own_parameters: Values in its own parameters; None where they have no shape yet.
        same_as: The path under which the same module was met before; empty where it is new.
    """

    path: str
    type_name: str
    own_parameters: int | None
    same_as: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildNetworkReport:
    """A network that was built, and one batch on its way through it.

    Attributes:
        modules: In the order of ``named_modules()``, shared ones in every place.
    """

    network: Network
    trace: ForwardTrace
    modules: tuple[ModuleRow, ...]

    @property
    def outcome(self) -> Outcome:
        """Whether the batch came through."""
        return self.trace.outcome

    @property
    def links(self) -> tuple[Link, ...]:
        """The way of the batch, layer by layer."""
        return chain(self.network, self.trace)

    @property
    def output_shape(self) -> Shape | None:
        """What came out, where one tensor did."""
        shapes = self.trace.rows[0].output_shapes if self.trace.rows else ()
        return shapes[0] if len(shapes) == 1 else None

    @property
    def failed(self) -> TraceRow | None:
        """The call that raised."""
        path = self.trace.failed_at
        rows = (row for row in reversed(self.trace.rows) if row.path == path)
        return None if path is None else next(rows, None)

    @property
    def broken_joint(self) -> Joint | None:
        """Where the forward stopped between layers: what they gave cannot be put together."""
        joints = (joint for link in self.links for joint in link.joints)
        return next((each for each in joints if each.path == self.trace.failed_at), None)

    @property
    def last_shape(self) -> Shape | None:
        """What the last layer gave that was called."""
        return self.links[-1].output_shape if self.links else None

    @property
    def candidates(self) -> tuple[str, ...]:
        """The layers with parameters, the first ones where there are many: paths with types."""
        own: dict[str, int] = {}
        for row in self.modules:
            if row.own_parameters and not row.same_as:
                own[f"{row.path} {row.type_name}".strip()] = row.own_parameters
        kept = sorted(own, key=own.__getitem__, reverse=True)[:MOST_ANSWERS]
        return tuple(name for name in own if name in kept)

    @property
    def largest(self) -> str:
        """The layer that holds the most parameters, as ``candidates`` has it."""
        largest, most = "", 0
        for row in self.modules:
            if row.own_parameters and row.own_parameters > most and not row.same_as:
                largest, most = f"{row.path} {row.type_name}".strip(), row.own_parameters
        return largest

    @property
    def printed(self) -> str:
        """What the program prints of the result."""
        shape = self.output_shape
        return "" if shape is None else f"Y.shape == {shape_text(shape)}"

    @property
    def facts(self) -> dict[str, str]:
        """The sums, by label."""
        return {
            "network_parameters": f"{self.trace.total_parameters:,}",
            "network_memory": format_bytes(self.trace.size_bytes),
            "network_adds": f"{self.trace.multiply_adds:,}",
        }

    @property
    def why(self) -> str:
        """The id of the explanation that fits."""
        advice = self.trace.suggestion
        if self.outcome.ok:
            return "every-shape-fits" if self.links else "nothing-in-it"
        if len(self.network.input) > 1 and self.failed and not self.failed.path:
            return "takes-one-input"
        if self.broken_joint is not None:
            return f"{self.broken_joint.kind.value}-differs"
        if advice is not None and advice.insert:
            return "needs-flatten"
        if advice is None or advice.argument is None:
            return "stops-here"
        return {"in_features": "features-differ", "in_channels": "channels-differ"}.get(
            advice.argument, "argument-differs"
        )

    @property
    def mentions(self) -> dict[str, str]:
        """What the explanation may mention."""
        advice, failed = self.trace.suggestion, self.failed
        shapes = failed.input_shapes if failed else ()
        named = f"{failed.path} {failed.type_name}".strip() if failed else ""
        return {
            "layer": named,
            "shape": shape_text(shapes[0]) if shapes else "",
            "argument": (advice.argument or "") if advice else "",
            "given": str(advice.given) if advice else "",
            "value": str(advice.value) if advice else "",
            "output": shape_text(self.output_shape) if self.output_shape is not None else "",
            "count": str(len(self.links)),
            "inputs": str(len(self.network.input)),
            "last": shape_text(self.last_shape) if self.last_shape is not None else "",
        }

    @property
    def pictured(self) -> dict[str, str]:
        """The way of the batch, for a text that stands in for the picture."""
        parts = [shape_text(one.shape) for one in self.network.input[:1]]
        for link in self.links:
            parts.append(f"{link.path} {link.type_name}")
            parts.append("✗" if link.output_shape is None else shape_text(link.output_shape))
        return {"ways": " → ".join(parts)}


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildNetwork(Settings[BuildNetworkReport]):
    """Build a network, and follow a batch through it.

    Args:
        network: As JSON.
        seed: Of torch's generator, before the first parameter is drawn.

    Raises:
        InvalidSpecError: The text is no network.
    """

    MAX_SEED: ClassVar[int] = 9999

    network: str = DEFAULT
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is no network, and no seed."""
        self.check_types()
        check_within("seed", self.seed, least=0, most=self.MAX_SEED)
        Network.from_json(self.network)

    @property
    def spec(self) -> Network:
        """The network as data."""
        return Network.from_json(self.network)
