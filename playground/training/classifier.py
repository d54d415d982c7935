"""A perceptron with two hidden layers, its loss, and its optimizer."""

import torch
from torch import Tensor, nn


class Classifier(nn.Module):
    """Tells to which class a point of the plane belongs.

    Args:
        num_classes: How many classes there are.
        optimizer: A class of ``torch.optim`` by name: ``"SGD"``, ``"Adam"``.
        lr: The learning rate.

    Shape:
        (points, 2) → (points, num_classes).
    """

    def __init__(self, num_classes: int, optimizer: str, lr: float) -> None:
        super().__init__()
        self.optimizer, self.lr = optimizer, lr
        self.net = nn.Sequential(
            nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, num_classes)
        )
        self.loss = nn.CrossEntropyLoss()

    def forward(self, X: Tensor) -> Tensor:
        """Give every class a score."""
        scores: Tensor = self.net(X)
        return scores

    def configure_optimizer(self) -> torch.optim.Optimizer:
        """Make the optimizer of the parameters, where they are now."""
        make = getattr(torch.optim, self.optimizer)
        optimizer: torch.optim.Optimizer = make(self.parameters(), lr=self.lr)
        return optimizer
