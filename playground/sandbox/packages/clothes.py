"""A small data set of drawn clothes with the shapes, labels and interface of Fashion-MNIST.

The images are drawn from ten outlines, each moved, scaled, turned, mixed with another one,
shaded and made noisy with a fixed seed. They are no photographs; there are a tenth as many.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import Dataset

SIDE = 28
LABELS = (
    "t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag",
    "ankle boot",
)  # fmt: skip
CLASSES = (
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag",
    "Ankle boot",
)  # fmt: skip
TRAIN_COUNT, TEST_COUNT = 6_000, 1_000
OUTLINES = (  # rectangles: top, bottom, left, right, brightness; a later one covers earlier ones
    ((5, 24, 8, 20, 0.8), (5, 11, 3, 25, 0.8), (3, 5, 11, 17, 0.3)),
    ((3, 8, 8, 20, 0.8), (8, 26, 8, 13, 0.7), (8, 26, 15, 20, 0.7)),
    ((5, 24, 8, 20, 0.7), (5, 23, 3, 7, 0.6), (5, 23, 21, 25, 0.6)),
    ((2, 11, 11, 17, 0.8), (11, 18, 9, 19, 0.8), (18, 26, 6, 22, 0.8)),
    ((4, 26, 7, 21, 0.6), (5, 24, 3, 6, 0.6), (5, 24, 22, 25, 0.6), (4, 26, 14, 15, 0.1)),
    ((20, 23, 2, 26, 0.9), (14, 20, 20, 22, 0.7), (15, 20, 8, 10, 0.7), (13, 15, 8, 22, 0.6)),
    ((5, 24, 8, 20, 0.5), (5, 17, 4, 24, 0.5), (6, 24, 13, 14, 0.9), (3, 5, 9, 19, 0.9)),
    ((15, 22, 3, 25, 0.6), (12, 15, 3, 13, 0.6), (21, 23, 2, 26, 1.0)),
    ((11, 25, 4, 24, 0.7), (5, 11, 9, 10, 0.8), (5, 11, 18, 19, 0.8), (4, 5, 9, 19, 0.8)),
    ((3, 22, 4, 13, 0.8), (14, 22, 4, 25, 0.8), (22, 25, 3, 25, 0.5)),
)


@functools.cache
def images(*, train: bool) -> tuple[Tensor, Tensor]:
    """Return the images and labels of a part.

    Shape:
        Images (count, 28, 28), uint8; labels (count,), int64.
    """
    count = TRAIN_COUNT if train else TEST_COUNT
    generator = torch.Generator().manual_seed(1 if train else 2)

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return low + (high - low) * torch.rand(count, *shape, generator=generator)

    labels = torch.arange(count).remainder(len(OUTLINES))
    labels = labels[torch.randperm(count, generator=generator)]
    angle, scale = uniform(-0.1, 0.1), uniform(0.9, 1.15)
    turn = torch.stack([angle.cos() * scale, -angle.sin(), angle.sin(), angle.cos() * scale], 1)
    moves = torch.cat([turn.reshape(-1, 2, 2), uniform(-0.08, 0.08, 2, 1)], 2)
    grid = functional.affine_grid(moves, [count, 1, SIDE, SIDE], align_corners=False)
    other = _outlines()[torch.randint(len(OUTLINES), (count,), generator=generator)]
    share = uniform(0.0, 0.5, 1, 1)  # of another outline, which makes the label less clear
    mixed = (1 - share) * _outlines()[labels] + share * other
    drawn = functional.grid_sample(mixed[:, None], grid, align_corners=False)[:, 0]
    shade = uniform(0.7, 1.3, 1, 1) * (1 + uniform(-0.4, 0.4, SIDE, SIDE))
    noisy = drawn * shade + (uniform(0.0, 1.0, SIDE, SIDE) < 0.01) * 0.4
    return (noisy.clamp(0, 1) * 255).to(torch.uint8), labels


def _outlines() -> Tensor:
    drawn = torch.zeros(len(OUTLINES), SIDE, SIDE)
    for image, parts in zip(drawn, OUTLINES, strict=True):
        for top, bottom, left, right, brightness in parts:
            image[top:bottom, left:right] = brightness
    return drawn


class FashionMNIST(Dataset[tuple[Any, int]]):
    """``torchvision.datasets.FashionMNIST`` of the drawn clothes.

    Args:
        root: Unused, as ``download``: the images are here.
        train: The part.
        transform: Of each image; without it, an image is a tensor of bytes (28, 28).
        target_transform: Of each label.
    """

    def __init__(
        self,
        root: Any = "",
        train: bool = True,
        transform: Callable[[Tensor], Any] | None = None,
        target_transform: Callable[[int], Any] | None = None,
        download: bool = False,
    ) -> None:
        self.data, self.targets = images(train=bool(train))
        self.classes = list(CLASSES)
        self.transform, self.target_transform = transform, target_transform

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        image, label = self.data[index], int(self.targets[index])
        if self.transform is not None:
            image = self.transform(image)
        return image, label if self.target_transform is None else self.target_transform(label)

    def __getitems__(self, indices: Sequence[int]) -> list[tuple[Any, int]]:
        """Return a batch; the steps of this module transform all its images at once."""
        chosen = torch.as_tensor(indices)
        steps = self.transform
        if self.target_transform is None and (
            steps is None or getattr(steps, "takes_batch", False)
        ):
            batch = self.data[chosen] if steps is None else steps(self.data[chosen])
            return list(zip(batch, self.targets[chosen].tolist(), strict=True))
        return [self[index] for index in indices]


class ToTensor:
    """``transforms.ToTensor``: from bytes to floats from 0 to 1, with a channel."""

    takes_batch = True

    def __call__(self, image: Tensor) -> Tensor:
        if image.dtype != torch.uint8:
            return image
        return image.unsqueeze(-3).to(torch.float32) / 255

    def __repr__(self) -> str:
        return "ToTensor()"


class Resize:
    """``transforms.Resize`` of images before ``ToTensor``, by bilinear interpolation."""

    takes_batch = True

    def __init__(self, size: int | Sequence[int]) -> None:
        self.size = (size, size) if isinstance(size, int) else tuple(size)

    def __call__(self, image: Tensor) -> Tensor:
        if tuple(image.shape[-2:]) == self.size:
            return image
        flat = image.reshape(-1, 1, *image.shape[-2:]).to(torch.float32)
        sized = functional.interpolate(flat, self.size, mode="bilinear", antialias=True)
        return sized.round().to(image.dtype).reshape(*image.shape[:-2], *self.size)

    def __repr__(self) -> str:
        return f"Resize(size={self.size})"


class Normalize:
    """``transforms.Normalize`` of images after ``ToTensor``."""

    takes_batch = True

    def __init__(self, mean: Sequence[float], std: Sequence[float]) -> None:
        self.mean, self.std = mean, std

    def __call__(self, image: Tensor) -> Tensor:
        mean, std = (torch.as_tensor(each).reshape(-1, 1, 1) for each in (self.mean, self.std))
        return (image - mean) / std


class Compose:
    """``transforms.Compose``: one step after the other."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = list(transforms)

    @property
    def takes_batch(self) -> bool:
        return all(getattr(each, "takes_batch", False) for each in self.transforms)

    def __call__(self, image: Any) -> Any:
        for each in self.transforms:
            image = each(image)
        return image


for _each in (FashionMNIST, ToTensor, Resize, Normalize, Compose):
    _each.__module__ = "torchvision"
