"""A node with what goes into it: a network that can be built, run, saved and sent."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from playground.errors import InvalidSpecError
from playground.modules.spec import json_text
from playground.modules.spec.nodes import Node, Shared, node_from_plain

MOST_DIMENSIONS = 6
MOST_INPUTS = 4
MOST_ELEMENTS = 4_000_000  # of one input
MOST_TOKENS = 1_000_000


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
        if len(sizes) > MOST_DIMENSIONS or not all(_is_size(size, MOST_ELEMENTS) for size in sizes):
            raise InvalidSpecError("spec_input", most=MOST_ELEMENTS, dimensions=MOST_DIMENSIONS)
        if math.prod(sizes) > MOST_ELEMENTS or not _is_size(below, MOST_TOKENS):
            raise InvalidSpecError("spec_input", most=MOST_ELEMENTS, dimensions=MOST_DIMENSIONS)
        object.__setattr__(self, "shape", sizes)
        object.__setattr__(self, "kind", InputKind(kind))
        object.__setattr__(self, "below", below)

    def to_plain(self) -> dict[str, object]:
        """As JSON has it."""
        told: dict[str, object] = {"shape": list(self.shape)}
        if self.kind is InputKind.TOKENS:
            told |= {"kind": self.kind.value, "below": self.below}
        return told


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
        if not 1 <= len(inputs) <= MOST_INPUTS:
            raise InvalidSpecError("spec_input", most=MOST_ELEMENTS, dimensions=MOST_DIMENSIONS)
        check_root(block)
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
                if len(inputs) <= MOST_INPUTS:
                    return cls(node_from_plain(node), [_input_from_plain(one) for one in inputs])
        raise InvalidSpecError("spec_not_network")


def check_root(node: Node) -> None:
    """Refuse a node that cannot stand alone.

    Raises:
        InvalidSpecError: It is shared, repeated or named.
    """
    if isinstance(node, Shared) or node.times != 1 or node.name is not None:
        raise InvalidSpecError("spec_root")


def _input_from_plain(told: object) -> InputSpec:
    match told:
        case {"shape": list(shape), **rest} if not rest:
            return InputSpec(shape)
        case {"shape": list(shape), "kind": "tokens", "below": int(below), **rest} if not rest:
            return InputSpec(shape, InputKind.TOKENS, below)
    raise InvalidSpecError("spec_not_network")


def _is_size(size: object, most: int) -> bool:
    return isinstance(size, int) and not isinstance(size, bool) and 1 <= size <= most
