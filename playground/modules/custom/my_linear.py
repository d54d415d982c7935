"""A layer with parameters of its own."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class MyLinear(nn.Module):
    """A fully connected layer with a ReLU; its weight is (in, out)."""

    def __init__(self, in_units: int, units: int) -> None:
        super().__init__()
        weight = torch.randn(in_units, units)
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(torch.randn(units))

    def forward(self, X: Tensor) -> Tensor:
        """From (batch, in_units) to (batch, units)."""
        return F.relu(X @ self.weight + self.bias)
