"""Constructs a network as its program does: the same modules, in the same order."""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from functools import lru_cache

import torch
from torch import Tensor, nn

from playground.compute.settings import check_within
from playground.errors import InvalidSpecError
from playground.modules.build.known_layers import BLOCK_CLASSES, check_layers, layer_class
from playground.modules.build.size import MAX_PARAMETERS, check_parameters, measure
from playground.modules.build.wired import Wired
from playground.modules.spec.network import InputKind, InputSpec, Network, root_of, shared_nodes
from playground.modules.spec.nodes import Block, Layer, Node, inner_layer
from playground.modules.spec.parts import Shared, Value

MIN_SEED, MAX_SEED = -(2**63), 2**64 - 1  # what torch.manual_seed takes


def build(
    spec: Node | Network,
    seed: int = 0,
    *,
    device: str = "cpu",
    inputs: Iterable[InputSpec] | None = None,
) -> nn.Module:
    """Build the module that a spec describes.

    Every number is drawn as by ``torch.manual_seed(seed)`` followed by the program that
    ``source.as_sequential`` writes. So torch's global generator is seeded, and goes on from there.

    Args:
        spec: A layer, a block, or a network with its inputs.
        seed: Of torch's generator.
        device: Where the module is moved once it is made.
        inputs: What it will be called with, to know how large its activations are before they
            take memory; a ``Network`` has its own.

    Raises:
        InvalidSettingError: Torch's generator takes no such seed.
        InvalidSpecError: It cannot be made, or is too large; before any memory is taken.

    >>> build(Block([Layer.of("Linear", in_features=2, out_features=1), Layer("ReLU")]))
    Sequential(
      (0): Linear(in_features=2, out_features=1, bias=True)
      (1): ReLU()
    )
    """
    root = root_of(spec)
    if inputs is None and isinstance(spec, Network):
        inputs = spec.input
    check_within("seed", seed, least=MIN_SEED, most=MAX_SEED)
    check_layers(root)
    called_with = None if inputs is None else tuple(inputs)
    check_size(root, called_with, repr(root), torch.get_default_dtype())
    torch.manual_seed(seed)
    return assembled(root).to(device)


@lru_cache(maxsize=128)
def check_size(
    root: Node, inputs: tuple[InputSpec, ...] | None, _text: str, _dtype: torch.dtype
) -> None:
    """Refuse what is too large; what was found to fit is not measured again.

    The text distinguishes equal values of different types, such as 1 and 1.0; the data type decides
    how many bytes a number takes.
    """
    measure(lambda: assembled(root), inputs)


def draw_inputs(inputs: Iterable[InputSpec]) -> tuple[Tensor, ...]:
    """Draw what goes into a network from torch's generator, as the program does."""
    return tuple(
        torch.randint(one.below, one.shape)
        if one.kind is InputKind.TOKENS
        else torch.randn(one.shape)
        for one in inputs
    )


def assembled(root: Node) -> nn.Module:
    """Construct the modules of a spec on the default device."""
    made: dict[str, nn.Module] = {}
    for path, node in shared_nodes(root).items():
        made[path] = _made(node, path, made)
    return _made(root, "", made)


def _made(node: Node, path: str, made: dict[str, nn.Module]) -> nn.Module:
    if path in made:
        return made[path]
    match node:
        case Layer():
            return _layer(node, path)
        case Shared():
            return made[node.of]
        case Block():
            children = OrderedDict(_children(node, path, made))
            return Wired(children, node) if node.is_wired else BLOCK_CLASSES[node.kind](children)


def _children(
    block: Block, path: str, made: dict[str, nn.Module]
) -> Iterator[tuple[str, nn.Module]]:
    for child, names in zip(block.children, block.names(), strict=True):
        for name in names:
            yield name, _made(child, f"{path}.{name}" if path else name, made)


def _layer(layer: Layer, path: str) -> nn.Module:
    found = layer_class(layer, path)
    given = {name: _given(value, path) for name, value in layer.arguments}
    try:
        made = found(**given)
        check_parameters(made)
    except Exception as error:
        raise refusal(error, layer, path) from error
    return made


def _given(value: Value, path: str) -> "Value | nn.Module":
    inner = inner_layer(value)
    return value if inner is None else _layer(inner, path)


MAX_CHARACTERS = 300


def refusal(error: Exception, layer: Layer, path: str) -> InvalidSpecError:
    """Return the refusal with the layer, and the argument where torch's message names one.

    >>> error = ValueError("in_channels must be divisible by groups")
    >>> refusal(error, Layer.of("Conv2d", groups=3), "0").values["argument"]
    'groups'
    """
    if isinstance(error, InvalidSpecError) and error.key != "spec_too_many_parameters":
        given, most = error.values["given"], error.values["most"]
        return InvalidSpecError(error.key, path=path, type=layer.type, given=given, most=most)
    if isinstance(error, InvalidSpecError):
        return _too_large(layer, path, error.values["given"])
    text = " ".join(str(error).split())[:MAX_CHARACTERS] or type(error).__name__
    if "overflow" in text:  # of the memory's size in bytes
        return _too_large(layer, path, "2 ** 63")
    words = set(re.findall(r"-?[\w.]+", text))
    named = [name for name in layer.keywords if name in words] or [
        name for name, value in layer.arguments if repr(value) in words
    ]
    if len(named) > 1:  # of several numbers the one that is odd
        odd = {name for name, value in layer.arguments if _is_below_one(value)}
        named = [name for name in named if name in odd] or named
    if not named and "zero" in words:
        named = [name for name, value in layer.arguments if value == 0 and value is not False]
    return InvalidSpecError(
        "spec_refused", path=path, type=layer.type, argument=", ".join(named), text=text
    )


def _too_large(layer: Layer, path: str, given: object) -> InvalidSpecError:
    sizes = {name: _largest(value) for name, value in layer.arguments if _largest(value)}
    return InvalidSpecError(
        "spec_too_many_parameters",
        path=path,
        type=layer.type,
        argument=max(sizes, key=sizes.__getitem__, default=""),
        given=given,
        most=MAX_PARAMETERS,
    )


def _is_below_one(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value <= 0


def _largest(value: Value) -> int:
    """Return the largest integer in a value; 0 where there is none."""
    if isinstance(value, tuple):
        return max(map(_largest, value), default=0)
    return value if isinstance(value, int) else 0
