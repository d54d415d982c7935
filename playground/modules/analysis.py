"""Builds a network and runs it once: its trace, its parameters, its memory, and fixes."""

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from torch import nn
from torch.nn.parameter import is_lazy

from playground.errors import InvalidSpecError
from playground.modules import catalogue
from playground.modules.build import build, draw_inputs
from playground.modules.build.known_layers import CUSTOM_LAYERS
from playground.modules.catalogue.layer_classes import summary_of
from playground.modules.catalogue.signatures import arguments_of
from playground.modules.fix_candidates import bilinear_sizes
from playground.modules.fixes import fixes
from playground.modules.layer_types import Group, LayerType, Value
from playground.modules.memory import training_memory
from playground.modules.spec import edit
from playground.modules.spec.addresses import Address, path_at
from playground.modules.spec.network import Network
from playground.modules.spec.nodes import Block, Layer, Node
from playground.modules.trace import trace_forward
from playground.modules.trace_types import ForwardTrace
from playground.modules.workbench_types import Analysis

FEATURES = 20  # of the lessons' blocks that have any
EXAMPLES: dict[str, Value] = {"dims": (0, 2, 1), "shape": (-1, FEATURES), "num_heads": 4}
SMALL = 10_000_000  # multiply-adds and values of one forward
MAX_FITS = 2  # a layer may have more than one size to follow


def list_layers() -> tuple[LayerType, ...]:
    """Return the layers of torch.nn that can be called, and the lessons' own."""
    containers = Group.CONTAINERS
    torchs = (x for x in catalogue.layers() if x.example_inputs and x.group is not containers)
    return (*torchs, *map(_own, CUSTOM_LAYERS))


def _own(kind: Any) -> LayerType:
    arguments = arguments_of(kind)
    required = (each.name for each in arguments if each.is_required)
    return LayerType(
        name=kind.__name__,
        group=Group.CUSTOM,
        summary=summary_of(kind),
        arguments=arguments,
        example_arguments=tuple((name, EXAMPLES.get(name, FEATURES)) for name in required),
        is_chainable=True,
    )


def analyze(text: str, fit: str = "", optimizer: str = "adam", dtype: str = "float32") -> Analysis:
    """Build a network, run it once, and look for fixes.

    Args:
        text: The network as JSON.
        fit: The addresses of layers that were just put in: ``"0.1 0.2"``.
        optimizer: For the memory of training.
        dtype: For the memory of training.

    Raises:
        InvalidSpecError: It cannot be built, or is too large.
    """
    network = Network.from_json(text)
    addresses = [tuple(int(part) for part in each.split(".")) for each in fit.split()]
    network, net, trace = _fitted(network, addresses)
    counted = tuple(_parameters(net))
    try:
        built = net if _is_small(trace) else None
        memory = training_memory(network, optimizer=optimizer, dtype=dtype, built=built)
    except InvalidSpecError:
        memory = None
    return Analysis(
        network=network.to_json(),
        trace=trace,
        parameters=counted,
        fixes=fixes(network, trace, traced),
        memory=memory,
    )


def _fitted(network: Network, addresses: list[Address]) -> tuple[Network, nn.Module, ForwardTrace]:
    """Fit the sizes of new layers to their inputs; then build and run the network."""
    net, trace = _run(network)
    root = network.block
    for _ in range(MAX_FITS * len(addresses)):
        places = {path_at(root, each): each for each in addresses if _has(root, each)}  # type: ignore[arg-type]  # it has them
        place = places.get(trace.failed_at or "")
        node = edit.node_at(root, place) if place and isinstance(root, Block) else None
        if not isinstance(node, Layer) or place is None or not isinstance(root, Block):
            break
        advice, pair = trace.suggestion, bilinear_sizes(node, trace)
        if pair is not None:
            root = edit.set_arguments(root, place, pair[1])
        elif advice is not None and advice.argument is not None:
            fitted = {**node.keywords, advice.argument: advice.value}
            root = edit.set_arguments(root, place, fitted)
        else:
            break
        network = Network(root, network.input)
        net, trace = _run(network)
    return network, net, trace


def _has(root: Node, address: Address) -> bool:
    return isinstance(root, Block) and edit.has(root, address)


def _run(network: Network) -> tuple[nn.Module, ForwardTrace]:
    net = build(network, 0)
    return net, trace_forward(net, *draw_inputs(network.input))


def _is_small(trace: ForwardTrace) -> bool:
    """Return whether the network runs, in so little time and memory that it may run once more."""
    made = sum(math.prod(shape) for row in trace.rows for shape in row.output_shapes)
    return trace.outcome.ok and (trace.multiply_adds or 0) + made < SMALL


@lru_cache(maxsize=64)
def traced(network: Network) -> ForwardTrace:
    """Build a network, and return the trace of one forward pass.

    Raises:
        InvalidSpecError: It cannot be built, or is too large.
    """
    return _run(network)[1]


def _parameters(net: nn.Module) -> Iterator[tuple[str, int]]:
    """Yield for each module, by every one of its paths, how many trainable values are in it."""
    for path, module in net.named_modules(remove_duplicate=False):
        own = [each for each in module.parameters() if each.requires_grad and not is_lazy(each)]
        yield path, sum(each.numel() for each in own)
