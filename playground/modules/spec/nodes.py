"""The nodes of a network: layers, blocks of layers, and shared layers."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from playground.errors import InvalidSpecError
from playground.modules.spec import json_text, names
from playground.modules.spec.parts import (
    MAX_DEPTH,
    MAX_SHOWN,
    BlockKind,
    Given,
    Shared,
    Value,
    allow,
    check_name_and_times,
    frozen,
    kind_of,
    place_from_plain,
    plain,
    plain_place,
    renewed,
)
from playground.modules.spec.wires import BEFORE, Wire, wires_of

MAX_LAYERS = 256  # nodes of all kinds, each copy counted
MAX_ARGUMENTS = 32
MAX_DIM = 8

Arguments: TypeAlias = "Mapping[str, Given | Layer] | Iterable[tuple[str, Given | Layer]]"


@dataclass(frozen=True, slots=True, init=False)
class Layer:
    """One layer: a class of torch.nn, or one of the playground's own, and its arguments.

    Args:
        type: The class, e.g. ``"Linear"``.
        arguments: By name; kept as pairs, in the order given.
        name: What it is called in its block; without one, its number.
        times: So many copies in a row, each with parameters of its own.
        inputs: Its wires; without any, what comes before it.

    Raises:
        InvalidSpecError: A name or a value cannot stand in a program.

    >>> Layer("Linear", {"in_features": 20, "out_features": 256}).arguments
    (('in_features', 20), ('out_features', 256))
    """

    type: str
    arguments: tuple[tuple[str, Value], ...] = ()
    name: str | None = None
    times: int = 1
    inputs: tuple[Wire, ...] = ()

    def __init__(
        self,
        type: str,
        arguments: "Arguments" = (),
        *,
        name: str | None = None,
        times: int = 1,
        inputs: Iterable[Wire | str] = (),
    ) -> None:
        if not isinstance(type, str):
            raise InvalidSpecError("spec_not_network")
        names.check_type(type)
        object.__setattr__(self, "type", type)
        object.__setattr__(self, "arguments", _frozen_arguments(type, arguments))
        check_name_and_times(name, times, type=type)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "inputs", wires_of(inputs, type=type))

    @classmethod
    def of(cls, type: str, /, **arguments: "Given | Layer") -> "Layer":
        """Make a layer from keywords: ``Layer.of("Linear", in_features=20, out_features=256)``."""
        return cls(type, arguments)

    @property
    def keywords(self) -> dict[str, Value]:
        """The arguments by name."""
        return dict(self.arguments)

    @property
    def depth(self) -> int:
        """The number of nested blocks: none."""
        return 0

    @property
    def count(self) -> int:
        """The number of nodes, each copy counted."""
        return self.times

    def to_plain(self) -> dict[str, object]:
        """As JSON has it."""
        arguments = {name: plain(value) for name, value in self.arguments}
        value = {"type": self.type} | ({"arguments": arguments} if arguments else {})
        return value | plain_place(self.name, self.times, self.inputs)

    def to_json(self) -> str:
        """As one line of JSON."""
        return json_text.write(self.to_plain())

    @classmethod
    def from_json(cls, text: str) -> "Layer":
        """Read what ``to_json`` wrote; the text may come from anywhere.

        Raises:
            InvalidSpecError: It is no JSON, or not of a layer.
        """
        node = node_from_plain(json_text.read(text))
        if not isinstance(node, cls):
            raise InvalidSpecError("spec_not_network")
        return node


@dataclass(frozen=True, slots=True, init=False)
class Block:
    """Nodes that make one module together.

    Args:
        children: Layers, blocks, and earlier ones shared, in order.
        kind: What is done with them.
        name: What it is called in the block around it; without one, its number.
        times: So many copies in a row, each with parameters of its own.
        inputs: Its wires; without any, what comes before it.
        dim: Along which the outputs are joined; of ``CONCATENATE`` only.

    Raises:
        InvalidSpecError: Two children have one name, a wire leads nowhere, or it is too deep or
            too large.

    >>> Block([Layer("ReLU"), Layer("Flatten", name="flat")]).names()
    (('0',), ('flat',))
    """

    children: tuple["Node", ...]
    kind: BlockKind = BlockKind.SEQUENTIAL
    name: str | None = None
    times: int = 1
    inputs: tuple[Wire, ...] = ()
    dim: int = 1

    def __init__(
        self,
        children: Iterable["Node"] = (),
        *,
        kind: BlockKind = BlockKind.SEQUENTIAL,
        name: str | None = None,
        times: int = 1,
        inputs: Iterable[Wire | str] = (),
        dim: int = 1,
    ) -> None:
        children = tuple(children)
        if not all(isinstance(child, Layer | Block | Shared) for child in children):
            raise InvalidSpecError("spec_not_network")
        object.__setattr__(self, "children", children)
        object.__setattr__(self, "kind", kind_of(kind))
        check_name_and_times(name, times, type=self.kind.value)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "times", times)
        if self.depth > MAX_DEPTH:
            raise InvalidSpecError("spec_too_deep", most=MAX_DEPTH)
        if self.count > MAX_LAYERS:
            raise InvalidSpecError("spec_too_many_layers", given=self.count, most=MAX_LAYERS)
        object.__setattr__(self, "inputs", wires_of(inputs, type=self.kind.value))
        if not isinstance(dim, int) or isinstance(dim, bool) or abs(dim) > MAX_DIM:
            raise InvalidSpecError("spec_field", type=self.kind.value, field="dim")
        object.__setattr__(self, "dim", dim if self.kind is BlockKind.CONCATENATE else 1)
        self._check_wires()

    def _check_wires(self) -> None:
        """Refuse wires of children that lead nowhere; branches have no earlier ones."""
        earlier: set[str] = set()
        for child, own in zip(self.children, self.names(), strict=True):
            for wire in child.inputs:
                is_known = wire.source == BEFORE or wire.input_number or wire.source in earlier
                if not is_known:
                    raise InvalidSpecError("spec_unknown_wire", type=type_of(child), wire=str(wire))
            if not self.kind.is_join:
                earlier.add(own[-1])

    @property
    def is_wired(self) -> bool:
        """Its forward cannot be written as ``nn.Sequential`` or one of our small blocks."""
        has_wires = any(child.inputs for child in self.children)
        is_bare = self.kind is BlockKind.TUPLE or (self.kind.is_join and not self.children)
        return has_wires or is_bare or len(self.inputs) > 1 or self.dim != 1

    @property
    def depth(self) -> int:
        """The number of nested blocks, this one included."""
        return 1 + max((child.depth for child in self.children), default=0)

    @property
    def count(self) -> int:
        """The number of nodes, blocks included and each copy counted."""
        return self.times * (1 + sum(child.count for child in self.children))

    def names(self) -> tuple[tuple[str, ...], ...]:
        """Return the names of each child in torch, one per copy.

        A child without a name has its number, as in ``nn.Sequential``; the copies of a named one
        have the name and their number.

        Raises:
            InvalidSpecError: Two have the same.
        """
        called: list[tuple[str, ...]] = []
        taken: set[str] = set()
        for child in self.children:
            own = _names(child, first=len(taken))
            for name in own:
                names.check_child(name, type=type_of(child))
                if name in taken:
                    raise InvalidSpecError("spec_name_taken", type=type_of(child), name=name)
                taken.add(name)
            called.append(own)
        return tuple(called)

    def to_plain(self) -> dict[str, object]:
        """As JSON has it."""
        children = [child.to_plain() for child in self.children]
        dim = {} if self.dim == 1 else {"dim": self.dim}
        place = plain_place(self.name, self.times, self.inputs)
        return {"kind": self.kind.value, "children": children} | dim | place

    def to_json(self) -> str:
        """As one line of JSON."""
        return json_text.write(self.to_plain())

    @classmethod
    def from_json(cls, text: str) -> "Block":
        """Read what ``to_json`` wrote; the text may come from anywhere.

        Raises:
            InvalidSpecError: It is no JSON, or not of a block.
        """
        node = node_from_plain(json_text.read(text))
        if not isinstance(node, cls):
            raise InvalidSpecError("spec_not_network")
        return node


Node: TypeAlias = Layer | Block | Shared


def type_of(node: Node) -> str:
    """Return the name of a node's kind: its class, or the kind of block."""
    match node:
        case Layer():
            return node.type
        case Block():
            return node.kind.value
        case Shared():
            return "Shared"


