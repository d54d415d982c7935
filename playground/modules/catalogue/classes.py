"""Which classes of torch.nn can stand in a network, and why the others cannot."""

import inspect
from enum import StrEnum, unique
from functools import cache

from torch import nn
from torch.nn.modules.lazy import LazyModuleMixin

CONTAINERS = "torch.nn.modules.container"
LOSSES = "torch.nn.modules.loss"


@unique
class Exclusion(StrEnum):
    """Why a module of torch.nn is no layer of the catalogue."""

    UNDOCUMENTED = "undocumented"  # torch keeps it for old programs
    WRAPPER = "wrapper"  # spreads a whole network over devices, and computes nothing itself
    LOSS = "loss"  # ends a network: it wants the answers beside the outputs
    ABSTRACT = "abstract"  # no forward of its own: others are derived from it


def module_classes() -> tuple[type[nn.Module], ...]:
    """Every module class that torch.nn offers under a name of its own, in torch's order."""
    named = {**{name: getattr(nn, name) for name in nn.modules.__all__}, **vars(nn)}
    return tuple(
        thing
        for name, thing in named.items()
        if inspect.isclass(thing) and issubclass(thing, nn.Module) and thing.__name__ == name
    )


def exclusion(module_class: type[nn.Module]) -> Exclusion | None:
    """Why a class is left out; None where it is a layer.

    >>> exclusion(nn.MSELoss), exclusion(nn.RNNBase), exclusion(nn.ModuleList)
    (<Exclusion.LOSS: 'loss'>, <Exclusion.ABSTRACT: 'abstract'>, None)
    """
    if not module_class.__module__.startswith("torch.nn.modules."):
        return Exclusion.WRAPPER
    if module_class.__module__ == LOSSES or module_class.__name__.endswith("Loss"):
        return Exclusion.LOSS
    if not has_forward(module_class) and not is_container(module_class):
        return Exclusion.ABSTRACT
    return None if module_class.__doc__ else Exclusion.UNDOCUMENTED


@cache
def layer_classes() -> tuple[type[nn.Module], ...]:
    """Every class that can stand in a network."""
    return tuple(each for each in module_classes() if exclusion(each) is None)


def excluded() -> dict[str, Exclusion]:
    """What torch.nn offers beside layers, by name, each with its reason."""
    reasons = {each.__name__: exclusion(each) for each in module_classes()}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def has_forward(module_class: type[nn.Module]) -> bool:
    """Whether it can be called."""
    return module_class.forward is not nn.Module.forward


def is_container(module_class: type[nn.Module]) -> bool:
    """Whether its arguments are its children."""
    return module_class.__module__ == CONTAINERS


def is_lazy(module_class: type[nn.Module]) -> bool:
    """Whether it reads its sizes from its first input."""
    return issubclass(module_class, LazyModuleMixin)


def becomes(module_class: type[nn.Module]) -> type[nn.Module] | None:
    """The class that a lazy layer turns into; None for any other."""
    found: type[nn.Module] | None = getattr(module_class, "cls_to_become", None)
    return found if is_lazy(module_class) else None
