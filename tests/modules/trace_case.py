"""A network of the zoo with what it is called with."""

from dataclasses import dataclass, field

from torch import nn

CASES = {}


@dataclass
class Case:
    net: nn.Module
    args: tuple
    kwargs: dict = field(default_factory=dict)


def in_zoo(make):
    """Enter a function that returns a module and its inputs, by its name."""
    assert make.__name__ not in CASES
    CASES[make.__name__] = make
    return make


def case(name):
    net, *args = CASES[name]()
    kwargs = args.pop() if args and type(args[-1]) is Keywords else {}
    return Case(net, tuple(args), dict(kwargs))


class Keywords(dict):
    """The last of what a function returns, where the module takes keywords."""
