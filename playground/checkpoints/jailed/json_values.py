"""Tensor elements and statistics as JSON values, within a size, in little memory."""

import json
import math
from collections.abc import Iterable, Iterator
from typing import TypeVar

import torch
from torch import Tensor

from playground.checkpoints.load_results import (
    HISTOGRAM_BINS,
    Distance,
    Element,
    Number,
    Statistics,
)
from playground.sandbox import schema

CHUNK_ELEMENTS = 2**18  # elements looked at together; then what is computed on the way stays small
EXTREME = 1e100  # squares of larger numbers, or of smaller ones than 1 / EXTREME, leave float64


def statistics(tensor: Tensor) -> Statistics:
    """Count and measure every element.

    >>> statistics(torch.tensor([0.0, 3.0, float("nan")])).mean
    1.5
    """
    count = _Count()
    ends: list[tuple[Number, Number]] = []
    for part in chunks(tensor):
        finite = count.take(part)
        if finite.numel() and not finite.is_complex():
            low, high = finite.aminmax()
            ends.append((_number(low), _number(high)))
    if not ends:
        return Statistics(**vars(count), minimum=None, maximum=None, mean=None, std=None)
    smallest, largest = min(low for low, _ in ends), max(high for _, high in ends)
    mean, std = _moments(tensor, _scale(max(abs(smallest), abs(largest))))
    return Statistics(
        **vars(count),
        minimum=smallest,
        maximum=largest,
        mean=mean,
        std=std,
        histogram=_histogram(tensor, float(smallest), float(largest)),
    )


def distance(first: Tensor, second: Tensor) -> Distance:
    """Measure how two tensors of one shape differ; their data types may be others.

    >>> distance(torch.tensor([3.0, 4.0]), torch.tensor([3.0, 4.5])).relative
    0.1
    """
    changed, count, largest, total, moved, norm = 0, 0, 0.0, 0.0, 0.0, 0.0
    odd = [0, 0]
    for mine, other in zip(chunks(first), chunks(second), strict=True):
        changed += int(unequal(mine, other).sum())
        wide = torch.promote_types(torch.promote_types(mine.dtype, other.dtype), torch.float64)
        pair = mine.to(wide), other.to(wide)
        finite = [each.isfinite() for each in pair]
        odd = [so_far + int((~each).sum()) for so_far, each in zip(odd, finite, strict=True)]
        before, after = (each[finite[0] & finite[1]] for each in pair)
        apart = (after - before).abs()
        if apart.numel():
            count += apart.numel()
            largest = max(largest, float(apart.max()))
            total += float(apart.sum())
            moved = math.hypot(moved, _norm(apart))
            norm = math.hypot(norm, _norm(before.abs()))
    return Distance(
        changed=changed,
        maximum=_finite_or_none(largest) if count else None,
        mean=_finite_or_none(total / count) if count else None,
        relative=_finite_or_none(moved / norm) if norm else None,
        not_finite=(odd[0], odd[1]),
    )


def unequal(first: Tensor, second: Tensor) -> Tensor:
    """Return for each element whether it has another value; NaN equals NaN.

    >>> unequal(torch.tensor([0.5, float("nan")]), torch.tensor([1.0, float("nan")])).tolist()
    [True, False]
    """
    if first.dtype != second.dtype:
        wide = torch.promote_types(torch.promote_types(first.dtype, second.dtype), torch.float64)
        first, second = first.to(wide), second.to(wide)
    return first.ne(second) & ~(first.isnan() & second.isnan())


def _norm(sizes: Tensor) -> float:
    """Return the Euclidean norm of numbers of at least 0, whose squares may be too large."""
    largest = sizes.max()
    return float(largest * (sizes / largest).norm()) if largest else 0.0


def _finite_or_none(number: float) -> float | None:
    return number if math.isfinite(number) else None


def first_elements(tensor: Tensor, most: int) -> tuple[Element, ...]:
    """Return the first elements in row-major order, for any strides.

    >>> first_elements(torch.tensor([[1, 2], [3, 4]]).T, 3)
    (1, 3, 2)
    """
    return tuple(
        to_json_value(tensor[_place(number, tensor.shape)].item())
        for number in range(min(most, tensor.numel()))
    )


