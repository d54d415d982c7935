"""Smoke tests of a layer: whether it builds, and runs on an input, without a warning."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from playground.modules.catalogue.layer_classes import is_lazy
from playground.modules.catalogue.signatures import required_inputs
from playground.modules.layer_types import ExampleInput, Value

Pairs = tuple[tuple[str, Value], ...]


def construct(module_class: type[nn.Module], pairs: Iterable[tuple[str, Value]]) -> nn.Module:
    """Build a layer with named arguments.

    >>> inner = ("TransformerEncoderLayer", (("d_model", 8), ("nhead", 2), ("batch_first", True)))
    >>> len(construct(nn.TransformerEncoder, [("encoder_layer", inner), ("num_layers", 3)]).layers)
    3
    """
    return module_class(**{name: _given(value) for name, value in pairs})


def _given(value: Value) -> Any:
    if isinstance(value, tuple) and len(value) == 2:
        name, pairs = value
        if isinstance(name, str) and isinstance(pairs, tuple):
            return construct(getattr(nn, name), pairs)  # type: ignore[arg-type]
    return value


FEATURES = 16  # what is asked for as a number of features, channels, tokens
RANKS = range(1, 6)
BATCH = 2
EXTENTS = (8, 9)  # of the other dimensions; 9 blocks of 2 x 2 are what a picture of 4 x 4 folds to
MAX_TOKENS = 4096


@contextmanager
def quiet_torch() -> Iterator[None]:
    """Preserve torch's state: no gradients, no random numbers drawn, warnings as errors."""
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


class SmokeTest:
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
        """Call it with ones, and with integers that are all ``token``; None if it raises."""
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
        """Return whether it has an answer to these inputs."""
        return self.answer(inputs) is not None

    def _new_module(self) -> nn.Module | None:
        try:
            return construct(self._module_class, self._pairs)
        except Exception as error:  # noqa: BLE001 - a constructor may refuse in any way
            self.refusal = str(error)
            return None


def warns_of_deprecation(module_class: type[nn.Module], pairs: Pairs) -> bool:
    """Return whether torch says that one of the arguments is going to be taken away."""
    try:
        construct(module_class, pairs)
    except (FutureWarning, DeprecationWarning):
        return True
    except Exception:  # noqa: BLE001 - refused for another reason
        return False
    return False


def shapes(rank: int) -> Iterator[tuple[int, ...]]:
    """Yield shapes to try: features second, as in images; last, as in texts; or first.

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
    """Return inputs on which a layer ran, for each rank that it takes."""
    names = required_inputs(module_class)
    kinds = dict.fromkeys(
        ((False,) * len(names), (True,) * len(names), (False,) + (True,) * (len(names) - 1))
    )
    test = SmokeTest(module_class, pairs)
    if not test.is_built:
        return {}
    for kind in kinds:
        found = {}
        for rank in RANKS:
            for shape in shapes(rank):
                inputs = tuple(
                    ExampleInput(name=name, shape=shape, is_integer=is_integer)
                    for name, is_integer in zip(names, kind, strict=True)
                )
                if test.takes(inputs):
                    found[rank] = inputs
                    break
        if found:
            return found
    return {}
