"""The graph of a network: cards, the frames of its blocks, and the edges on which data flows.

It is derived from the spec, and from a trace where there is one. Free of torch.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from playground.modules.graph_types import Card, CardKind, Edge, Frame, Graph, State
from playground.modules.source.expressions import Writer
from playground.modules.source.layout import Brackets, flat
from playground.modules.spec.addresses import Address
from playground.modules.spec.network import InputKind, Network
from playground.modules.spec.nodes import Block, Layer, Node
from playground.modules.spec.parts import BlockKind, Shared
from playground.modules.spec.wires import BEFORE, Wire
from playground.modules.trace_types import Described, ForwardTrace, Group, TraceRow

SIGNS = {
    BlockKind.RESIDUAL: "+",
    BlockKind.ADD: "+",
    BlockKind.MULTIPLY: "×",
    BlockKind.TUPLE: "tuple",
}
OUTPUT = "output"


def graph_of(network: Network, trace: ForwardTrace | None = None) -> Graph:
    """Return the graph of a network.

    Args:
        network: What is drawn.
        trace: Its forward pass, for shapes, and how far the batch came.

    >>> from playground.modules.spec.presets import RESIDUAL
    >>> graph = graph_of(RESIDUAL)
    >>> [(edge.source, edge.target) for edge in graph.edges if edge.is_skip]
    [('0', '1+')]
    """
    walk = _Walk(trace)
    ports = []
    for number, one in enumerate(network.input, start=1):
        name = "X" if len(network.input) == 1 else f"X{number}"
        is_tokens = one.kind is InputKind.TOKENS
        text = f"tokens < {one.below}" if is_tokens else "float32"
        shape = shape_text(one.shape)
        walk.cards.append(
            Card(id=f"input{number}", kind=CardKind.INPUT, type=name, text=text, shape=shape)
        )
        ports.append(_Port(f"input{number}", one.shape))
    root = network.block if isinstance(network.block, Block) else Block([network.block])
    last = walk.block(root, _Place((), "", "", network.block is not root), ports)
    walk.cards.append(Card(id=OUTPUT, kind=CardKind.OUTPUT, type="Y", shape=last.shape))
    end = None if root.kind.is_join else (len(root.children),)
    walk.connect([last], OUTPUT, before=end)
    return Graph(tuple(walk.cards), tuple(walk.edges), tuple(walk.frames))


def shape_text(described: Described | None) -> str:
    """Write what flows as a program would: sizes, or those of each item.

    >>> shape_text((2, 20)), shape_text(Group("tuple", ((2, 5, 8), (2, 5, 5))))
    ('2, 20', '(2, 5, 8), (2, 5, 5)')
    """
    match described:
        case None:
            return ""
        case str():
            return described
        case Group(items=items):
            return ", ".join(
                f"({shape_text(item)})" if isinstance(item, tuple | Group) else str(item)
                for item in items
            )
    return ", ".join(map(str, described)) or "()"


@dataclass(frozen=True, slots=True)
class _Port:
    """A value and the card that it comes from."""

    card: str
    value: Described | None = None

    @property
    def shape(self) -> str:
        return shape_text(self.value)

    def item(self, wire: Wire) -> "_Port":
        value = self.value
        for item in wire.items:
            is_there = isinstance(value, Group) and -len(value.items) <= item < len(value.items)
            value = value.items[item] if isinstance(value, Group) and is_there else None
        return replace(self, value=value)


@dataclass(frozen=True, slots=True)
class _Place:
    address: Address
    path: str
    frame: str
    is_single: bool = False  # the network is one layer, without a block around it

    def child(self, index: int, name: str, frame: str) -> "_Place":
        if self.is_single:
            return _Place((index,), "", frame)
        path = f"{self.path}.{name}" if self.path else name
        return _Place((*self.address, index), path, frame)


@dataclass(slots=True)
class _Walk:
    """Follows the data, and collects what it meets."""

    trace: ForwardTrace | None
    cards: list[Card] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    uses: Counter[str] = field(default_factory=Counter)
    layers: dict[str, Layer] = field(default_factory=dict)
    rows: dict[str, list[TraceRow]] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = {}
        for row in self.trace.rows if self.trace else ():
            self.rows.setdefault(row.path, []).append(row)

    def block(self, block: Block, place: _Place, inputs: list[_Port]) -> _Port:
        """Follow the data through a block that is drawn already; return what comes out."""
        if block.kind.is_join:
            return self._join(block, place, inputs)
        values = {f"#{number}": port for number, port in enumerate(inputs, start=1)}
        values[BEFORE] = inputs[0]
        for index, (child, own) in enumerate(zip(block.children, block.names(), strict=True)):
            below = place.child(index, own[-1], place.path)
            given = [values[wire.source].item(wire) for wire in child.inputs or (Wire(),)]
            values[own[-1]] = values[BEFORE] = self._node(child, below, given, own)
        if block.kind is not BlockKind.RESIDUAL:
            return values[BEFORE]
        sign = self._sign(block, place)
        end = (*place.address, len(block.children))
        self.connect([values[BEFORE]], sign, before=end)
        self.edges.append(
            Edge(source=inputs[0].card, target=sign, shape=inputs[0].shape, is_skip=True)
        )
        return _Port(sign, self._output(place.path))

    def _join(self, block: Block, place: _Place, inputs: list[_Port]) -> _Port:
        """Follow the branches of a block to where they meet."""
        sign = f"{place.path}{SIGNS.get(block.kind, 'c')}"
        known = {f"#{number}": port for number, port in enumerate(inputs, start=1)}
        known[BEFORE] = inputs[0]
        ends = []
        for index, (child, own) in enumerate(zip(block.children, block.names(), strict=True)):
            below = place.child(index, own[-1], place.path)
            given = [known[wire.source].item(wire) for wire in child.inputs or (Wire(),)]
            ends.append(self._node(child, below, given, own))
        self._sign(block, place)
        lasts = [
            (*place.address, index, len(child.children))
            if isinstance(child, Block) and not child.kind.is_join
            else None
            for index, child in enumerate(block.children)
        ] or [None] * len(inputs)
        for port, last in zip(ends or inputs, lasts, strict=True):
            self.connect([port], sign, before=last)
        return _Port(sign, self._output(place.path))

    def _sign(self, block: Block, place: _Place) -> str:
        is_cat = block.kind is BlockKind.CONCATENATE
        id = f"{place.path}{SIGNS.get(block.kind, 'c')}"
        frame = place.path if block.children else place.frame
        self.cards.append(
            Card(
                id=id,
                kind=CardKind.JOIN,
                address=place.address or None,
                path=place.path,
                type=block.kind.value,
                text=f"cat, dim={block.dim}" if is_cat else SIGNS[block.kind],
                frame=frame,
                state=self._state(place.path),
                shape=shape_text(self._output(place.path)),
            )
        )
        return id

    def _node(self, node: Node, place: _Place, given: list[_Port], own: tuple[str, ...]) -> _Port:
        """Draw a child and what leads to it; return what comes out."""
        if isinstance(node, Block):
            return self._inner_block(node, place, given, own)
        if isinstance(node, Shared):
            if node.of in self.layers:
                return self._again(node.of, place, given)
            self.cards.append(
                Card(
                    id=place.path,
                    kind=CardKind.AGAIN,
                    address=place.address,
                    path=place.path,
                    type="Shared",
                    text=node.of,
                    frame=place.frame,
                    state=self._state(node.of),
                    shape=shape_text(self._output(node.of)),
                )
            )
            self.connect(given, place.path, before=place.address)
            return _Port(place.path, self._output(node.of))
        self.layers[place.path] = node
        self.uses[place.path] = 1
        first = place.path.removesuffix(own[-1]) + own[0] if place.path else ""
        value = self._output(place.path)
        self.cards.append(
            Card(
                id=place.path or "0",
                kind=CardKind.LAYER,
                address=place.address,
                path=first,
                type=node.type,
                text=arguments_text(node),
                times=node.times,
                frame=place.frame,
                state=self._state(place.path, first),
                shape=shape_text(value),
                calls=max(1, len(self.rows.get(place.path, ()))),
            )
        )
        self.connect(given, place.path or "0", before=place.address)
        return _Port(place.path or "0", value)

    def _again(self, of: str, place: _Place, given: list[_Port]) -> _Port:
        self.uses[of] += 1
        call = self.uses[of]
        self.connect(given, of, before=place.address, call=call)
        rows = self.rows.get(place.path) or self.rows.get(of, [])[call - 1 :]
        return _Port(of, rows[0].output if rows else None)

    def _inner_block(
        self, block: Block, place: _Place, given: list[_Port], own: tuple[str, ...]
    ) -> _Port:
        if block.kind.is_join and not block.children:
            return self._join(block, place, given)
        first = place.path.removesuffix(own[-1]) + own[0]
        self.frames.append(
            Frame(
                path=place.path,
                address=place.address,
                kind=block.kind,
                name=block.name or "",
                times=block.times,
                parent=place.frame,
                state=self._state(place.path, first),
                shape=shape_text(self._output(place.path)),
            )
        )
        if not block.children:
            id = f"{place.path}."
            self.cards.append(
                Card(
                    id=id,
                    kind=CardKind.EMPTY,
                    address=place.address,
                    path=place.path,
                    frame=place.path,
                    state=self._state(place.path, first),
                    shape=given[0].shape,
                )
            )
            self.connect(given, id, before=(*place.address, 0))
            return replace(given[0], card=id)
        port = self.block(block, place, given)
        return replace(port, value=self._output(place.path) or port.value)

    def connect(
        self, given: list[_Port], target: str, before: Address | None = None, call: int = 1
    ) -> None:
        """Lead values to a card; equal ones are one edge."""
        counts = Counter(given)
        for port, count in counts.items():
            edge = Edge(
                source=port.card, target=target, shape=port.shape, before=before, count=count
            )
            self.edges.append(replace(edge, call=call))
            before = None  # what is put in before it takes the first input

    def _output(self, path: str) -> Described | None:
        rows = self.rows.get(path)
        return rows[0].output if rows else None

    def _state(self, path: str, first: str | None = None) -> State:
        if self.trace is None:
            return State.OK
        if path and self.trace.failed_at == path:
            return State.FAILED
        rows = self.rows.get(path, [])
        if rows and rows[0].has_returned:
            return State.OK
        copies = self.rows.get(first, []) if first is not None else []
        is_failing = not path and not self.trace.outcome.ok
        if is_failing or any(not row.has_returned for row in (*rows, *copies)):
            return State.FAILED if self.trace.failed_at in {path, first} else State.UNREACHED
        return State.UNREACHED


def arguments_text(layer: Layer) -> str:
    """Write the arguments of a layer as code.

    >>> arguments_text(Layer("Linear", {"in_features": 20, "out_features": 10, "bias": False}))
    '20, 10, bias=False'
    """
    made = Writer({}, _no_class).layer(layer)
    return flat(made).partition("(")[2][:-1]


def _no_class(writer: Writer, block: Block, path: str) -> Brackets:
    raise NotImplementedError  # a layer holds no block


def layer_paths(node: Node, path: str = "") -> Iterator[tuple[str, Layer]]:
    """Yield every layer with its path, each copy by itself; shared ones once."""
    if isinstance(node, Layer):
        yield path, node
    if isinstance(node, Block):
        for child, own in zip(node.children, node.names(), strict=True):
            for name in own:
                yield from layer_paths(child, f"{path}.{name}" if path else name)
