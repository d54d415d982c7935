"""Blocks within a block."""

from torch import Tensor, nn


class NestMLP(nn.Module):
    """A Sequential and a layer, from 20 features to 16."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(20, 64),
            nn.ReLU(),
            nn.Linear(64, 32),
            nn.ReLU(),
        )
        self.linear = nn.Linear(32, 16)

    def forward(self, X: Tensor) -> Tensor:
        """From (batch, 20) to (batch, 16)."""
        return self.linear(self.net(X))
