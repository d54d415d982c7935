"""The ledger of names: which of a network's keys are one object, and which lie in one storage."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from playground.compute.settings import Settings
from playground.explained import Table, Told
from playground.lessons.tied_parameters.records.explained import Explained
from playground.modules.spec import Block, InputSpec, Layer, Network, Node, Shared

Shape = tuple[int, ...]


def shared_network(places: int) -> Network:
    """The lesson's own network: one layer of 8 units in so many places.

    >>> [each.of for each in shared_network(2).block.children if isinstance(each, Shared)]
    ['2']
    """
    first = Layer.of("Linear", in_features=4, out_features=8)
    shared = Layer.of("Linear", in_features=8, out_features=8)
    again = [node for _ in range(places - 1) for node in (Shared("2"), Layer("ReLU"))]
    last = Layer.of("Linear", in_features=8, out_features=1)
    nodes = [first, Layer("ReLU"), shared, Layer("ReLU"), *again, last]
    return Network(Block(nodes), InputSpec((2, 4)))


LEAST_PLACES, MOST_PLACES = 1, 4
DEFAULT = shared_network(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """One name of a parameter.

    Attributes:
        name: As ``named_parameters(remove_duplicate=False)`` gives it.
        object_number: Names with one number are one Parameter object.
        storage_number: Names with one number lie in one storage; None where there is none yet.
        shape: None where it is not known yet.
        is_counted: ``named_parameters()`` gives it as well.
        in_state_dict: It is a key of the ``state_dict``.
    """

    name: str
    object_number: int
    storage_number: int | None
    shape: Shape | None
    numbers: int
    is_counted: bool
    in_state_dict: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CountTiedReport(Explained):
    """Every name of every parameter, and what is counted.

    Attributes:
        rows: In the order of the names.
        counted: Numbers in ``parameters()``.
        saved: Numbers in the ``state_dict``, key by key.
        buffers: Numbers of these that are no parameters.
        keys: Keys of the ``state_dict``.
        storages: Storages behind all keys.
        storage_bytes: What these take.
    """

    rows: tuple[Named, ...]
    counted: int
    saved: int
    buffers: int
    keys: int
    storages: int
    storage_bytes: int

    @property
    def objects(self) -> int:
        """How many Parameter objects there are."""
        return len({row.object_number for row in self.rows})

    @property
    def groups(self) -> tuple[tuple[Named, ...], ...]:
        """Names that are one object, or lie in one storage."""
        found: dict[tuple[str, int], list[Named]] = {}
        for row in self.rows:
            if row.storage_number is None:
                key = ("object", row.object_number)
            else:
                key = ("storage", row.storage_number)
            found.setdefault(key, []).append(row)
        return tuple(tuple(group) for group in found.values() if len(group) > 1)

    @property
    def is_drawn(self) -> bool:
        """There are names, whether the batch came through or not."""
        return bool(self.rows)

    @property
    def printed(self) -> str:
        """What the program prints: the names of each Parameter that has several."""
        names: dict[int, list[str]] = {}
        for row in self.rows:
            names.setdefault(row.object_number, []).append(row.name)
        return str([group for group in names.values() if len(group) > 1])

    @property
    def actual(self) -> str:
        """How the count over ``parameters()`` compares with the one over the ``state_dict``."""
        if self.counted == self.saved:
            return "same"
        return "fewer" if self.counted < self.saved else "more"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "counted": self.counted,
            "saved": self.saved,
            "buffers": self.buffers or None,
            "objects": self.objects,
            "keys": self.keys,
            "storages": self.storages,
            "storage_bytes": self.storage_bytes,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the names that are one."""
        groups = "; ".join(" = ".join(f"`{row.name}`" for row in group) for group in self.groups)
        return {**self.told, "buffers": self.buffers, "groups": groups, "names": len(self.rows)}

    @property
    def pictured(self) -> Told:
        """The same, without marks."""
        groups = str(self.mentions["groups"]).replace("`", "")
        return {**self.mentions, "groups": groups or "—"}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-shapes-yet"
        if not self.rows:
            return "no-parameters"
        if self.groups:
            return "names-are-one" if not self.buffers else "names-are-one-with-buffers"
        return "all-apart" if not self.buffers else "only-buffers"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """Every name with its object and its storage."""
        del words
        columns = ("name", "object", "storage", "shape", "is_counted")
        rows = tuple(
            (
                row.name,
                f"P{row.object_number}",
                None if row.storage_number is None else f"S{row.storage_number}",
                None if row.shape is None else str(row.shape),
                row.is_counted,
            )
            for row in self.rows
        )
        return ((columns, rows),) if rows else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CountTied(Settings[CountTiedReport]):
    """List every name of every parameter of a network.

    Args:
        network: As JSON.

    Raises:
        InvalidSpecError: The text is no network.
    """

    network: str = DEFAULT.to_json()

    def __post_init__(self) -> None:
        """Refuse what is no network."""
        self.check_types()
        Network.from_json(self.network)

    @property
    def spec(self) -> Network:
        """The network as data."""
        return Network.from_json(self.network)

    @property
    def is_lazy(self) -> bool:
        """It has layers whose shapes come with the first batch."""
        return any(layer.type.startswith("Lazy") for layer in _layers(self.spec.block))


def _layers(node: Node) -> Iterator[Layer]:
    if isinstance(node, Layer):
        yield node
    elif isinstance(node, Block):
        for child in node.children:
            yield from _layers(child)
