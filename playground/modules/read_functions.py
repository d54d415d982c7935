"""Calls of a forward that do what a layer does: ``F.max_pool2d(X, 2)`` is ``nn.MaxPool2d(2)``."""

import inspect
import operator
from collections.abc import Container, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional

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
    functional.gelu: "GELU",
    functional.silu: "SiLU",
}
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
    """
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
    name: str, given: Sequence[Any], named: Mapping[str, Any], batches: Container[Any]
) -> Layer | None:
    """Return the layer that changes a shape as a call does; None if there is none.

    Args:
        name, given, named: As in ``layer_of``.
        batches: What stands for the size of the batch.

    >>> reshaped("view", [-1, 320], {}, ()).type, reshaped("view", ["n", -1], {}, ("n",)).type
    ('Reshape', 'Flatten')
    """
    numbers = given[0] if len(given) == 1 and isinstance(given[0], tuple | list) else given
    if name == "flatten":
        start = given[0] if given else named.get("start_dim", 0)
        return Layer("Flatten", {} if start == 1 else {"start_dim": start})
    if name not in ("permute", "reshape", "view"):
        return None
    if name != "permute" and numbers and numbers[0] in batches:
        if list(numbers[1:]) == [-1]:
            return Layer("Flatten")
        numbers = [-1, *numbers[1:]]
    if not all(isinstance(number, int) for number in numbers):
        return None
    if name == "permute":
        return Layer("Permute", {"dims": tuple(numbers)})
    return Layer("Reshape", {"shape": tuple(numbers)})
