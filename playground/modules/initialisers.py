"""The initialisers of the installed torch.nn.init: arguments, expected values, measured samples.

The records are in ``playground.modules.initialiser_types``, which is free of torch.
"""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from playground.modules.catalogue.layer_classes import summary_of
from playground.modules.catalogue.signatures import arguments_of
from playground.modules.distributions import (
    Distribution,
    Fixed,
    Normal,
    Orthogonal,
    Points,
    Span,
    Truncated,
    Uniform,
)
from playground.modules.initialiser_types import Expected, Fans, Initialiser, Sample
from playground.modules.layer_types import Argument, ArgumentKind, Value

TRIED_ON = (2, 2)


@cache
def initialisers() -> tuple[Initialiser, ...]:
    """Return every public function of torch.nn.init that fills a tensor, by name.

    >>> [each.name for each in initialisers()][:3]
    ['constant_', 'dirac_', 'eye_']
    """
    return tuple(initialiser(name) for name in sorted(vars(nn.init)) if _is_initialiser(name))


@cache
def initialiser(name: str) -> Initialiser:
    """Return one initialiser.

    Raises:
        KeyError: torch.nn.init has none of this name.

    >>> [(each.name, each.default) for each in initialiser("normal_").arguments]
    [('mean', 0.0), ('std', 1.0)]
    """
    if not _is_initialiser(name):
        raise KeyError(name)
    function = getattr(nn.init, name)
    # The tensor stands where a constructor has self, and the rest is read as a layer's is.
    like_a_layer = type(name, (nn.Module,), {"__init__": function, "__doc__": function.__doc__})
    arguments = arguments_of(like_a_layer)
    return Initialiser(
        name=name,
        summary=summary_of(like_a_layer),
        arguments=tuple(_tried(function, each) for each in arguments),
    )


def _is_initialiser(name: str) -> bool:
    function = getattr(nn.init, name, None)
    return inspect.isfunction(function) and name.endswith("_") and not name.startswith("_")


def _tried(function: Callable[..., Any], argument: Argument) -> Argument:
    """Keep the words that torch accepts; an annotation may list some that it refuses."""
    if argument.kind is not ArgumentKind.CHOICE:
        return argument
    choices = tuple(word for word in argument.choices if _takes(function, argument.name, word))
    return replace(argument, choices=choices)


def _takes(function: Callable[..., Any], name: str, word: str) -> bool:
    with torch.random.fork_rng(devices=[]):
        try:
            function(torch.empty(TRIED_ON), **{name: word})
        except ValueError:
            return False
    return True


Shape = tuple[int, ...]
Given = Mapping[str, Any]
NUMBERS = (ArgumentKind.NUMBER, ArgumentKind.INTEGER)


def fans(shape: Shape) -> Fans:
    """Return the fans that torch itself finds for a tensor of a shape.

    Raises:
        ValueError: It has fewer than two dimensions; in torch's words.

    >>> fans((256, 20)), fans((64, 3, 5, 5))
    (Fans(fan_in=20, fan_out=256), Fans(fan_in=75, fan_out=1600))
    """
    count = nn.init._calculate_fan_in_and_fan_out  # torch has no public name for it
    return Fans(*count(torch.empty(shape, device="meta")))


def expected(name: str, arguments: Mapping[str, Value], shape: Shape) -> Expected:
    """Return the gain and the distribution that an initialiser should give on such a tensor.

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


BINS = 61  # odd, so that the middle one holds the middle


def sample(values: Tensor, points: Points = (), *, bins: int = BINS) -> Sample:
    """Measure a tensor.

    Args:
        values: Floats, at least one, all finite.
        points: Values that are expected exactly; their shares are measured.
        bins: How many intervals of equal width the histogram has.

    >>> sample(torch.tensor([0.0, 0.0, 1.0, 3.0]), bins=3).counts
    (2, 1, 1)
    """
    flat = values.detach().reshape(-1)
    least, most = (each.item() for each in flat.aminmax())
    low, high = _room(least, most)
    count = flat.numel()
    mean = flat.mean().item()
    std = None
    if count > 1:
        spread, middle = torch.std_mean(flat)
        std, mean = spread.item(), middle.item()
    edges = torch.linspace(low, high, bins + 1, dtype=torch.float64)
    return Sample(
        shape=tuple(values.shape),
        count=count,
        mean=mean,
        std=std,
        least=least,
        most=most,
        zero_fraction=1 - int(flat.count_nonzero()) / count,
        counts=tuple(int(each) for each in torch.histc(flat, bins, low, high).tolist()),
        edges=tuple(edges.tolist()),
        points=tuple((value, _share(flat, value)) for value, _ in points),
    )


def _room(least: float, most: float) -> Span:
    """Return the range of the values, or an interval around the only one."""
    if least < most:
        return (least, most)
    around = abs(least) / 2 or 0.5
    return (least - around, most + around)


def _share(flat: Tensor, value: float) -> float:
    """Return the share of this value in the tensor's dtype, within rounding."""
    wanted = torch.tensor(value, dtype=flat.dtype)
    tolerance = math.sqrt(torch.finfo(flat.dtype).eps) * abs(value)
    return int(((flat - wanted).abs() <= tolerance).sum()) / flat.numel()
