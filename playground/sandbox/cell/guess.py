"""Inputs to try on a module that nobody has called."""

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import nn

from playground.sandbox.module_report import InputOrigin

BATCH = 2
STEPS = 5  # of a sequence
SOME = 8  # where any size would do
MOST_LAYERS = 50  # that are looked at
SIDES = (28, 32, 8, 64, 224)  # of a picture
MOST_VARIABLES = 3
MOST_ELEMENTS = 100_000  # of a variable that is tried
LIKELY = ("X", "x", "inputs", "input", "batch", "data", "tokens")

Size = tuple[tuple[int, ...], int | None]  # and a bound, where it holds whole numbers
Guess = tuple[InputOrigin, tuple[Any, ...]]


def guesses(module: nn.Module, names: Mapping[str, Any]) -> Iterator[Guess]:
    """Inputs, the likeliest first.

    Args:
        module: The module.
        names: What the cell has bound.
    """
    count = _inputs_of(module)
    if count is None:
        return
    if count == 0:
        yield InputOrigin.GUESSED, ()
        return
    for tensor in _variables(names):
        yield InputOrigin.VARIABLE, (tensor,) * count
    seed = torch.Generator().manual_seed(0)
    for shape, most in _shapes(module):
        if most is None:
            made = torch.rand(shape, generator=seed, device="cpu")
        else:
            made = torch.randint(max(1, most), shape, generator=seed, device="cpu")
        yield InputOrigin.GUESSED, (_beside(made, module),) * count


def _inputs_of(module: nn.Module) -> int | None:
    """How many inputs its forward needs; None where that cannot be told."""
    try:
        parameters = inspect.signature(module.forward).parameters.values()
    except (ValueError, TypeError):
        return None
    if any(each.kind is each.KEYWORD_ONLY and each.default is each.empty for each in parameters):
        return None
    needed = [
        each
        for each in parameters
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        and each.default is each.empty
    ]
    takes_any = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    return len(needed) or int(takes_any or bool(list(parameters)))


def _variables(names: Mapping[str, Any]) -> list[torch.Tensor]:
    tensors = {
        name: value
        for name, value in names.items()
        if type(value) is torch.Tensor and 0 < value.numel() <= MOST_ELEMENTS and value.dim()
    }
    ordered = [*(name for name in LIKELY if name in tensors), *tensors]
    return [tensors[name].detach() for name in dict.fromkeys(ordered)][:MOST_VARIABLES]


def _shapes(module: nn.Module) -> Iterator[Size]:
    """After the first layer that says what it takes, else after the first parameter."""
    for layer in itertools.islice(module.modules(), MOST_LAYERS):
        for kinds, sizes in TAKEN:
            if isinstance(layer, kinds):
                yield from sizes(layer)
                return
    for parameter in module.parameters():
        if parameter.dim():
            for size in dict.fromkeys((parameter.shape[0], parameter.shape[-1])):
                yield (BATCH, size), None
            return
    yield (BATCH, 4), None


def _of_linear(layer: Any) -> list[Size]:
    size = layer.in_features or SOME
    return [((BATCH, size), None), ((BATCH, STEPS, size), None)]


def _of_convolution(layer: Any) -> list[Size]:
    channels, dimensions = layer.in_channels or 1, len(layer.kernel_size)
    return [((BATCH, channels, *(side,) * dimensions), None) for side in SIDES]


def _of_batch_norm(layer: Any) -> list[Size]:
    size = layer.num_features or SOME
    return [((BATCH, size), None), ((BATCH, size, SOME, SOME), None)]


TAKEN: tuple[tuple[tuple[type, ...], Callable[[Any], list[Size]]], ...] = (
    (
        (nn.Embedding, nn.EmbeddingBag),
        lambda layer: [((BATCH, STEPS), layer.num_embeddings)],
    ),
    ((nn.Linear,), _of_linear),
    ((nn.RNNBase,), lambda layer: [((BATCH, STEPS, layer.input_size), None)]),
    ((nn.modules.conv._ConvNd,), _of_convolution),
    ((nn.modules.batchnorm._BatchNorm,), _of_batch_norm),
    ((nn.LayerNorm,), lambda layer: [((BATCH, *layer.normalized_shape), None)]),
    (
        (nn.TransformerEncoderLayer,),
        lambda layer: [((BATCH, STEPS, layer.self_attn.embed_dim), None)],
    ),
)


def _beside(tensor: torch.Tensor, module: nn.Module) -> torch.Tensor:
    """On the device of the module, and in its dtype."""
    parameter = next(iter(module.parameters()), None)
    if parameter is None:
        return tensor
    is_plain = tensor.is_floating_point() and parameter.is_floating_point()
    return tensor.to(parameter.device, parameter.dtype if is_plain else tensor.dtype)
