"""The program of the builder's network: as a Sequential, and as a class."""

from playground.lessons.blocks.records import BuildNetwork
from playground.modules.source import as_class, as_sequential

RESULT = "\nresult = tuple(Y.shape)\n"


def build_network(settings: BuildNetwork) -> str:
    """Make the network of nested Sequentials, and call it."""
    return as_sequential(settings.spec, seed=settings.seed, run=True) + RESULT


def build_network_as_class(settings: BuildNetwork) -> str:
    """Make the network as a class, and call it."""
    return as_class(settings.spec, seed=settings.seed, run=True) + RESULT
