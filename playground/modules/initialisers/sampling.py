"""What a tensor's values are like, counted by torch; ten million take a fraction of a second."""

import math

import torch
from torch import Tensor

from playground.modules.distributions import Points, Span
from playground.modules.initialiser_types import Sample

BINS = 61  # odd, so that the middle one holds the middle


def sample(values: Tensor, points: Points = (), *, bins: int = BINS) -> Sample:
    """Measure a tensor.

    Args:
        values: Floats, at least one, all finite.
        points: Values that are expected exactly; their shares are measured.
        bins: How many intervals of equal width the histogram has.

    >>> sample(torch.tensor([0.0, 0.0, 1.0, 3.0]), bins=3).counts
    (2, 1, 1)
    """
    flat = values.detach().reshape(-1)
    least, most = (each.item() for each in flat.aminmax())
    low, high = _room(least, most)
    count = flat.numel()
    mean = flat.mean().item()
    std = None
    if count > 1:
        spread, middle = torch.std_mean(flat)
        std, mean = spread.item(), middle.item()
    edges = torch.linspace(low, high, bins + 1, dtype=torch.float64)
    return Sample(
        shape=tuple(values.shape),
        count=count,
        mean=mean,
        std=std,
        least=least,
        most=most,
        zero_fraction=1 - int(flat.count_nonzero()) / count,
        counts=tuple(int(each) for each in torch.histc(flat, bins, low, high).tolist()),
        edges=tuple(edges.tolist()),
        points=tuple((value, _share(flat, value)) for value, _ in points),
    )


def _room(least: float, most: float) -> Span:
    """From the least to the greatest value, or something around the only one."""
    if least < most:
        return (least, most)
    around = abs(least) / 2 or 0.5
    return (least - around, most + around)


def _share(flat: Tensor, value: float) -> float:
    """How many are this value, as the tensor's type has it; those of a sphere are nearly it."""
    wanted = torch.tensor(value, dtype=flat.dtype)
    tolerance = math.sqrt(torch.finfo(flat.dtype).eps) * abs(value)
    return int(((flat - wanted).abs() <= tolerance).sum()) / flat.numel()
