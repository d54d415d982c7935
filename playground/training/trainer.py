"""A loop over epochs and batches that brings model and batches to the first of its GPUs."""

from collections.abc import Callable

import torch
from torch import Tensor

from playground.training.classifier import Classifier
from playground.training.points import Points


class Trainer:
    """Trains a model.

    Args:
        max_epochs: How often the data is gone through.
        num_gpus: How many GPUs to take, if there are so many; without any it stays on the CPU.
        gradient_clip_val: The norm that a gradient may have; 0 lets all pass.

    Attributes:
        gpus: The GPUs it took. The model and the batches go to the first one.
        losses: Of each epoch, the mean over the points it trained on.
        accuracies: After each epoch, on the points it did not train on.
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
        """Return the batch where the model is; what was given stays where it was."""
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
        """Train; ``on_epoch`` is called after each epoch, and what it raises ends the training."""
        self.prepare_model(model)
        self.optimizer = model.configure_optimizer()  # after the move
        for _ in range(self.max_epochs):
            self.losses.append(self.fit_epoch(points))
            self.accuracies.append(self.accuracy(points))
            if on_epoch is not None:
                on_epoch(self)

    def fit_epoch(self, points: Points) -> float:
        """Go through the data once; the mean loss."""
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

    def clip_gradients(self, most: float) -> float:
        """Scale the whole gradient down where its norm is above ``most``; the norm it had."""
        grads = [each.grad for each in self.model.parameters() if each.grad is not None]
        norm = float(sum(torch.sum(grad**2).item() for grad in grads) ** 0.5)
        if norm > most:
            self.clipped_steps += 1
            for grad in grads:
                grad *= most / norm
        return norm

    @torch.no_grad()
    def accuracy(self, points: Points) -> float:
        """The share of the other points whose class gets the highest score."""
        X, y = self.prepare_batch(points.val)
        self.model.eval()
        hits: int = (self.model(X).argmax(1) == y).sum().item()
        return hits / len(y)
