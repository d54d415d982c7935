"""Replaces the layers of a network by their lazy versions."""

from collections.abc import Iterator
from dataclasses import replace

from playground.modules.spec.network import Network, root_of
from playground.modules.spec.nodes import Block, Layer, Node

LAZY = "Lazy"
WITHOUT = {  # the argument that the lazy version infers
    "Linear": "in_features",
    **{f"Conv{n}d": "in_channels" for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": "in_channels" for n in (1, 2, 3)},
    **{f"BatchNorm{n}d": "num_features" for n in (1, 2, 3)},
    **{f"InstanceNorm{n}d": "num_features" for n in (1, 2, 3)},
}


def can_wait(node: Node) -> bool:
    """Return whether a node is a layer that has a lazy twin."""
    return isinstance(node, Layer) and node.type in WITHOUT


def postponed(network: Network) -> Network:
    """Return the network with lazy layers; a layer without a lazy version stays as it is.

    >>> from playground.modules.spec import InputSpec
    >>> linear = Layer("Linear", {"in_features": 20, "out_features": 256})
    >>> postponed(Network(linear, InputSpec((2, 20)))).block.type
    'LazyLinear'
    """
    return Network(_changed(network.block), network.input)


def lazy_twin(layer: Layer) -> Layer:
    """Return the lazy version of a layer, which infers its input size."""
    gone = WITHOUT[layer.type]
    kept = [(name, value) for name, value in layer.arguments if name != gone]
    return replace(layer, type=f"{LAZY}{layer.type}", arguments=tuple(kept))


def lazy_paths(network: Network) -> tuple[str, ...]:
    """Return the paths of lazy layers, in the order of construction, each copy separately."""
    return tuple(
        path
        for path, node in placed(network)
        if isinstance(node, Layer) and node.type.startswith(LAZY)
    )


def placed(spec: Node | Network) -> Iterator[tuple[str, Node]]:
    """Yield every layer with its path; each copy separately, a shared layer once."""
    yield from _placed(root_of(spec), "")


def _placed(node: Node, path: str) -> Iterator[tuple[str, Node]]:
    match node:
        case Layer():
            yield path, node
        case Block():
            for child, names in zip(node.children, node.names(), strict=True):
                for name in names:
                    yield from _placed(child, f"{path}.{name}" if path else name)


def _changed(node: Node) -> Node:
    match node:
        case Layer() if can_wait(node):
            return lazy_twin(node)
        case Block():
            return replace(node, children=tuple(_changed(child) for child in node.children))
    return node
