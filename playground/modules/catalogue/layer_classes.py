"""Classes of torch.nn that can stand in a network, with their group and their summary."""

import inspect
import re
from enum import StrEnum, unique
from functools import cache

from torch import nn
from torch.nn.modules.lazy import LazyModuleMixin

from playground.modules.layer_types import Group

CONTAINERS = "torch.nn.modules.container"
LOSSES = "torch.nn.modules.loss"


@unique
class Exclusion(StrEnum):
    """Reasons to leave a module of torch.nn out of the catalogue."""

    UNDOCUMENTED = "undocumented"  # torch keeps it for old programs
    WRAPPER = "wrapper"  # spreads a whole network over devices, and computes nothing itself
    LOSS = "loss"  # ends a network: it wants the answers beside the outputs
    ABSTRACT = "abstract"  # no forward of its own: others are derived from it


def module_classes() -> tuple[type[nn.Module], ...]:
    """Return every module class of torch.nn that has a name of its own, in torch's order."""
    named = {**{name: getattr(nn, name) for name in nn.modules.__all__}, **vars(nn)}
    return tuple(
        thing
        for name, thing in named.items()
        if inspect.isclass(thing) and issubclass(thing, nn.Module) and thing.__name__ == name
    )


def exclusion(module_class: type[nn.Module]) -> Exclusion | None:
    """Return why a class is left out; None if it is a layer.

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
    """Return every class that can stand in a network."""
    return tuple(each for each in module_classes() if exclusion(each) is None)


def excluded() -> dict[str, Exclusion]:
    """Return the classes of torch.nn that are no layers, by name, each with its reason."""
    reasons = {each.__name__: exclusion(each) for each in module_classes()}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def has_forward(module_class: type[nn.Module]) -> bool:
    """Return whether it can be called."""
    return module_class.forward is not nn.Module.forward


def is_container(module_class: type[nn.Module]) -> bool:
    """Return whether its arguments are its children."""
    return module_class.__module__ == CONTAINERS


def is_lazy(module_class: type[nn.Module]) -> bool:
    """Return whether it reads its sizes from its first input."""
    return issubclass(module_class, LazyModuleMixin)


def becomes(module_class: type[nn.Module]) -> type[nn.Module] | None:
    """Return the class that a lazy layer turns into; None for any other."""
    found: type[nn.Module] | None = getattr(module_class, "cls_to_become", None)
    return found if is_lazy(module_class) else None


HEADINGS = {
    "container": Group.CONTAINERS,
    "conv": Group.CONVOLUTION,
    "fold": Group.CONVOLUTION,
    "pooling": Group.POOLING,
    "padding": Group.PADDING,
    "activation": Group.ACTIVATION,
    "batchnorm": Group.NORMALIZATION,
    "instancenorm": Group.NORMALIZATION,
    "normalization": Group.NORMALIZATION,
    "rnn": Group.RECURRENT,
    "transformer": Group.TRANSFORMER,
    "linear": Group.LINEAR,
    "dropout": Group.DROPOUT,
    "sparse": Group.SPARSE,
    "distance": Group.DISTANCE,
    "pixelshuffle": Group.VISION,
    "upsampling": Group.VISION,
    "channelshuffle": Group.SHUFFLE,
    "flatten": Group.UTILITIES,
}


def group_of(module_class: type[nn.Module]) -> Group:
    """Return the group of a layer; a class from outside torch.nn is one of our own.

    >>> group_of(nn.LazyConv2d), group_of(nn.Softmax)
    (<Group.CONVOLUTION: 'convolution'>, <Group.ACTIVATION_OTHER: 'activation_other'>)
    """
    package, _, file = module_class.__module__.rpartition(".")
    if package != "torch.nn.modules":
        return Group.CUSTOM
    if file == "activation" and "softm" in module_class.__name__.lower():
        return Group.ACTIVATION_OTHER  # one file in torch, two headings in its documentation
    return HEADINGS[file]


LINK = re.compile(r"`([^`<]+?)\s*<[^`>]+>`__?")
ROLE = re.compile(r":[\w:]+:`~?([^`]+)`")
QUOTED = re.compile(r"``?([^`]+)``?")
TEX = re.compile(r"\\(?:text|mathrm|mathbf)\{([^{}]*)\}|\\([a-zA-Z]+)")
SENTENCE = re.compile(r"(?<!e\.g)(?<!i\.e)[.:](?:\s|$)")


def summary_of(module_class: type[nn.Module]) -> str:
    """Return the first sentence of a layer's documentation.

    >>> summary_of(nn.Linear)
    'Applies an affine linear transformation to the incoming data: y = xA^T + b.'
    """
    paragraphs = inspect.cleandoc(module_class.__doc__ or "").split("\n\n")
    prose = next((each for each in paragraphs if not _is_signature(each)), "")
    plain = unmarked(" ".join(prose.split()))
    ends = [found.start() for found in SENTENCE.finditer(plain) if plain[found.start()] == "."]
    first = plain[: ends[0]] if ends else plain.rstrip(":")
    return f"{first}." if first else ""


def unmarked(text: str) -> str:
    r"""Take reStructuredText's roles, links and quotes, and TeX's backslashes, off a text.

    >>> unmarked("A :class:`~torch.nn.Linear` of ``n``, by :math:`\\tanh`, `see <https://x.y>`_")
    'A Linear of n, by tanh, see'
    """
    text = LINK.sub(r"\1", text)
    text = ROLE.sub(lambda found: found[1].removeprefix("torch.nn."), text)
    text = QUOTED.sub(lambda found: found[1].removeprefix("~nn."), text)
    return TEX.sub(lambda found: found[1] or found[2], text)


def _is_signature(paragraph: str) -> bool:
    return paragraph.startswith("__init__(")
