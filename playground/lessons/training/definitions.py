"""The first lines of the programs: the points, the network and the Trainer."""

import ast
from enum import StrEnum
from functools import cache
from pathlib import Path

ENGINE = Path(__file__).parents[2] / "training"
IMPORTS = """\
import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
"""


class Dataset(StrEnum):
    """Points in the plane; the value is the function that draws them, and the classes it has."""

    MOONS = "moons, 2"
    CIRCLES = "circles, 2"
    SPIRALS = "spirals, 2"
    BLOBS = "blobs, 3"

    @property
    def function(self) -> str:
        return self.value.partition(",")[0]

    @property
    def num_classes(self) -> int:
        return int(self.value[-1])


class Optimizer(StrEnum):
    """A class of ``torch.optim``, as a text of the program."""

    SGD = '"SGD"'
    ADAM = '"Adam"'
    RMSPROP = '"RMSprop"'


@cache
def definitions(dataset: Dataset) -> str:
    """Return the definitions of ``playground.training``, with one function that draws points."""
    constants, found = [], []
    for name in ("points", "trainer"):
        text = (ENGINE / f"{name}.py").read_text("utf-8")
        for node in ast.parse(text).body:
            segment = ast.get_source_segment(text, node) or ""
            if isinstance(node, ast.Assign):
                constants.append(segment)
            elif isinstance(node, ast.ClassDef) or getattr(node, "name", "") == dataset.function:
                found.append(f"\n\n{segment}\n")
    return "\n".join([IMPORTS, *constants, ""]) + "".join(found) + "\n"
