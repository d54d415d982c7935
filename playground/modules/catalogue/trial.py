"""Trying a layer out: does it build, does it run, without a word of warning."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import nn

from playground.modules.catalogue.classes import is_lazy
from playground.modules.catalogue.construct import Pairs, construct
from playground.modules.catalogue.signatures import required_inputs
from playground.modules.layer_types import ExampleInput

FEATURES = 16  # what is asked for as a number of features, channels, tokens
RANKS = range(1, 6)
BATCH = 2
EXTENTS = (8, 9)  # of the other dimensions; 9 blocks of 2 x 2 are what a picture of 4 x 4 folds to
MOST_TOKENS = 4096


@contextmanager
def trying() -> Iterator[None]:
    """Leave no trace in torch: no gradients, no random numbers drawn, no warnings told."""
    was_always, threads = torch.is_warn_always_enabled(), torch.get_num_threads()
    with torch.random.fork_rng(devices=[]), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")  # what torch warns of is no good example
        warnings.filterwarnings("ignore", module="torch.nn.modules.lazy")  # says so of each one
        torch.set_warn_always(True)  # or a second look would find other answers than the first
        torch.set_num_threads(1)  # nothing here is worth a second one
        try:
            yield
        finally:
            torch.set_warn_always(was_always)
            torch.set_num_threads(threads)


class Trial:
    """A layer with some arguments, built to see what it does.

    Attributes:
        is_built: Torch took the arguments, and had nothing to warn of.
        refusal: What torch said when it last refused; empty while it has not.
    """

    def __init__(self, module_class: type[nn.Module], pairs: Pairs) -> None:
        self._module_class = module_class
        self._pairs = pairs
        self.refusal = ""
        self._module = self._new_module()
        self.is_built = self._module is not None

    def answer(self, inputs: Sequence[ExampleInput], token: int = 0) -> object:
        """What it answers to ones, and to integers that are all ``token``; None if it refuses."""
        # Its first input decides what a lazy layer takes, so that each question needs a new one.
        module = self._new_module() if is_lazy(self._module_class) else self._module
        if module is None:
            return None
        given = [
            torch.full(each.shape, token) if each.is_integer else torch.ones(each.shape)
            for each in inputs
        ]
        try:
            return module(*given)
        except Exception as error:  # noqa: BLE001 - a forward may refuse in any way
            self.refusal = str(error)
            return None

    def takes(self, inputs: Sequence[ExampleInput]) -> bool:
        """Whether it has an answer to these inputs."""
        return self.answer(inputs) is not None

    def _new_module(self) -> nn.Module | None:
        try:
            return construct(self._module_class, self._pairs)
        except Exception as error:  # noqa: BLE001 - a constructor may refuse in any way
            self.refusal = str(error)
            return None


def warns_of_age(module_class: type[nn.Module], pairs: Pairs) -> bool:
    """Whether torch says that one of the arguments is going to be taken away."""
    try:
        construct(module_class, pairs)
    except (FutureWarning, DeprecationWarning):
        return True
    except Exception:  # noqa: BLE001 - refused for another reason
        return False
    return False


def shapes(rank: int) -> Iterator[tuple[int, ...]]:
    """Shapes worth trying: features second, as in pictures; last, as in texts; or first.

    >>> list(shapes(2))
    [(2, 16), (16, 8), (16, 9)]
    >>> list(shapes(3))
    [(2, 16, 8), (2, 8, 16), (16, 8, 8), (2, 16, 9), (2, 9, 16), (16, 9, 9)]
    """
    tried = set()
    for extent in EXTENTS:
        for place in (1, rank - 1, 0):
            shape = [BATCH] + [extent] * (rank - 1)
            shape[min(place, rank - 1)] = FEATURES
            if tuple(shape) not in tried:
                tried.add(tuple(shape))
                yield tuple(shape)


def inputs_by_rank(
    module_class: type[nn.Module], pairs: Pairs
) -> dict[int, tuple[ExampleInput, ...]]:
    """For each number of dimensions that a layer takes, inputs on which it ran."""
    names = required_inputs(module_class)
    kinds = dict.fromkeys(
        ((False,) * len(names), (True,) * len(names), (False,) + (True,) * (len(names) - 1))
    )
    trial = Trial(module_class, pairs)
    if not trial.is_built:
        return {}
    for kind in kinds:
        found = {}
        for rank in RANKS:
            for shape in shapes(rank):
                inputs = tuple(
                    ExampleInput(name=name, shape=shape, is_integer=is_integer)
                    for name, is_integer in zip(names, kind, strict=True)
                )
                if trial.takes(inputs):
                    found[rank] = inputs
                    break
        if found:
            return found
    return {}
