"""Blocks of branches side by side, and what becomes of their outputs."""

import math

import torch
from torch import Tensor, nn


class Add(nn.Sequential):
    """Each of its modules is given the input; what comes out is added."""

    def forward(self, X: Tensor) -> Tensor:
        """The branches must agree in shape, or broadcast."""
        first, *others = [branch(X) for branch in self]
        return sum(others, first)


class Multiply(nn.Sequential):
    """Each of its modules is given the input; what comes out is multiplied."""

    def forward(self, X: Tensor) -> Tensor:
        """The branches must agree in shape, or broadcast."""
        return math.prod(branch(X) for branch in self)


class Concatenate(nn.Sequential):
    """Each of its modules is given the input; what comes out is joined along dim 1."""

    def forward(self, X: Tensor) -> Tensor:
        """The branches must agree in every size but that of dim 1."""
        outputs = [branch(X) for branch in self]
        return torch.cat(outputs, dim=1)
