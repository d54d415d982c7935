"""A small trainer that moves model and batches to its first GPU, and a classifier to train."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from playground.training.points import Points


class Classifier(nn.Module):
    """A perceptron with two hidden layers that classifies points of the plane.

    Args:
        num_classes: The number of classes.
        optimizer: The name of a class of ``torch.optim``: ``"SGD"``, ``"Adam"``.
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
        """Return a score for each class."""
        scores: Tensor = self.net(X)
        return scores

    def configure_optimizer(self) -> torch.optim.Optimizer:
        """Create the optimizer of the parameters on their current device."""
        make = getattr(torch.optim, self.optimizer)
        optimizer: torch.optim.Optimizer = make(self.parameters(), lr=self.lr)
        return optimizer


class Trainer:
    """Trains a model over epochs and batches.

    Args:
        max_epochs: The number of passes over the data.
        num_gpus: The number of GPUs to use, at most all; without any, the model stays on the CPU.
        gradient_clip_val: The maximum norm of the gradient; 0 disables clipping.

    Attributes:
        gpus: The GPUs used. The model and the batches are moved to the first one.
        losses: The mean loss of each epoch over the training points.
        accuracies: The accuracy after each epoch on the validation points.
    """

    def __init__(self, max_epochs: int, num_gpus: int = 0, gradient_clip_val: float = 0.0) -> None:
        self.max_epochs, self.gradient_clip_val = max_epochs, gradient_clip_val
        self.gpus = [
            torch.device("cuda", i) for i in range(min(num_gpus, torch.cuda.device_count()))
        ]
        self.steps = self.clipped_steps = 0
        self.losses: list[float] = []
        self.accuracies: list[float] = []

    def prepare_model(self, model: Classifier) -> None:
        """Move the model's parameters and buffers, in place."""
        if self.gpus:
            model.to(self.gpus[0])
        self.model = model

    def prepare_batch(self, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """Return the batch on the model's device; the given tensors keep theirs."""
        X, y = batch
        if self.gpus:
            X, y = X.to(self.gpus[0]), y.to(self.gpus[0])
        return X, y

    def fit(
        self,
        model: Classifier,
        points: Points,
        on_epoch: Callable[["Trainer"], None] | None = None,
    ) -> None:
        """Train; ``on_epoch`` is called after each epoch and may raise to end the training."""
        self.prepare_model(model)
        self.optimizer = model.configure_optimizer()  # after the move
        for _ in range(self.max_epochs):
            self.losses.append(self.fit_epoch(points))
            self.accuracies.append(self.accuracy(points))
            if on_epoch is not None:
                on_epoch(self)

    def fit_epoch(self, points: Points) -> float:
        """Train for one epoch; return the mean loss."""
        total, count = 0.0, 0
        self.model.train()
        for batch in points.batches():
            X, y = self.prepare_batch(batch)
            loss = self.model.loss(self.model(X), y)
            self.optimizer.zero_grad()
            loss.backward()
            if self.gradient_clip_val > 0:
                self.clip_gradients(self.gradient_clip_val)
            self.optimizer.step()
            self.steps += 1
            total += loss.item() * len(y)  # waits for the GPU
            count += len(y)
        return total / count

    def clip_gradients(self, max_norm: float) -> float:
        """Scale the gradient to the norm ``max_norm`` if it is larger; return its norm before."""
        grads = [each.grad for each in self.model.parameters() if each.grad is not None]
        norm = float(sum(torch.sum(grad**2).item() for grad in grads) ** 0.5)
        if norm > max_norm:
            self.clipped_steps += 1
            for grad in grads:
                grad *= max_norm / norm
        return norm

    @torch.no_grad()
    def accuracy(self, points: Points) -> float:
        """Return the share of validation points whose class has the highest score."""
        X, y = self.prepare_batch(points.val)
        self.model.eval()
        hits: int = (self.model(X).argmax(1) == y).sum().item()
        return hits / len(y)
