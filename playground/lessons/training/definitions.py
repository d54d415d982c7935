"""The first lines of the programs: the points, the network and the Trainer."""

import ast
from collections.abc import Sequence
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
OWN_FUNCTION = '''

def own(y, t):
    """Return points of OWN, each several times; Points moves each of them a little."""
    X = torch.empty(len(y), 2)
    for label in (0, 1):
        places = torch.tensor([point[:2] for point in OWN if point[2] == label])
        chosen = y == label
        X[chosen] = places[(t[chosen] * len(places)).long()]
    return X
'''


class Dataset(StrEnum):
    """Points in the plane; the value is the function that draws them, and the classes it has."""

    MOONS = "moons, 2"
    CIRCLES = "circles, 2"
    SPIRALS = "spirals, 2"
    BLOBS = "blobs, 3"
    OWN = "own, 2"

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


def definitions(dataset: Dataset, own: Sequence[tuple[float, float, int]] = ()) -> str:
    """Return the definitions of ``playground.training``, with one function that draws points.

    Args:
        dataset: Names the function.
        own: The visitor's points (x, y, class), for the data set that is made of them.
    """
    if dataset is not Dataset.OWN:
        return _engine(dataset)
    rows = "".join(f"    ({x!r}, {y!r}, {label!r}),\n" for x, y, label in own)
    return f"{_engine(dataset)}OWN = [\n{rows}]\n{OWN_FUNCTION}\n"


@cache
def _engine(dataset: Dataset) -> str:
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
