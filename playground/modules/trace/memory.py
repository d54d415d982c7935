"""Which tensors lie in the same memory, and how many values they hold together."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch.nn.parameter import is_lazy


class Span(NamedTuple):
    """The bytes from a tensor's first to its last.

    Attributes:
        space: Addresses can be compared within it only.
        is_dense: Every byte of it belongs to the tensor.
    """

    space: object
    first: int
    end: int
    is_dense: bool
    tensor: torch.Tensor


def overlapping(tensors: Iterable[torch.Tensor]) -> list[list[torch.Tensor]]:
    """Groups of tensors that truly share values; a tensor alone is in no group.

    Neighbours in one storage, as cuDNN keeps the weights of an LSTM, share nothing, nor do tensors
    without elements, or without plain memory.
    """
    tensors = list(tensors)
    if len(tensors) < 2 or _are_plainly_apart(tensors):
        return []
    spaces: dict[object, list[Span]] = {}
    for tensor in tensors:
        span = _span(tensor)
        if span is not None:
            spaces.setdefault(span.space, []).append(span)
    return [
        [span.tensor for span in group]
        for spans in spaces.values()
        if len(spans) > 1
        for run in _runs(spans)
        for group in _that_meet(run)
    ]


def _are_plainly_apart(tensors: list[torch.Tensor]) -> bool:
    """The usual case, told quickly: every tensor lies in a piece of addresses of its own."""
    try:
        pieces = sorted(
            [(each.data_ptr(), each.nbytes) for each in tensors if each.is_contiguous()]
        )
    except (RuntimeError, NotImplementedError):
        return False
    end = 1  # on meta there is no address: 0
    for first, length in pieces:
        if first < end:
            return False
        end = first + length
    return len(pieces) == len(tensors)


def values_together(tensors: Sequence[torch.Tensor]) -> int:
    """How many values some tensors hold, those that share memory counted once.

    >>> weight = torch.zeros(4, 3)
    >>> values_together([weight, weight.t(), weight[:2]])
    12
    """
    spans = [span for tensor in tensors if (span := _span(tensor)) is not None]
    count = 0
    for run in _runs(spans):
        if all(span.is_dense for span in run):
            length = max(span.end for span in run) - run[0].first
        else:
            length = int(torch.stack(_bytes_touched(run)).any(0).sum())
        count += length // run[0].tensor.element_size()
    return count


def _runs(spans: Sequence[Span]) -> list[list[Span]]:
    """Spans in the order of their addresses, parted where nothing reaches over."""
    runs: list[list[Span]] = []
    end = 0
    for span in sorted(spans, key=lambda span: (span.first, span.end)):
        if not runs or span.first >= end:
            runs.append([])
            end = span.end
        runs[-1].append(span)
        end = max(end, span.end)
    return runs


def _that_meet(run: list[Span]) -> list[list[Span]]:
    """Of spans that reach over each other, the groups that meet in a value."""
    if len(run) < 2:
        return []
    if all(span.is_dense for span in run):
        return [run]
    groups: list[tuple[torch.Tensor, list[Span]]] = []
    for span, touched in zip(run, _bytes_touched(run), strict=True):
        apart, together, members = [], touched, [span]
        for mask, others in groups:
            if bool((mask & touched).any()):
                together, members = together | mask, others + members
            else:
                apart.append((mask, others))
        groups = [*apart, (together, members)]
    return [members for _, members in groups if len(members) > 1]


def _bytes_touched(run: Sequence[Span]) -> list[torch.Tensor]:
    """For each tensor a mask of the bytes that it reads, over the span of all."""
    start = run[0].first
    length = max(span.end for span in run) - start
    masks = []
    for span in run:
        mask = torch.zeros(length, dtype=torch.bool, device="cpu")
        width = span.tensor.element_size()
        strides = [stride * width for stride in span.tensor.stride()]
        offset = span.first - start
        mask.as_strided((*span.tensor.shape, width), (*strides, 1), offset).fill_(True)
        masks.append(mask)
    return masks


def _span(tensor: torch.Tensor) -> Span | None:
    if is_lazy(tensor):
        return None
    try:
        count = tensor.numel()
        if not count:
            return None
        width = tensor.element_size()
        is_dense = tensor.is_contiguous()
        length = count * width
        if not is_dense:
            steps = zip(tensor.shape, tensor.stride(), strict=True)
            reach = (sum((size - 1) * stride for size, stride in steps) + 1) * width
            is_dense, length = reach == length, reach
        if not tensor.is_meta:
            first = tensor.data_ptr()
            return Span(tensor.device.type, first, first + length, is_dense, tensor)
        storage = tensor.untyped_storage()._cdata  # on meta there is no address
        offset = int(tensor.storage_offset()) * width
    except (RuntimeError, NotImplementedError):  # sparse, nested, wrapped: no plain memory
        return None
    return Span(storage, offset, offset + length, is_dense, tensor)
