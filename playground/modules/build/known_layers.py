"""Layer classes that a spec may name, and the check of their arguments."""

from functools import cache

from torch import nn

from playground.errors import InvalidSpecError
from playground.modules import catalogue
from playground.modules.catalogue.layer_classes import layer_classes
from playground.modules.catalogue.signatures import arguments_of
from playground.modules.custom import (
    MLP,
    Add,
    CausalSelfAttention,
    CenteredLayer,
    Concatenate,
    FixedHiddenMLP,
    Item,
    Multiply,
    MyLinear,
    MyLinearWithData,
    NestMLP,
    Permute,
    PositionalEmbedding,
    Reshape,
    Residual,
)
from playground.modules.layer_types import Argument
from playground.modules.spec.argument_check import check_arguments
from playground.modules.spec.nodes import Block, Layer, Node, inner_layer
from playground.modules.spec.parts import BlockKind

CUSTOM_LAYERS = (
    MLP,
    NestMLP,
    FixedHiddenMLP,
    CenteredLayer,
    MyLinear,
    MyLinearWithData,
    Item,
    Permute,
    Reshape,
    PositionalEmbedding,
    CausalSelfAttention,
)
BLOCK_CLASSES: dict[BlockKind, type[nn.Sequential]] = {
    BlockKind.SEQUENTIAL: nn.Sequential,
    BlockKind.RESIDUAL: Residual,
    BlockKind.ADD: Add,
    BlockKind.MULTIPLY: Multiply,
    BlockKind.CONCATENATE: Concatenate,
}


def layer_class(layer: Layer, path: str = "") -> type[nn.Module]:
    """Return the class that a layer names.

    Raises:
        InvalidSpecError: There is no such layer.
    """
    found = _classes().get(layer.type)
    if found is None:
        raise InvalidSpecError("spec_unknown_layer", path=path, type=layer.type)
    return found


def check_layers(node: Node, path: str = "") -> None:
    """Refuse what is no layer, and arguments that a layer does not take.

    Raises:
        InvalidSpecError: There is one; the error names it and the argument.
    """
    match node:
        case Layer():
            _check_layer(node, path)
        case Block():
            for child, names in zip(node.children, node.names(), strict=True):
                check_layers(child, f"{path}.{names[0]}" if path else names[0])


def _check_layer(layer: Layer, path: str) -> None:
    found = layer_class(layer, path)
    try:
        check_arguments(layer, _arguments(layer.type), path)
    except InvalidSpecError as error:
        if error.key != "spec_wrong_type" or found in CUSTOM_LAYERS:
            raise
        # Signatures do not show all that torch accepts; the catalogue has tested it.
        check_arguments(layer, catalogue.layer(layer.type).arguments, path)
    for _, value in layer.arguments:
        inner = inner_layer(value)
        if inner is not None:
            _check_layer(inner, path)


@cache
def _arguments(name: str) -> tuple[Argument, ...]:
    """Return the arguments of the class of a name."""
    return arguments_of(_classes()[name])


@cache
def _classes() -> dict[str, type[nn.Module]]:
    return {each.__name__: each for each in (*layer_classes(), *CUSTOM_LAYERS)}