def _names(child: Node, first: int) -> tuple[str, ...]:
    if child.name is None:
        return tuple(str(first + copy) for copy in range(child.times))
    if child.times == 1:
        return (child.name,)
    return tuple(f"{child.name}{copy}" for copy in range(child.times))


def node_from_plain(value: Any, depth: int = 0) -> Node:
    """Read what ``to_plain`` returned; the value is untrusted.

    Args:
        value: The plain value.
        depth: How many blocks stand around it.

    Raises:
        InvalidSpecError: It is no node; the error names the place.
    """
    match value:
        case {"type": str(type)}:
            allow(value, "type", "arguments", "name", "times", "inputs", type=type)
            arguments = value.get("arguments", {})
            if not isinstance(arguments, dict):
                raise InvalidSpecError("spec_field", type=type[:MAX_SHOWN], field="arguments")
            type, arguments = renewed(type, arguments)
            place = place_from_plain(value, type=type)
            return Layer(type, arguments, times=value.get("times", 1), **place)
        case {"shared": str(of)}:
            allow(value, "shared", "name", "inputs", type="Shared")
            return Shared(of, **place_from_plain(value, type="Shared"))
        case {"kind": str(kind), "children": list(children)}:
            allow(value, "kind", "children", "name", "times", "inputs", "dim", type=kind)
            if depth == MAX_DEPTH:  # before all that is inside is looked at
                raise InvalidSpecError("spec_too_deep", most=MAX_DEPTH)
            times, dim = value.get("times", 1), value.get("dim", 1)
            place, inside = place_from_plain(value, type=kind), _children(children, depth + 1)
            return Block(inside, kind=kind_of(kind), times=times, dim=dim, **place)
    raise InvalidSpecError("spec_not_network")


