"""Random points in the plane: two moons, two circles, two spirals, three blobs.

They are drawn on the CPU from one generator, so that training does not depend on the device.
"""

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

Shape = Callable[[Tensor, Tensor], Tensor]
NUM_TRAIN, NUM_VAL, BATCH_SIZE, NOISE = 240, 120, 40, 0.06


def moons(y: Tensor, t: Tensor) -> Tensor:
    """Return two interleaving half circles."""
    angle = math.pi * t
    upper = torch.stack((torch.cos(angle) - 0.5, torch.sin(angle) - 0.25), 1)
    return torch.where(y[:, None] == 0, upper, -upper)


def circles(y: Tensor, t: Tensor) -> Tensor:
    """Return a circle inside another one."""
    angle, radius = 2 * math.pi * t, 1 - 0.5 * y
    return torch.stack((radius * torch.cos(angle), radius * torch.sin(angle)), 1)


def spirals(y: Tensor, t: Tensor) -> Tensor:
    """Return two arms of a spiral."""
    angle, radius = 2.5 * math.pi * t + math.pi * y, 0.2 + t
    return torch.stack((radius * torch.cos(angle), radius * torch.sin(angle)), 1)


def blobs(y: Tensor, t: Tensor) -> Tensor:
    """Return three clusters."""
    angle, radius = 2 * math.pi * (y / 3 + t), 0.7 + 0.3 * torch.sin(8 * math.pi * t)
    centre = torch.stack((torch.cos(2 * math.pi * y / 3), torch.sin(2 * math.pi * y / 3)), 1)
    return 0.8 * centre + 0.3 * torch.stack(
        (radius * torch.cos(angle), radius * torch.sin(angle)), 1
    )


class Points:
    """Points with classes, for training and validation.

    Args:
        shape: The position of a point: (class, parameter between 0 and 1) → (x, y).
        num_classes: The number of classes.
        seed: The seed of the points and of their order.
    """

    def __init__(self, shape: Shape, num_classes: int, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        self.num_classes = num_classes
        count = NUM_TRAIN + NUM_VAL
        y = torch.arange(count) % num_classes
        X = shape(y, torch.rand(count, generator=self.generator))
        X = X + NOISE * torch.randn(count, 2, generator=self.generator)
        self.train = X[:NUM_TRAIN], y[:NUM_TRAIN]
        self.val = X[NUM_TRAIN:], y[NUM_TRAIN:]

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield the training points in batches, in a new order."""
        X, y = self.train
        order = torch.randperm(len(y), generator=self.generator)
        for begin in range(0, len(y), BATCH_SIZE):
            chosen = order[begin : begin + BATCH_SIZE]
            yield X[chosen], y[chosen]
