"""Code in forward: a constant, a layer used twice, a loop."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class FixedHiddenMLP(nn.Module):
    """Has weights that are never trained, one layer in two places, and a loop.

    After a forward, ``halvings`` is how often the loop ran.
    """

    most_halvings = 2000  # an infinite sum stays infinite; a finite one needs fewer

    def __init__(self, features: int = 20, as_buffer: bool = False) -> None:
        super().__init__()
        constant = torch.rand(features, features)
        if as_buffer:
            self.register_buffer("rand_weight", constant)  # saved and moved
        else:
            self.rand_weight = constant  # neither saved nor moved
        self.linear = nn.Linear(features, features)
        self.halvings = 0

    def forward(self, X: Tensor) -> Tensor:
        """From (batch, features) to one number."""
        X = self.linear(X)
        X = F.relu(X @ self.rand_weight + 1)
        X = self.linear(X)  # the same layer again, with the same parameters
        self.halvings = 0
        while X.abs().sum() > 1 and self.halvings < self.most_halvings:
            X = X / 2
            self.halvings += 1
        return X.sum()
