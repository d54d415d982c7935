"""Arguments and inputs with which a layer works, found by smoke tests."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from torch import nn

from playground.modules.catalogue.smoke_test import (
    FEATURES,
    MAX_TOKENS,
    Pairs,
    SmokeTest,
    inputs_by_rank,
)
from playground.modules.layer_types import Argument, ArgumentKind, ExampleInput, Value

# What a reader would write for a required argument of this name; the first that works is taken.
FIRST_CHOICES: dict[str, tuple[Value, ...]] = {
    "kernel_size": (3, 2),
    "output_size": (4,),
    "padding": (1,),
    "dim": (1,),
    "size": (5,),
    "num_heads": (2,),
    "nhead": (2,),
    "num_groups": (2,),
    "groups": (2,),
    "upscale_factor": (2,),
    "downscale_factor": (2,),
    "num_layers": (2,),
    "unflattened_size": ((4, 4),),
}
OPTIONAL_CHOICES: dict[str, Value] = {"dim": -1, "output_size": 4}
ENOUGH_LAYERS = 2  # of a stack whose size has a default
DIMENSIONS = re.compile(r"([123])d$")


@dataclass(frozen=True, slots=True)
class Example:
    """Arguments, and for each number of dimensions inputs, with which a layer ran."""

    pairs: Pairs
    by_rank: dict[int, tuple[ExampleInput, ...]]
    inputs: tuple[ExampleInput, ...]


def example_of(
    module_class: type[nn.Module], arguments: tuple[Argument, ...], nested: dict[str, Pairs]
) -> Example | None:
    """Find arguments and inputs that a layer takes, and takes without a warning.

    Args:
        module_class: A class with a forward.
        arguments: What its constructor takes.
        nested: The example arguments of layers that it may be given as an argument.
    """
    for pairs in _candidates(arguments, nested):
        by_rank = inputs_by_rank(module_class, pairs)
        if by_rank:
            inputs = by_rank[_usual_rank(module_class, tuple(by_rank))]
            return Example(pairs, by_rank, _with_bounds(module_class, pairs, inputs))
    return None


def _candidates(arguments: tuple[Argument, ...], nested: dict[str, Pairs]) -> Iterator[Pairs]:
    """Yield the required arguments, then also with one optional argument changed."""
    required = [each for each in arguments if each.is_required]
    optional = [each for each in arguments if not each.is_required]
    steps_by_size = any(each.name == "stride" and each.default is None for each in optional)
    values = [_values(each, nested, steps_by_size=steps_by_size) for each in required]
    small = tuple(
        (each.name, enough)
        for each in optional
        if isinstance(each.default, int) and each.default > (enough := _enough(each))
    )
    open_ends = [
        each for each in optional if each.default is None or each.kind == ArgumentKind.SWITCH
    ]
    for other in (None, *open_ends):
        changed = () if other is None else ((other.name, other_value(other)),)
        for chosen in product(*values):
            pairs = zip((each.name for each in required), chosen, strict=True)
            yield (*pairs, *small, *changed)


def _values(
    argument: Argument, nested: dict[str, Pairs], *, steps_by_size: bool
) -> tuple[Value, ...]:
    """Return the values to try for a required argument."""
    if argument.module_type is not None:
        return ((argument.module_type, nested[argument.module_type]),)
    if argument.kind in (ArgumentKind.NUMBER, ArgumentKind.NUMBERS):
        return (0.0, 2.0)  # a threshold, a constant; or the exponent of a norm
    if argument.name == "kernel_size" and steps_by_size:
        return (2,)  # as pooling does, whose windows lie side by side
    return FIRST_CHOICES.get(argument.name, (FEATURES,))


def other_value(argument: Argument) -> Value:
    """Return a value other than the default of an optional argument."""
    match argument.kind:
        case ArgumentKind.SWITCH:
            return not argument.default
        case ArgumentKind.NUMBER | ArgumentKind.NUMBERS:
            return 0.5
        case _:
            return OPTIONAL_CHOICES.get(argument.name, FEATURES)


def _enough(argument: Argument) -> int:
    """Return the largest useful value of an optional integer; larger ones make slow examples."""
    is_stack = argument.name.startswith("num_") and argument.name.endswith("_layers")
    return ENOUGH_LAYERS if is_stack else FEATURES


def _usual_rank(module_class: type[nn.Module], ranks: tuple[int, ...]) -> int:
    """Return the rank of a batch among the ranks that a layer takes.

    The end of a name, as in ``Conv2d``, gives the dimensions beside batch and channels; otherwise
    a batch has one dimension more than the least that will do.
    """
    named = DIMENSIONS.search(module_class.__name__)
    wanted = int(named[1]) + 2 if named else min(ranks) + 1
    return wanted if wanted in ranks else max(ranks)


def _with_bounds(
    module_class: type[nn.Module], pairs: Pairs, inputs: tuple[ExampleInput, ...]
) -> tuple[ExampleInput, ...]:
    """Set the upper bound of integer inputs, by finding the first value that is refused."""
    if not any(each.is_integer for each in inputs):
        return inputs
    smoke_test = SmokeTest(module_class, pairs)
    upper = bisect_left(
        range(MAX_TOKENS), True, key=lambda token: smoke_test.answer(inputs, token) is None
    )
    return tuple(replace(each, upper=upper) if each.is_integer else each for each in inputs)
