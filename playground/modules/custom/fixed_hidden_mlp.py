"""Code in forward: a constant, a layer used twice, a loop."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class FixedHiddenMLP(nn.Module):
    """Has weights that are never trained, one layer in two places, and a loop."""

    def __init__(self, features: int = 20) -> None:
        super().__init__()
        self.rand_weight = torch.rand(features, features)
        self.linear = nn.Linear(features, features)

    def forward(self, X: Tensor) -> Tensor:
        """From (batch, features) to one number; an infinite sum stays as it is."""
        X = self.linear(X)
        X = F.relu(X @ self.rand_weight + 1)
        X = self.linear(X)
        while 1 < X.abs().sum() < torch.inf:
            X = X / 2
        return X.sum()
