"""The state in which a cell starts: its names, bound in the zygote, and seeded random numbers.

A child that bound the hundreds of names itself would copy the memory of each.
"""

import random
import sys
from dataclasses import dataclass
from typing import Any

import torch

from playground.machines.simulated.host import this_thread
from playground.sandbox import facade
from playground.sandbox.facade import numpy_and_pandas
from playground.sandbox.facade.files import Files


@dataclass(frozen=True, slots=True)
class CellNamespace:
    """The names of one cell.

    Attributes:
        names: Names that it finds bound.
        files: The files of the cell.
    """

    names: dict[str, Any]
    files: Files

    def give(self, name: str, content: bytes) -> None:
        """Give the cell a file."""
        self.files.write(name, content)


_ready: list[CellNamespace] = []
_taken: list[CellNamespace] = []  # kept: taking one apart would copy as much memory as making it


def prepare(count: int) -> None:
    """Make namespaces in advance, for as many cells as a child runs."""
    while len(_ready) < count:
        _ready.append(_make())


def take() -> CellNamespace:
    """Return an unused namespace; it is made now if none is ready."""
    _taken.append(_ready.pop() if _ready else _make())
    numpy_and_pandas.write_tables_to(_taken[-1].files)
    return _taken[-1]


def _make() -> CellNamespace:
    files = Files()
    return CellNamespace(facade.bind(files=files), files)


def seed(number: int) -> None:
    """Seed the CPU's generator, and those of simulated GPUs where there are any.

    >>> seed(3)
    >>> torch.initial_seed()
    3
    """
    torch.default_generator.manual_seed(number)
    if this_thread.host is not None:
        torch.cuda.manual_seed_all(number)


def seed_all(number: int) -> None:
    """Seed torch, Python's ``random``, and NumPy if it is imported."""
    seed(number)
    random.seed(number)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(number % 2**32)
