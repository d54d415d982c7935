"""Puts the generators back after a forward, which may have drawn from them."""

import random
import sys
from collections.abc import Callable
from typing import Any

import torch

Restore = Callable[[], object]


class Restored:
    """Within it, numbers may be drawn; afterwards the generators stand where they stood.

    Args:
        others: Those of Python and of NumPy too, which takes longer.
    """

    __slots__ = ("_before", "_others")

    def __init__(self, *, others: bool) -> None:
        self._others = others
        self._before: list[Restore] = []

    def __enter__(self) -> "Restored":
        """Note where the generators stand."""
        self._before = _states(others=self._others)
        return self

    def keep_draws(self) -> None:
        """Let the draws stay drawn."""
        self._before = []

    def __exit__(self, *_raised: object) -> None:
        """Put them back, whatever was raised."""
        for restore in self._before:
            restore()


def _states(*, others: bool) -> list[Restore]:
    generator = torch.default_generator
    states: list[Restore] = [_later(generator.set_state, generator.get_state())]
    if others:
        states.append(_later(random.setstate, random.getstate()))
    numpy: Any = sys.modules.get("numpy")
    if others and numpy is not None:
        states.append(_later(numpy.random.set_state, numpy.random.get_state()))
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        states.append(_later(torch.cuda.set_rng_state_all, torch.cuda.get_rng_state_all()))
    return states


def _later(put_back: Callable[[Any], object], state: object) -> Restore:
    return lambda: put_back(state)