def to_json_value(element: bool | float | complex) -> Element:
    """Convert an element to a JSON value; NaN, infinities and complex numbers become texts.

    >>> to_json_value(float("-inf")), to_json_value(1 + 2j), to_json_value(True)
    ('-inf', '1+2j', True)
    """
    if isinstance(element, complex):
        return str(element).strip("()")
    if isinstance(element, float) and not math.isfinite(element):
        return str(element)
    return element


def chunks(tensor: Tensor) -> Iterator[Tensor]:
    """Yield all elements in flat pieces of bounded size, in no defined order."""
    if tensor.numel() <= CHUNK_ELEMENTS:
        yield tensor.reshape(-1)
        return
    along = max(range(tensor.dim()), key=tensor.shape.__getitem__)
    size = tensor.shape[along]
    step = max(1, size * CHUNK_ELEMENTS // tensor.numel())
    for start in range(0, size, step):
        yield from chunks(tensor.narrow(along, start, min(step, size - start)))


def _place(number: int, shape: Iterable[int]) -> tuple[int, ...]:
    """Return the index of the element with a row-major number.

    >>> _place(7, (2, 3, 4))
    (0, 1, 3)
    """
    place = []
    for size in reversed(tuple(shape)):
        number, last = divmod(number, size)
        place.append(last)
    return tuple(reversed(place))


class _Count:
    """Counts zeros, NaN and infinities chunk by chunk."""

    def __init__(self) -> None:
        self.nans = 0
        self.infinities = 0
        self.zeros = 0

    def take(self, part: Tensor) -> Tensor:
        """Count a chunk; return its finite elements."""
        self.zeros += part.numel() - int(part.count_nonzero())
        finite = _finite(part)
        if finite is not part:
            self.nans += int(part.isnan().sum())
            self.infinities += int(part.isinf().sum())
        return finite


def _moments(tensor: Tensor, scale: float) -> tuple[float, float | None]:
    """Mean and standard deviation; chunks are joined by the formula of Chan, Golub and LeVeque."""
    count, mean, squares = 0, 0.0, 0.0
    for part in chunks(tensor):
        values = _finite(part).to(torch.float64)
        if not values.numel():
            continue
        if scale != 1:
            values = values / scale
        middle = float(values.sum()) / values.numel()
        values = values - middle
        distance, both = middle - mean, count + values.numel()
        mean += distance * values.numel() / both
        squares += float(values.dot(values)) + distance**2 * count * values.numel() / both
        count = both
    std = math.sqrt(squares / (count - 1)) * scale if count > 1 else None
    return mean * scale, None if std is None or math.isinf(std) else std


def _histogram(tensor: Tensor, low: float, high: float) -> tuple[int, ...]:
    """Count the finite elements in equal intervals, chunk by chunk."""
    if not low < high or not math.isfinite(high - low):
        return ()
    counts = torch.zeros(HISTOGRAM_BINS, dtype=torch.int64)
    for part in chunks(tensor):
        places = (_finite(part).to(torch.float64) - low) / (high - low) * HISTOGRAM_BINS
        places = places.clamp(0, HISTOGRAM_BINS - 1).to(torch.int64)  # the maximum is in the last
        counts += places.bincount(minlength=HISTOGRAM_BINS)
    return tuple(counts.tolist())


def _finite(part: Tensor) -> Tensor:
    """Return the finite elements; the chunk itself if its sum shows that all are finite."""
    if not (part.is_floating_point() or part.is_complex()):
        return part
    if math.isfinite(abs(part.sum().item())):
        return part
    is_finite = part.isfinite()
    return part if bool(is_finite.all()) else part[is_finite]


def _number(end: Tensor) -> Number:
    found: Number = end.item()
    return int(found) if end.dtype is torch.bool else found


def _scale(largest: Number) -> float:
    is_extreme = largest > EXTREME or 0 < largest < 1 / EXTREME
    return float(largest) if is_extreme else 1.0


T = TypeVar("T")


def take_within(room: int, records: Iterable[T]) -> Iterator[T]:
    """Yield the first records that fit into a number of bytes as JSON; later ones are not made."""
    for each in records:
        room -= len(json.dumps(schema.write(each))) + 2  # with a comma and a space
        if room < 0:
            return
        yield each
