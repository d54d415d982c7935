"""Puts modules back as they were before a forward: attributes, registers, hooks, values, gradients.

Values are put back into the same memory, and without a new version, so that a graph which autograd
has built before stays usable.
"""

import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from playground.modules.trace.suspicion import Suspicion
from playground.modules.trace.tree import Tree
from playground.modules.trace.value import Value

SMALL = 1 << 20  # parameters of so many bytes are copied unless all code is torch's own
CONTAINERS = frozenset({OrderedDict, dict, list, set, deque, defaultdict, Counter})
REGISTERS = frozenset({"_parameters", "_buffers", "_modules"})  # hold no containers
MOST_CONTAINERS = 1000  # looked through for one module


@contextmanager
def untouched(
    tree: Tree, given: Iterable[Any], *, keep_lazy: bool, suspicion: Suspicion
) -> Iterator[list[str]]:
    """Within it, a forward may alter anything; everything is put back afterwards.

    Args:
        tree: The modules.
        given: Tensors and containers that the forward will be given; it may alter them in place.
        keep_lazy: Put uninitialised layers back too; else they stay as the forward leaves them.
        suspicion: What the forward may do.

    Yields:
        A list, empty until the end, of the paths of what was altered and of which there is no copy.
    """
    nodes = [node for node in tree.nodes.values() if keep_lazy or not node.lazy]
    books = [Book(node.module) for node in nodes]
    empty: list[tuple[Any, type, torch.Tensor]] = [
        (each, type(each), each.data) for node in nodes for each in node.lazy
    ]
    tensors = [each for each in given if isinstance(each, torch.Tensor)]
    values = _values(tree, tensors, suspicion)
    containers = [(each, _contents(each)) for each in given if type(each) in CONTAINERS]
    lost: list[str] = []
    try:
        yield lost
    finally:
        for book in books:
            book.put_back()
        _refill_changed(containers)
        for parameter, kind, data in empty:
            if type(parameter) is not kind:
                parameter.data = data
                parameter.__class__ = kind
        lost += [value.path for value in values if not value.put_back()]


def _values(tree: Tree, given: Iterable[torch.Tensor], suspicion: Suspicion) -> list[Value]:
    is_suspect = suspicion.writes
    parameters, buffers = {}, {}
    size = 0
    for node in tree.nodes.values():
        for name, each in node.parameters.items() if suspicion.is_foreign else ():
            if id(each) not in parameters:
                parameters[id(each)] = (each, node, name)
                size += each.nbytes
        for name, each in node.buffers.items():
            buffers[id(each)] = (each, node, name)
    copies = is_suspect or size <= SMALL
    values = [
        Value(each, (node, name), copies=copies, is_suspect=is_suspect)
        for each, node, name in parameters.values()
    ]
    values += [
        Value(each, (node, name), copies=True, is_suspect=True)  # batch_norm tells no version
        for each, node, name in buffers.values()
    ]
    known = parameters.keys() | buffers.keys()
    loose = [each for each in tree.loose if suspicion.is_foreign and id(each[1]) not in known]
    copies = is_suspect or sum(_size(each) for _, each in loose) <= SMALL
    values += [Value(each, path, copies=copies, is_suspect=is_suspect) for path, each in loose]
    known |= {id(each) for _, each in loose}
    values += [
        Value(each, "", copies=True, is_suspect=is_suspect)
        for each in given
        if id(each) not in known
    ]
    return values


def _size(tensor: torch.Tensor) -> int:
    return tensor.nbytes if tensor.layout is torch.strided and not tensor.is_nested else 0


class Book:
    """The attributes of one module, and what its lists and tables hold."""

    __slots__ = ("_attributes", "_containers", "_kind", "_module")

    def __init__(self, module: nn.Module) -> None:
        held = module.__dict__
        self._module = module
        self._kind = type(module)
        self._attributes = held.copy()
        self._containers = _containers_in(held)
        held.pop("_compiled_call_impl", None)  # a compiled call would not be seen

    def put_back(self) -> None:
        """Only what differs is touched."""
        if type(self._module) is not self._kind:
            self._module.__class__ = self._kind
        held, before = self._module.__dict__, self._attributes
        is_same = len(held) == len(before) and all(
            map(operator.is_, held.values(), before.values())
        )
        if not is_same or list(held) != list(before):
            held.clear()
            held.update(before)
        _refill_changed(self._containers)


def _containers_in(held: Mapping[str, Any]) -> list[tuple[Any, tuple[Any, ...]]]:
    """The containers among a module's attributes and inside those, and what they hold."""
    found: list[tuple[Any, tuple[Any, ...]]] = []
    deeper: list[Any] = []
    for name, each in held.items():
        if type(each) in CONTAINERS:
            contents = _contents(each) if each else ()
            found.append((each, contents))
            if contents and name not in REGISTERS:
                deeper += [one for one in contents if type(one) in CONTAINERS]
    if deeper:
        seen = {id(each) for each, _ in found}
        while deeper and len(found) < MOST_CONTAINERS:
            each = deeper.pop()
            if id(each) not in seen:
                seen.add(id(each))
                contents = _contents(each)
                found.append((each, contents))
                deeper += [one for one in contents if type(one) in CONTAINERS]
    return found


def _refill_changed(containers: Iterable[tuple[Any, tuple[Any, ...]]]) -> None:
    for container, contents in containers:
        if (container or contents) and not _is_same(container, contents):
            _refill(container, contents)


def _contents(container: Any) -> tuple[Any, ...]:
    if isinstance(container, dict):
        return (*container, *container.values())
    return tuple(container)


def _is_same(container: Any, contents: tuple[Any, ...]) -> bool:
    now = _contents(container)
    return len(now) == len(contents) and all(map(operator.is_, now, contents))


def _refill(container: Any, contents: tuple[Any, ...]) -> None:
    container.clear()
    if isinstance(container, dict):
        half = len(contents) // 2
        for key, value in zip(contents[:half], contents[half:], strict=True):
            container[key] = value  # a Counter's update would add
    elif isinstance(container, set):
        container.update(contents)
    else:
        container.extend(contents)
