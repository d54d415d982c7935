"""What an initialiser should give on a tensor of a shape: fans, gain, distribution."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from playground.modules.distributions import (
    Distribution,
    Fixed,
    Normal,
    Orthogonal,
    Truncated,
    Uniform,
)
from playground.modules.initialiser_types import Expected, Fans
from playground.modules.initialisers.catalogue import initialiser
from playground.modules.layer_types import ArgumentKind, Value

Shape = tuple[int, ...]
Given = Mapping[str, Any]
NUMBERS = (ArgumentKind.NUMBER, ArgumentKind.INTEGER)


def fans(shape: Shape) -> Fans:
    """The fans that torch itself finds for a tensor of a shape.

    Raises:
        ValueError: It has fewer than two dimensions; in torch's words.

    >>> fans((256, 20)), fans((64, 3, 5, 5))
    (Fans(fan_in=20, fan_out=256), Fans(fan_in=75, fan_out=1600))
    """
    count = nn.init._calculate_fan_in_and_fan_out  # torch has no public name for it
    return Fans(*count(torch.empty(shape, device="meta")))


def expected(name: str, arguments: Mapping[str, Value], shape: Shape) -> Expected:
    """What should come of an initialiser that torch accepted on such a tensor.

    Args:
        name: E.g. ``"xavier_uniform_"``.
        arguments: What it is given; torch's defaults stand in for the rest.
        shape: The tensor's.

    Raises:
        TypeError, ValueError: The arguments are of no use, or the shape has no fans.

    >>> expected("kaiming_normal_", {"nonlinearity": "relu"}, (10, 8)).distribution
    Normal(centre=0.0, sigma=0.5, share=1.0)
    """
    defaults = {each.name: each.default for each in initialiser(name).arguments}
    given: Given = {**defaults, **arguments}
    for each in initialiser(name).arguments:
        is_number = isinstance(given[each.name], int | float)
        if each.kind in NUMBERS and not is_number:
            raise TypeError(f"{each.name} is no number: {given[each.name]!r}")
    rule = RULES.get(name)
    return Expected(gain=_gain(given), distribution=rule(given, shape) if rule else None)


def _gain(given: Given) -> float | None:
    if "nonlinearity" in given:
        return nn.init.calculate_gain(given["nonlinearity"], given["a"])
    return given.get("gain")


def _uniform(least: float, most: float) -> Distribution:
    return Uniform(least, most) if least < most else _constant(least)


def _normal(mean: float, std: float) -> Distribution:
    return Normal(mean, std) if std else _constant(mean)


def _constant(value: float) -> Distribution:
    return Fixed(((float(value), 1.0),))


def _xavier_std(given: Given, shape: Shape) -> float:
    found = fans(shape)
    std: float = given["gain"] * math.sqrt(2 / (found.fan_in + found.fan_out))
    return std


def _kaiming_std(given: Given, shape: Shape) -> float:
    found = fans(shape)
    fan = found.fan_in if given["mode"].lower() == "fan_in" else found.fan_out
    return (_gain(given) or 0.0) / math.sqrt(fan)


def _evenly(std: float) -> Distribution:
    bound = math.sqrt(3) * std
    return _uniform(-bound, bound)


def _truncated(given: Given, _: Shape) -> Distribution | None:
    if given["std"] <= 0 or given["a"] > given["b"]:
        return None  # torch refuses
    if given["a"] == given["b"]:
        return _constant(given["a"])
    return Truncated(given["mean"], given["std"], given["a"], given["b"])


def _orthogonal(given: Given, shape: Shape) -> Distribution:
    longer = max(shape[0], math.prod(shape[1:]))
    return Orthogonal(longer, given["gain"]) if given["gain"] else _constant(0.0)


def _sparse(given: Given, shape: Shape) -> Distribution:
    rows = shape[0]
    zeros = min(math.ceil(given["sparsity"] * rows), rows)
    if zeros == rows or not given["std"]:
        return _constant(0.0)
    return Normal(0.0, given["std"], share=1 - zeros / rows)


def _ones_among_zeros(ones: int, shape: Shape) -> Distribution:
    share = ones / math.prod(shape)
    return _constant(share) if share in (0, 1) else Fixed(((0.0, 1 - share), (1.0, share)))


def _dirac(given: Given, shape: Shape) -> Distribution:
    groups = given["groups"]
    return _ones_among_zeros(groups * min(shape[0] // groups, shape[1]), shape)


RULES: dict[str, Callable[[Given, Shape], Distribution | None]] = {
    "constant_": lambda given, _: _constant(given["val"]),
    "zeros_": lambda *_: _constant(0.0),
    "ones_": lambda *_: _constant(1.0),
    "eye_": lambda _, shape: _ones_among_zeros(min(shape), shape),
    "dirac_": _dirac,
    "uniform_": lambda given, _: _uniform(given["a"], given["b"]),
    "normal_": lambda given, _: _normal(given["mean"], given["std"]),
    "trunc_normal_": _truncated,
    "xavier_uniform_": lambda given, shape: _evenly(_xavier_std(given, shape)),
    "xavier_normal_": lambda given, shape: _normal(0.0, _xavier_std(given, shape)),
    "kaiming_uniform_": lambda given, shape: _evenly(_kaiming_std(given, shape)),
    "kaiming_normal_": lambda given, shape: _normal(0.0, _kaiming_std(given, shape)),
    "orthogonal_": _orthogonal,
    "sparse_": _sparse,
}
