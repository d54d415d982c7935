"""Records of the graph of a network: cards, edges and frames. Free of torch."""

from dataclasses import dataclass
from enum import StrEnum, unique

from playground.modules.spec.addresses import Address
from playground.modules.spec.parts import BlockKind


@unique
class CardKind(StrEnum):
    """The kind of a card."""

    INPUT = "input"
    OUTPUT = "output"
    LAYER = "layer"
    JOIN = "join"  # what adds, multiplies or concatenates
    EMPTY = "empty"  # a block without layers
    AGAIN = "again"  # a block that is used once more


@unique
class State(StrEnum):
    """The state of a card after a batch was sent through."""

    OK = "ok"
    FAILED = "failed"
    UNREACHED = "unreached"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A node of the graph.

    Attributes:
        id: Unique: the path of a layer, ``input1``, ``output``, or a path and a sign.
        address: Of the node that it shows; None for inputs and the output.
        path: Of the node.
        text: Its arguments as code, the sign of a join, or what an input holds.
        times: So many copies in a row.
        frame: The path of the block around it; empty for the network itself.
        shape: Of its output, as text; empty where it is not known.
        calls: How often the layer is called.
    """

    id: str
    kind: CardKind
    address: Address | None = None
    path: str = ""
    type: str = ""
    text: str = ""
    times: int = 1
    frame: str = ""
    state: State = State.OK
    shape: str = ""
    calls: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A way of data.

    Attributes:
        shape: What flows, as text.
        before: The address at which a layer that is put onto the edge stands; None if none can.
        is_skip: It goes round a block, to be added at its end.
        count: As so many inputs of the target.
        call: Which call of a shared layer it leads to.
    """

    source: str
    target: str
    shape: str = ""
    before: Address | None = None
    is_skip: bool = False
    count: int = 1
    call: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A block, drawn around its cards.

    Attributes:
        parent: The path of the block around it.
        shape: Of its output, as text.
    """

    path: str
    address: Address
    kind: BlockKind
    name: str
    times: int
    parent: str
    state: State = State.OK
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """Cards in the order of the forward pass, edges and frames."""

    cards: tuple[Card, ...]
    edges: tuple[Edge, ...]
    frames: tuple[Frame, ...]
