"""All parameters at once: what ``named_parameters`` lists, and what the state_dict keeps."""

from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.compute.settings import Settings, check_choice, check_within
from playground.explained import Told
from playground.lessons.parameters.records.choices import Keeping
from playground.lessons.parameters.records.explained import Explained, Shape, shape_text
from playground.lessons.parameters.records.networks import NORMED, PLAIN, read, variable_of
from playground.lessons.parameters.records.paths import index_path, part_names
from playground.modules.spec import Network
from playground.units import format_bytes

MOST_SEED = 9999
MOST_PARTS = 12
MOST_LISTED = 60


def parts_of(network: Network) -> tuple[str, ...]:
    """What can be asked for its parameters: the network and its outermost modules, as code."""
    variable = variable_of(network)
    names = part_names(network)[:MOST_PARTS]
    return (variable, *(index_path(network, name, variable) for name in names))


@dataclass(frozen=True, slots=True, kw_only=True)
class NameParametersReport(Explained):
    """What ``named_parameters()`` lists.

    Attributes:
        part: Whose.
        listed: Names and shapes, the first ones where there are many.
        entries: How many there are.
        numbers: How many numbers all of them hold.
        modules: How many modules are in it, itself included.
        layers: How many of these have parameters of their own.
    """

    part: str
    listed: tuple[tuple[str, Shape | None], ...]
    entries: int
    numbers: int
    modules: int
    layers: int

    @property
    def actual(self) -> str:
        """How many entries there are."""
        return str(self.entries)

    @property
    def answers(self) -> tuple[str, ...]:
        """The numbers that could be meant."""
        counted = {self.entries, self.numbers, self.modules, self.layers}
        if len(counted) < 2:
            counted.add(self.entries + 1)
        return tuple(map(str, sorted(counted)))

    @property
    def facts(self) -> Told:
        """All four counts."""
        return {
            "entries": self.entries,
            "numbers": f"{self.numbers:,}",
            "modules": self.modules,
            "layers": self.layers,
        }

    @property
    def mentions(self) -> Told:
        """The counts, and the first name."""
        name, shape = self.listed[0] if self.listed else ("", None)
        return {**self.facts, "part": self.part, "name": name, "shape": shape_text(shape)}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.entries:
            return "lists-nothing"
        return "lists-part" if "[" in self.part else "lists-all"

    @property
    def pictured(self) -> Told:
        """All names, for a text that stands in for the picture."""
        return {"names": "; ".join(f"{name} {shape_text(shape)}" for name, shape in self.listed)}

    @property
    def is_drawn(self) -> bool:
        """There is at least one."""
        return bool(self.listed)


@dataclass(frozen=True, slots=True, kw_only=True)
class NameParameters(Settings[NameParametersReport]):
    """List the parameters of a network, or of a part of it.

    Args:
        network: As JSON.
        part: As code: one of ``parts_of(network)``; empty for the network.
        seed: Of torch's generator.
    """

    network: str = PLAIN.to_json()
    part: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_within("seed", self.seed, least=0, most=MOST_SEED)
        check_choice("part", self.part, ("", *parts_of(self.spec)))

    @property
    def spec(self) -> Network:
        """The network as data."""
        return read(self.network)

    @property
    def code(self) -> str:
        """The part as code."""
        return self.part or variable_of(self.spec)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One tensor of a network.

    Attributes:
        is_parameter: It is one; otherwise it is a buffer, or an attribute.
        is_registered: The network knows it.
        is_saved: It is in the state_dict.
    """

    name: str
    shape: Shape | None
    size_bytes: int
    is_parameter: bool
    is_registered: bool
    is_saved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepStateReport(Explained):
    """What the state_dict keeps.

    Attributes:
        tensors: All that the network has, and the tensor that was given to it.
        keeping: How it was given.
        keys: How many keys there are.
        is_live: A change of the network shows in the dict; None where there is nothing to change.
        wants_gradient: Any of the dict's tensors has ``requires_grad``.
    """

    tensors: tuple[Kept, ...]
    keeping: Keeping
    keys: int
    is_live: bool | None
    wants_gradient: bool

    @property
    def has_note(self) -> bool:
        """The tensor that was given is among the keys."""
        return any(each.name == "note" and each.is_saved for each in self.tensors)

    @property
    def actual(self) -> Outcome | bool:
        """Whether it is kept."""
        return self.has_note if self.outcome.ok else self.outcome

    @property
    def facts(self) -> Told:
        """Keys and what they lead to."""
        return {
            "keys": self.keys,
            "parameters_kept": sum(each.is_parameter and each.is_saved for each in self.tensors),
            "buffers_kept": sum(not each.is_parameter and each.is_saved for each in self.tensors),
            "bytes": format_bytes(sum(each.size_bytes for each in self.tensors if each.is_saved)),
            "is_live": self.is_live,
            "wants_gradient": self.wants_gradient,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return f"kept-{self.keeping}" if self.outcome.ok else "not-taken"

    @property
    def pictured(self) -> Told:
        """What is kept and what is not."""
        saved = [each.name for each in self.tensors if each.is_saved]
        left = [each.name for each in self.tensors if not each.is_saved]
        return {"saved": ", ".join(saved) or "—", "left": ", ".join(left) or "—"}

    @property
    def is_drawn(self) -> bool:
        """It was taken."""
        return self.outcome.ok


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepState(Settings[KeepStateReport]):
    """Give a network one more tensor, and see what its state_dict keeps.

    Args:
        network: As JSON.
        keeping: How the tensor is given.
        seed: Of torch's generator.
    """

    network: str = NORMED.to_json()
    keeping: Keeping = Keeping.UNSAVED
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        read(self.network)
        check_within("seed", self.seed, least=0, most=MOST_SEED)

    @property
    def spec(self) -> Network:
        """The network as data."""
        return read(self.network)
