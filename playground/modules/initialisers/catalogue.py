"""The initialisers of torch.nn.init, found by looking, with what each may be given."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import nn

from playground.modules.catalogue.signatures import arguments_of
from playground.modules.catalogue.summaries import summary_of
from playground.modules.initialiser_types import Initialiser
from playground.modules.layer_types import Argument, ArgumentKind

TRIED_ON = (2, 2)


@cache
def initialisers() -> tuple[Initialiser, ...]:
    """Every public function of torch.nn.init that fills a tensor, by name.

    >>> [each.name for each in initialisers()][:3]
    ['constant_', 'dirac_', 'eye_']
    """
    return tuple(initialiser(name) for name in sorted(vars(nn.init)) if _is_initialiser(name))


@cache
def initialiser(name: str) -> Initialiser:
    """One of them.

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
