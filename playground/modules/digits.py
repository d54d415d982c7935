"""Handwritten digits: 200 images of *Optical Recognition of Handwritten Digits*, 8 × 8 pixels.

The data set is by E. Alpaydin and C. Kaynak (UCI Machine Learning Repository, 1998,
https://doi.org/10.24432/C50P49), licensed under CC BY 4.0. ``digits.csv.gz`` has the first twenty
images of each digit of its test part, in turns: 64 pixels from 0 to 16, and the digit. Nothing else
was changed.
"""

import gzip
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

FILE = Path(__file__).with_suffix(".csv.gz")
MAX_PIXEL = 16


@cache
def labelled_digits() -> tuple[Tensor, Tensor]:
    """Return the images and what they show.

    Shape: (200, 8, 8), from 0 to 1; (200,), integers.

    >>> images, labels = labelled_digits()
    >>> images.shape, labels[:12].tolist()
    (torch.Size([200, 8, 8]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1])
    """
    lines = gzip.decompress(FILE.read_bytes()).decode("ascii").splitlines()
    values = torch.tensor([[int(word) for word in line.split(",")] for line in lines])
    return values[:, :-1].reshape(-1, 8, 8).float() / MAX_PIXEL, values[:, -1]


def digits(count: int) -> Tensor:
    """Return images of the digits 0 to 9 in turns; after 200 they begin again.

    Shape: (count, 8, 8).
    """
    images, _ = labelled_digits()
    return images[torch.arange(count) % len(images)]