def _children(value: list[Any], depth: int) -> Iterator[Node]:
    if len(value) > MAX_LAYERS:
        raise InvalidSpecError("spec_too_many_layers", given=len(value), most=MAX_LAYERS)
    number = 0
    for child in value:
        name = child.get("name") if isinstance(child, dict) else None
        try:
            node = node_from_plain(child, depth)
        except InvalidSpecError as error:
            raise error.within(str(name if names.is_child(name) else number)) from None
        number += node.times
        yield node


def _frozen_arguments(type: str, arguments: "Arguments") -> tuple[tuple[str, Value], ...]:
    pairs = list(arguments.items() if isinstance(arguments, Mapping) else arguments)
    if len(pairs) > MAX_ARGUMENTS:
        raise InvalidSpecError("spec_field", type=type, field="arguments")
    given: dict[str, Value] = {}
    for name, value in pairs:
        names.check_argument(name, type=type)
        if name in given:
            raise InvalidSpecError("spec_name_taken", type=type, name=name)
        if isinstance(value, Layer):  # as nn.TransformerEncoder takes one
            value = (value.type, value.arguments)
        given[name] = frozen(value, type=type, argument=name)
    return tuple(given.items())


def inner_layer(value: Value) -> Layer | None:
    """Return the layer that a value describes; None for any other value.

    Raises:
        InvalidSpecError: A name in it cannot stand in a program.

    >>> inner_layer(("TransformerEncoderLayer", (("d_model", 8), ("nhead", 2)))).type
    'TransformerEncoderLayer'
    """
    if not isinstance(value, tuple) or len(value) != 2:
        return None
    type, pairs = value
    if not isinstance(type, str) or not isinstance(pairs, tuple):
        return None
    arguments: list[tuple[str, Value]] = []
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            return None
        arguments.append((str(pair[0]), pair[1]))
    return Layer(type, arguments)
