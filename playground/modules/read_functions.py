"""Calls of a forward that do what a layer does: ``F.max_pool2d(X, 2)`` is ``nn.MaxPool2d(2)``."""

import inspect
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from playground.modules.forward_tracer import BatchSize
from playground.modules.spec.nodes import Layer

JOINS = {
    operator.add: "add",
    operator.iadd: "add",
    torch.add: "add",
    operator.mul: "multiply",
    operator.imul: "multiply",
    torch.mul: "multiply",
    torch.cat: "concatenate",
    torch.concat: "concatenate",
}
FUNCTIONS = {  # without arguments
    torch.relu: "ReLU",
    functional.relu: "ReLU",
    torch.tanh: "Tanh",
    torch.sigmoid: "Sigmoid",
    functional.sigmoid: "Sigmoid",
    functional.silu: "SiLU",
    functional.mish: "Mish",
    functional.selu: "SELU",
}
UNCHANGED = ("contiguous", "to", "type", "type_as", "float", "cpu")  # where nothing is to be done
METHODS = {"relu": "ReLU", "tanh": "Tanh", "sigmoid": "Sigmoid"}
POOL = ("kernel_size", "stride", "padding")
ARGUED: dict[str, tuple[str, tuple[str, ...]]] = {  # the layer, and its arguments in their order
    **{f"max_pool{n}d": (f"MaxPool{n}d", (*POOL, "dilation")) for n in (1, 2, 3)},
    **{f"avg_pool{n}d": (f"AvgPool{n}d", POOL) for n in (1, 2, 3)},
    **{f"adaptive_avg_pool{n}d": (f"AdaptiveAvgPool{n}d", ("output_size",)) for n in (1, 2, 3)},
    "softmax": ("Softmax", ("dim",)),
    "log_softmax": ("LogSoftmax", ("dim",)),
    "leaky_relu": ("LeakyReLU", ("negative_slope",)),
    "elu": ("ELU", ("alpha",)),
    "gelu": ("GELU", ("approximate",)),
    "softplus": ("Softplus", ("beta", "threshold")),
    "dropout": ("Dropout", ("p",)),
}


def layer_of(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Layer | None:
    """Return the layer that does what a function of torch does; None if there is none.

    Args:
        name: Of the function.
        given: What follows its input.
        named: Its keyword arguments.

    >>> layer_of("max_pool2d", [2], {"ceil_mode": False}).keywords
    {'kernel_size': 2}
    >>> layer_of("dropout", [0.5], {}) is None  # not off in eval mode
    True
    >>> layer_of("pad", [[1, 1, 2, 2]], {}).type
    'ZeroPad2d'
    """
    if name == "pad" and len(given) == 1 and named in ({}, {"mode": "constant", "value": None}):
        return Layer(f"ZeroPad{len(given[0]) // 2}d", {"padding": tuple(given[0])})
    if name not in ARGUED or len(given) > len(ARGUED[name][1]):
        return None
    if name == "dropout" and named.get("training") is not True:
        return None
    kind, order = ARGUED[name]
    defaults = inspect.signature(getattr(nn, kind)).parameters
    arguments = {**dict(zip(order, given, strict=False)), **named}
    kept = {
        argument: tuple(value) if isinstance(value, list) else value
        for argument, value in arguments.items()
        if argument in defaults and value != defaults[argument].default
    }
    return Layer(kind, kept)


def reshaped(
    name: str, given: Sequence[Any], named: Mapping[str, Any], before: Any, after: Any
) -> Layer | None:
    """Return the layer that changes a shape as a call does; None if there is none.

    Args:
        name, given, named: As in ``layer_of``.
        before: A tensor that the call may be given; None where no value is known.
        after: What it then returns.

    >>> reshaped("view", [-1, 320], {}, None, None).type
    'Reshape'
    >>> X = torch.zeros(2, 3, 4)
    >>> reshaped("transpose", [1, 2], {}, X, X.mT), reshaped("flatten", [1], {}, X, None)
    (Layer(type='Permute', arguments=(('dims', (0, 2, 1)),), name=None, times=1, inputs=()), \
Layer(type='Flatten', arguments=(), name=None, times=1, inputs=()))
    """
    if name == "flatten":
        start = given[0] if given else named.get("start_dim", 0)
        end = given[1] if len(given) > 1 else named.get("end_dim", -1)
        held = {} if start == 1 else {"start_dim": start}
        return Layer("Flatten", held if end == -1 else {**held, "end_dim": end})
    if name in ("unsqueeze", "squeeze") and isinstance(after, Tensor):
        keeps = before.shape[:1] == after.shape[:1]
        return Layer("Reshape", {"shape": (-1, *after.shape[1:]) if keeps else tuple(after.shape)})
    if name in ("transpose", "swapaxes") and len(given) == 2 and isinstance(before, Tensor):
        dims = list(range(before.dim()))
        one, other = given
        dims[one], dims[other] = dims[other], dims[one]
        return Layer("Permute", {"dims": tuple(dims)})
    numbers = given[0] if len(given) == 1 and isinstance(given[0], tuple | list) else given
    if name not in ("permute", "reshape", "view") or named:
        return None
    if not numbers or not all(isinstance(number, int) for number in numbers):
        return None
    if name == "permute":
        return Layer("Permute", {"dims": tuple(numbers)})
    if not isinstance(numbers[0], BatchSize):
        return Layer("Reshape", {"shape": tuple(map(int, numbers))})
    if list(numbers[1:]) == [-1]:
        return Layer("Flatten")
    sizes = after.shape if isinstance(after, Tensor) else numbers
    return Layer("Reshape", {"shape": (-1, *map(int, sizes[1:]))})
