"""A network: a node with its inputs, and the nodes of it that are shared."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from playground.errors import InvalidSpecError
from playground.modules.spec import json_text
from playground.modules.spec.nodes import Block, Node, node_from_plain, type_of
from playground.modules.spec.parts import Shared

MAX_DIMENSIONS = 6
MAX_INPUTS = 4
MAX_ELEMENTS = 4_000_000  # of one input
MAX_TOKENS = 1_000_000


class InputKind(StrEnum):
    """FLOAT: drawn from a normal distribution. TOKENS: whole numbers, as a vocabulary has them."""

    FLOAT = "float"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True, init=False)
class InputSpec:
    """One tensor that goes in.

    Args:
        shape: Its sizes, the batch first.
        kind: What its elements are.
        below: Tokens are drawn from 0 up to, and without, this number.

    Raises:
        InvalidSpecError: A size is no positive number, or it is too large.

    >>> InputSpec([2, 20]).shape
    (2, 20)
    """

    shape: tuple[int, ...]
    kind: InputKind = InputKind.FLOAT
    below: int = 10

    def __init__(
        self, shape: Iterable[int], kind: InputKind = InputKind.FLOAT, below: int = 10
    ) -> None:
        sizes = tuple(shape)
        if len(sizes) > MAX_DIMENSIONS or not all(_is_size(size, MAX_ELEMENTS) for size in sizes):
            raise InvalidSpecError("spec_input", most=MAX_ELEMENTS, dimensions=MAX_DIMENSIONS)
        if math.prod(sizes) > MAX_ELEMENTS or not _is_size(below, MAX_TOKENS):
            raise InvalidSpecError("spec_input", most=MAX_ELEMENTS, dimensions=MAX_DIMENSIONS)
        object.__setattr__(self, "shape", sizes)
        object.__setattr__(self, "kind", InputKind(kind))
        object.__setattr__(self, "below", below)

    def to_plain(self) -> dict[str, object]:
        """As JSON has it."""
        plain: dict[str, object] = {"shape": list(self.shape)}
        if self.kind is InputKind.TOKENS:
            plain |= {"kind": self.kind.value, "below": self.below}
        return plain


@dataclass(frozen=True, slots=True, init=False)
class Network:
    """A block, or a single layer, and the tensors that it is called with.

    Args:
        block: What is built; the root has no name and stands once.
        input: One or more tensors, in the order of the call.

    Raises:
        InvalidSpecError: The root is named, repeated or shared, or there are too many inputs.
    """

    block: Node
    input: tuple[InputSpec, ...]

    def __init__(self, block: Node, input: InputSpec | Iterable[InputSpec]) -> None:
        inputs = (input,) if isinstance(input, InputSpec) else tuple(input)
        if not 1 <= len(inputs) <= MAX_INPUTS:
            raise InvalidSpecError("spec_input", most=MAX_ELEMENTS, dimensions=MAX_DIMENSIONS)
        check_root(block)
        check_inputs(block, len(inputs))
        object.__setattr__(self, "block", block)
        object.__setattr__(self, "input", inputs)

    def to_plain(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "network": self.block.to_plain(),
            "input": [one.to_plain() for one in self.input],
        }

    def to_json(self) -> str:
        """As one line of JSON."""
        return json_text.write(self.to_plain())

    @classmethod
    def from_json(cls, text: str) -> "Network":
        """Read what ``to_json`` wrote; the text may come from anywhere.

        Raises:
            InvalidSpecError: It is no JSON, or not of a network.
        """
        match json_text.read(text):
            case {"network": node, "input": list(inputs), **rest} if not rest:
                if len(inputs) <= MAX_INPUTS:
                    return cls(node_from_plain(node), [_input_from_plain(one) for one in inputs])
        raise InvalidSpecError("spec_not_network")


def check_root(node: Node) -> None:
    """Refuse a node that cannot stand alone.

    Raises:
        InvalidSpecError: It is shared, repeated or named.
    """
    if isinstance(node, Shared) or node.times != 1 or node.name is not None or node.inputs:
        raise InvalidSpecError("spec_root")


def check_inputs(node: Node, count: int, path: str = "") -> None:
    """Refuse wires to inputs that a block does not have.

    Args:
        node: A node.
        count: How many inputs it is given.
        path: Where it stands.

    Raises:
        InvalidSpecError: There is one.
    """
    if not isinstance(node, Block):
        return
    for child, own in zip(node.children, node.names(), strict=True):
        below = f"{path}.{own[0]}" if path else own[0]
        for wire in child.inputs:
            if (wire.input_number or 0) > count:
                raise InvalidSpecError(
                    "spec_unknown_wire", path=below, type=type_of(child), wire=str(wire)
                )
        check_inputs(child, len(child.inputs) or 1, below)


def _input_from_plain(plain: object) -> InputSpec:
    match plain:
        case {"shape": list(shape), **rest} if not rest:
            return InputSpec(shape)
        case {"shape": list(shape), "kind": "tokens", "below": int(below), **rest} if not rest:
            return InputSpec(shape, InputKind.TOKENS, below)
    raise InvalidSpecError("spec_not_network")


def _is_size(size: object, most: int) -> bool:
    return isinstance(size, int) and not isinstance(size, bool) and 1 <= size <= most


@dataclass(slots=True)
class _Walk:
    """The nodes visited so far, in the order in which they were complete."""

    complete: dict[str, Node]
    repeated: set[str]
    shared: set[str]


def root_of(spec: Node | Network) -> Node:
    """Return the node that is built.

    Raises:
        InvalidSpecError: It cannot stand alone.
    """
    node = spec.block if isinstance(spec, Network) else spec
    if not isinstance(node, Node):
        raise InvalidSpecError("spec_not_network")
    check_root(node)
    return node


def shared_nodes(root: Node) -> dict[str, Node]:
    """Return the nodes that are shared, by path; an inner one before the one around it.

    This is the order in which a program makes them: first what it needs in several places, as
    variables, then all the rest.

    Raises:
        InvalidSpecError: A place shares what does not come before it, or what stands repeatedly.

    >>> from playground.modules.spec.nodes import Layer
    >>> list(shared_nodes(Block([Layer("ReLU"), Layer("Tanh"), Shared("0")])))
    ['0']
    """
    walk = _Walk({}, set(), set())
    _visit(root, "", False, walk)
    return {path: node for path, node in walk.complete.items() if path in walk.shared}


def _visit(node: Node, path: str, is_repeated: bool, walk: _Walk) -> None:
    if isinstance(node, Shared):
        _resolve(node, path, walk)
        return
    if isinstance(node, Block):
        for child, names in zip(node.children, node.names(), strict=True):
            for name in names:
                below = f"{path}.{name}" if path else name
                _visit(child, below, is_repeated or len(names) > 1, walk)
    if path:
        walk.complete[path] = node
        if is_repeated:
            walk.repeated.add(path)


def _resolve(node: Shared, path: str, walk: _Walk) -> None:
    if node.of not in walk.complete:
        raise InvalidSpecError("spec_unknown_shared", path=path, type="Shared", of=node.of)
    if node.of in walk.repeated:
        raise InvalidSpecError("spec_shared_repeated", path=path, type="Shared", of=node.of)
    walk.shared.add(node.of)
