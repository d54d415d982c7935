"""A network whose shapes are left to the first batch: each layer that can wait, made lazy."""

from collections.abc import Callable, Iterator
from enum import StrEnum, unique

from playground.modules.spec.network import Network
from playground.modules.spec.nodes import Block, Layer, Node
from playground.modules.spec.sharing import root_of

LAZY = "Lazy"
WITHOUT = {  # what a layer is told, and its lazy twin finds out
    "Linear": "in_features",
    **{f"Conv{n}d": "in_channels" for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": "in_channels" for n in (1, 2, 3)},
    **{f"BatchNorm{n}d": "num_features" for n in (1, 2, 3)},
    **{f"InstanceNorm{n}d": "num_features" for n in (1, 2, 3)},
}


@unique
class Which(StrEnum):
    """Which of the layers that can be lazy are made so."""

    ALL = "all"
    FIRST = "first"
    LAST = "last"


def can_wait(node: Node) -> bool:
    """Whether a node is a layer that has a lazy twin."""
    return isinstance(node, Layer) and node.type in WITHOUT


def postponed(network: Network, which: Which = Which.ALL) -> Network:
    """The same network with its layers made lazy; what has no lazy twin stays as it is.

    >>> from playground.modules.spec import InputSpec
    >>> linear = Layer("Linear", {"in_features": 20, "out_features": 256})
    >>> postponed(Network(linear, InputSpec((2, 20)))).block
    Layer(type='LazyLinear', arguments=(('out_features', 256),), name=None, times=1)
    """
    count = _count(network.block)
    chosen = {Which.ALL: range(count), Which.FIRST: (0,), Which.LAST: (count - 1,)}[which]
    numbers = iter(range(count))

    def change(node: Layer) -> Layer:
        return lazy_twin(node) if next(numbers) in chosen else node

    return Network(_changed(network.block, change), network.input)


def lazy_twin(layer: Layer) -> Layer:
    """The layer that finds its input size out by itself."""
    gone = WITHOUT[layer.type]
    kept = [(name, value) for name, value in layer.arguments if name != gone]
    return Layer(f"{LAZY}{layer.type}", kept, name=layer.name, times=layer.times)


def lazy_paths(network: Network) -> tuple[str, ...]:
    """Where lazy layers stand, in the order of construction, each copy for itself."""
    return tuple(
        path
        for path, node in placed(network)
        if isinstance(node, Layer) and node.type.startswith(LAZY)
    )


def placed(spec: Node | Network) -> Iterator[tuple[str, Node]]:
    """Every layer with its path; of copies, each. What is used again comes once."""
    yield from _placed(root_of(spec), "")


def _placed(node: Node, path: str) -> Iterator[tuple[str, Node]]:
    match node:
        case Layer():
            yield path, node
        case Block():
            for child, names in zip(node.children, node.names(), strict=True):
                for name in names:
                    yield from _placed(child, f"{path}.{name}" if path else name)


def _count(node: Node) -> int:
    """How many layers can wait, copies not counted: they are made lazy together."""
    inner = node.children if isinstance(node, Block) else ()
    return can_wait(node) + sum(map(_count, inner))


def _changed(node: Node, change: Callable[[Layer], Layer]) -> Node:
    match node:
        case Layer() if can_wait(node):
            return change(node)
        case Block():
            children = [_changed(child, change) for child in node.children]
            return Block(children, kind=node.kind, name=node.name, times=node.times)
    return node
