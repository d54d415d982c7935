"""Arguments of a layer, read from its constructor's signature and annotations."""

import inspect
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Literal

import torch
from torch import nn

from playground.modules.catalogue.layer_classes import becomes, is_container
from playground.modules.layer_types import Argument, ArgumentKind, Value

PLACEMENT = ("device", "dtype")  # where the memory is, not what the layer does
LISTS = (list, tuple, Sequence)


def arguments_of(module_class: type[nn.Module]) -> tuple[Argument, ...]:
    """Read what a layer may be given; words to choose from and lengths are not known yet.

    Left out: where to place its memory, private arguments, and those that take no plain value.
    """
    if is_container(module_class):
        return ()  # its children
    annotated_by = becomes(module_class)
    hints = parameters(annotated_by) if annotated_by else {}
    found = []
    for name, parameter in parameters(module_class).items():
        if name in PLACEMENT or name.startswith("_"):
            continue
        hint = parameter.annotation
        if hint is parameter.empty and name in hints:
            hint = hints[name].annotation
        argument = _argument(parameter, hint)
        if argument is not None:
            found.append(argument)
    return tuple(found)


def parameters(module_class: type[nn.Module]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a constructor; of the first overload where it has overloads.

    >>> list(parameters(nn.RNNCell))
    ['input_size', 'hidden_size', 'bias', 'nonlinearity', 'device', 'dtype']
    """
    return dict(_parameters(module_class.__init__))


@cache
def _parameters(constructor: Callable[..., None]) -> dict[str, inspect.Parameter]:
    overloads = typing.get_overloads(constructor)
    read = inspect.signature(overloads[0] if overloads else constructor, eval_str=True)
    _, *rest = read.parameters.values()  # without self
    return {
        each.name: each for each in rest if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }


def has_hint(module_class: type[nn.Module], name: str) -> bool:
    """Return whether a parameter says what it takes, by an annotation or by its default."""
    parameter = parameters(module_class)[name]
    return parameter.annotation is not parameter.empty or parameter.default not in (
        None,
        parameter.empty,
    )


def _argument(parameter: inspect.Parameter, hint: object) -> Argument | None:
    default = parameter.default
    is_required = default is parameter.empty
    if hint is parameter.empty:
        hint = int if is_required or default is None else type(default)
    members = tuple(_members(hint))
    kind = _kind(members)
    if kind is None:
        return None
    modules = [each for each in members if inspect.isclass(each) and issubclass(each, nn.Module)]
    return Argument(
        name=parameter.name,
        kind=kind,
        default=None if is_required else _plain(default),
        is_required=is_required,
        allows_none=types.NoneType in members or default is None,
        choices=tuple(word for each in members for word in _words(each)),
        lengths=tuple(dict.fromkeys(size for each in members for size in _lengths(each))),
        module_type=modules[0].__name__ if modules and modules[0] is not nn.Module else None,
        is_keyword_only=parameter.kind is parameter.KEYWORD_ONLY,
    )


def takes_words(module_class: type[nn.Module], name: str) -> bool:
    """Return whether an argument may be a word that its annotation does not list."""
    owner = becomes(module_class) or module_class
    found = parameters(owner).get(name)
    return found is not None and str in tuple(_members(found.annotation))


def leaves_length_open(module_class: type[nn.Module], name: str) -> bool:
    """Return whether an argument may be a tuple of undeclared length: ``tuple[int, ...]``."""
    members = tuple(_members(parameters(module_class)[name].annotation))
    if any(_is_list(each) and typing.get_origin(each) is not tuple for each in members):
        return False  # a list or a Size: any length will do
    return any(Ellipsis in typing.get_args(each) for each in members)


def _members(hint: object) -> Iterator[Any]:
    """Return the types that an annotation allows, one by one."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        for each in typing.get_args(hint):
            yield from _members(each)
    else:
        yield hint


def _kind(members: Sequence[Any]) -> ArgumentKind | None:
    """Return the kind of control for one of several types; None if it takes no plain value."""
    listed = [each for each in members if _is_list(each)]
    elements = {element for each in listed for arg in _elements(each) for element in _members(arg)}
    if any(inspect.isclass(each) and issubclass(each, nn.Module) for each in members):
        return ArgumentKind.MODULE
    if any(typing.get_origin(each) is Literal for each in members):
        return ArgumentKind.CHOICE
    if float in elements:
        return ArgumentKind.NUMBERS
    if listed:
        return ArgumentKind.INTEGERS if int in members else ArgumentKind.INTEGER_TUPLE
    kinds = {
        bool: ArgumentKind.SWITCH,
        float: ArgumentKind.NUMBER,
        int: ArgumentKind.INTEGER,
        str: ArgumentKind.TEXT,
    }
    return next((kind for each, kind in kinds.items() if each in members), None)


def _is_list(hint: object) -> bool:
    return hint is torch.Size or typing.get_origin(hint) in LISTS


def _elements(hint: object) -> tuple[Any, ...]:
    return (int,) if hint is torch.Size else typing.get_args(hint)


def _lengths(hint: object) -> tuple[int, ...]:
    elements = typing.get_args(hint)
    is_fixed = typing.get_origin(hint) is tuple and Ellipsis not in elements
    return (len(elements),) if is_fixed else ()


def _words(hint: object) -> tuple[str, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) is Literal else ()


def _plain(default: object) -> Value:
    """Convert a default to a plain value; a function becomes its name."""
    if default is None or isinstance(default, bool | int | float | str):
        return default
    if isinstance(default, tuple):
        return tuple(_plain(each) for each in default)
    return str(getattr(default, "__name__", default))


def required_inputs(module_class: type[nn.Module]) -> tuple[str, ...]:
    """Return the names of the required inputs of ``forward``.

    >>> required_inputs(nn.MultiheadAttention), required_inputs(nn.LSTM)
    (('query', 'key', 'value'), ('input',))
    """
    _, *rest = inspect.signature(module_class.forward).parameters.values()
    return tuple(each.name for each in rest if each.default is each.empty)
