"""Tied parameters: one object under several names, or several objects in the same memory."""

import operator
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from playground.modules.trace.tree import Tree, joined
from playground.modules.trace_types import TieGroup, TieKind


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
    """Group the tensors that share values; a tensor alone is in no group.

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
    """Return True quickly in the usual case: no two address ranges overlap."""
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
    """Count the values of some tensors; those that share memory count once.

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
    """Sort spans by address, and split them where none overlaps the next."""
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
    """Group overlapping spans by the values that they share."""
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
    """Return a mask of the bytes that each tensor reads, over the span of all."""
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


MAX_VISITS = 10_000  # of modules, by all their names
MAX_PATHS = 16  # of one parameter


class Ties:
    """Finds them in a tree, and counts values with them in mind.

    Attributes:
        groups: In the order of their first names.
        name_of: By identity of a parameter, the name of the group to which it belongs.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        nodes = tree.nodes.values()
        entries = [each for node in nodes for each in node.parameters.values()]
        known = {id(each): each for each in entries}
        self._overlapping = overlapping(list(known.values()))
        self._in_overlap = {id(each) for group in self._overlapping for each in group}
        edges = sum([len(node.children) for node in nodes])
        self.groups: tuple[TieGroup, ...] = ()
        self.name_of: dict[int, str] = {}
        if edges >= len(nodes) or len(entries) > len(known) or self._in_overlap:
            self._name(known)

    def counted(self, tensors: Collection[torch.Tensor]) -> tuple[int, int]:
        """Count the values and bytes of distinct tensors."""
        if not self._in_overlap:
            numbers = [each.numel() for each in tensors]
            widths = [each.element_size() for each in tensors]
            return sum(numbers), sum(map(operator.mul, numbers, widths))
        count, size = 0, 0
        among = {id(each) for each in tensors} & self._in_overlap
        for each in tensors:
            if id(each) not in among:
                number = each.numel()
                count += number
                size += number * each.dtype.itemsize
        for group in self._overlapping if among else ():
            members = [each for each in group if id(each) in among]
            if members:
                number = values_together(members)
                count += number
                size += number * members[0].dtype.itemsize
        return count, size

    def _name(self, known: dict[int, torch.Tensor]) -> None:
        names = self._all_names()
        groups = [(TieKind.SHARED_MEMORY, group) for group in self._overlapping]
        groups += [
            (TieKind.SAME_PARAMETER, [known[each]])
            for each, found in names.items()
            if len(found) > 1 and each not in self._in_overlap
        ]
        made = []
        for kind, members in groups:
            paths = tuple(path for each in members for path in names.get(id(each), ()))
            if len(paths) < 2:
                continue
            count = self.counted(members)[0]
            made.append(TieGroup(name=paths[0], paths=paths, kind=kind, parameters=count))
            self.name_of.update({id(each): paths[0] for each in members})
        self.groups = tuple(made)

    def _all_names(self) -> dict[int, list[str]]:
        """Return all names of the parameters, up to a limit of visits; cycles are left out."""
        names: dict[int, list[str]] = {}
        waiting: list[tuple[str, nn.Module, tuple[int, ...]]] = [("", self._tree.root, ())]
        visits = 0
        while waiting and visits < MAX_VISITS:
            path, module, around = waiting.pop()
            visits += 1
            node = self._tree.node(module)
            for name, each in node.parameters.items():
                found = names.setdefault(id(each), [])
                if len(found) < MAX_PATHS:
                    found.append(joined(path, name))
            waiting += [
                (joined(path, name), child, (*around, id(module)))
                for name, child in reversed(node.children)
                if id(child) not in around and child is not module
            ]
        return names
