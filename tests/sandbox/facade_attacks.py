"""Programs that pass the check and were ways out of the facade, by what they are after."""

from tests.sandbox.cells import read_cells

NAMED = (  # the check takes these names for the program's own, if it has methods of them
    *("_archive", "_convert_", "_member_type_", "_module", "multiprocessing_context", "obj"),
    *("orthogonal_map", "parametrizations", "reducer"),
)
BEFORE = """import dataclasses
import enum
import functools
import warnings
import zipfile
import numpy as np
import torch
from torch import nn
from torch.distributions import Distribution
from torch.utils import benchmark
from torch.utils.data import DataLoader
optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1)
class E(enum.Enum):
    A = 1
class Named:
"""
BEFORE += "".join(f"    def {each}(self):\n        pass\n" for each in NAMED)


def attacks(corpus):
    return {name: BEFORE + program for name, program in read_cells(corpus).items()}


ATTACKS = attacks("facade_attacks")

REFUSED = attacks("facade_refused")
