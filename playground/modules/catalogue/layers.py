"""The catalogue: one record for each layer of the installed torch.nn."""

from dataclasses import replace
from functools import cache

import torch
from torch import nn

from playground.modules.catalogue.accepted_arguments import complete_argument
from playground.modules.catalogue.examples import example_of
from playground.modules.catalogue.layer_classes import (
    group_of,
    has_forward,
    is_container,
    is_lazy,
    layer_classes,
    summary_of,
)
from playground.modules.catalogue.signatures import arguments_of
from playground.modules.catalogue.smoke_test import SmokeTest, quiet_torch
from playground.modules.layer_types import Group, LayerType


@cache
def layers() -> tuple[LayerType, ...]:
    """Return every layer of torch.nn that can stand in a network, by group, then by name.

    They are read and tried once in a process, when they are first asked for.

    >>> linear = layer("Linear")
    >>> [each.name for each in linear.arguments if each.is_required]
    ['in_features', 'out_features']
    """
    order = {group: place for place, group in enumerate(Group)}
    found = [layer(each.__name__) for each in layer_classes()]
    return tuple(sorted(found, key=lambda each: (order[each.group], each.name)))


@cache
def layer(name: str) -> LayerType:
    """Return one layer of the catalogue, without reading the others.

    Raises:
        KeyError: torch.nn has no layer of this name.

    >>> layer("Conv2d").argument("padding_mode").choices
    ('zeros', 'reflect', 'replicate', 'circular')
    """
    return describe({each.__name__: each for each in layer_classes()}[name])


def describe(module_class: type[nn.Module]) -> LayerType:
    """Describe a class of layers from its signature, its documentation and a few smoke tests.

    Raises:
        LookupError: It has a forward, and none of the trials made it run.
    """
    arguments = arguments_of(module_class)
    bare = LayerType(
        name=module_class.__name__,
        group=group_of(module_class),
        summary=summary_of(module_class),
        arguments=arguments,
        is_container=is_container(module_class),
        is_lazy=is_lazy(module_class),
    )
    if not has_forward(module_class):
        return bare
    inner = [each.module_type for each in arguments if each.module_type]
    nested = {name: layer(name).example_arguments for name in inner}
    with quiet_torch():
        example = example_of(module_class, arguments, nested)
        if example is None:
            raise LookupError(f"no example makes {module_class.__name__} run")
        completed = [complete_argument(module_class, each, example) for each in arguments]
        answer = SmokeTest(module_class, example.pairs).answer(example.inputs)
    return replace(
        bare,
        arguments=tuple(each for each in completed if each is not None),
        example_arguments=example.pairs,
        example_inputs=example.inputs,
        input_ranks=tuple(sorted(example.by_rank)),
        is_chainable=len(example.inputs) == 1 and isinstance(answer, torch.Tensor),
    )
