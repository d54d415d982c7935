"""Puts modules, inputs and random generators back as they were before a forward.

The layers of torch.nn write only into their buffers, and only in training mode; into their inputs
only with ``inplace=True``. As soon as any other code runs (a class or a hook from elsewhere,
compiled or lazy layers), all that it could alter is copied first. Values are put back into the same
memory and without a new version, so that a graph which autograd built before stays usable.
"""

import functools
import operator
import random
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from playground.modules.trace.tree import Node, Tree

OWN_CODE = ("torch.nn.", "playground.modules.custom", "builtins")  # its effects are known
EFFECTS = ("_forward_hooks", "_forward_pre_hooks", "_compiled_call_impl", "forward", "max_norm")
CONTAINERS = frozenset({OrderedDict, dict, list, set, deque, defaultdict, Counter})
REGISTERS = frozenset({"_parameters", "_buffers", "_modules"})  # hold no containers
MAX_CONTAINERS = 1000  # looked through for one module

Contents = tuple[Any, tuple[Any, ...]]  # a container, and what it held


def runs_other_code(nodes: Iterable[Node]) -> bool:
    """Return whether calling some modules runs code whose side effects are not known."""
    for node in nodes:
        kind: Any = type(node.module)
        if not _is_own(kind):
            return True
        held = node.module.__dict__
        for name in EFFECTS:
            found = held.get(name)
            if found is not None and found != {}:
                return True
    return False


@functools.lru_cache(maxsize=4096)
def _is_own(kind: type) -> bool:
    return all(each.__module__.startswith(OWN_CODE) for each in kind.__mro__)


@contextmanager
def restored(
    tree: Tree, given: Iterable[Any], *, keep_lazy: bool, has_other_code: bool
) -> Iterator[None]:
    """Within it, a forward may alter anything; everything is put back afterwards.

    Args:
        tree: The modules.
        given: Tensors and containers that the forward will be given; it may alter them in place.
        keep_lazy: Put uninitialised layers back too; else they stay as the forward leaves them,
            and their draws stay drawn.
        has_other_code: Whether ``runs_other_code`` of the modules.
    """
    nodes = list(tree.nodes.values())
    lazy = [each for node in nodes for each in node.lazy]
    generators = [] if lazy and not keep_lazy else _generators(has_other_code)
    watched = [node for node in nodes if keep_lazy or not node.lazy] if has_other_code else []
    modules = [_ModuleState(node.module) for node in watched]
    empty = [(each, type(each), each.data) for each in lazy] if keep_lazy else []
    tensors = [_TensorState(each) for each in _tensors(tree, given, has_other_code)]
    containers = [(each, _contents(each)) for each in given if type(each) in CONTAINERS]
    try:
        yield
    finally:
        for module in modules:
            module.restore()
        _refill_changed(containers)
        for parameter, kind, data in empty:
            if type(parameter) is not kind:
                parameter.data = data
                parameter.__class__ = kind
        for tensor in tensors:
            tensor.restore()
        for set_state, state in generators:
            set_state(state)


def _generators(has_other_code: bool) -> list[tuple[Callable[[Any], object], object]]:
    """Return a setter and the state of each random generator."""
    generator = torch.default_generator
    states: list[tuple[Callable[[Any], object], object]] = [
        (generator.set_state, generator.get_state())
    ]
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        states.append((torch.cuda.set_rng_state_all, torch.cuda.get_rng_state_all()))
    if has_other_code:
        states.append((random.setstate, random.getstate()))
        numpy: Any = sys.modules.get("numpy")
        if numpy is not None:
            states.append((numpy.random.set_state, numpy.random.get_state()))
    return states


def _tensors(tree: Tree, given: Iterable[Any], has_other_code: bool) -> Iterable[torch.Tensor]:
    """Collect the tensors that a forward may write into, each once."""
    found = [each for each in given if isinstance(each, torch.Tensor)]
    for node in tree.nodes.values():
        if has_other_code:
            found += node.parameters.values()
        if node.buffers and (has_other_code or node.module.training):
            found += node.buffers.values()
    if has_other_code:
        found += [each for _, each in tree.loose]
    return {id(each): each for each in found}.values()


class _TensorState:
    """The memory, the values and the gradient of one tensor."""

    __slots__ = (
        *("_address", "_copy", "_data", "_grad", "_grad_copy", "_is_leaf", "_requires_grad"),
        "_tensor",
    )

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = tensor
        self._address = _address_of(tensor)
        self._requires_grad = tensor.requires_grad
        self._data = tensor.data  # the same memory, also if the forward gives it another
        self._copy = self._data.clone() if _is_writable(self._data) else None
        self._is_leaf = tensor.is_leaf
        self._grad = tensor.grad if self._is_leaf else None
        self._grad_copy = None if self._grad is None else self._grad.detach().clone()

    def restore(self) -> None:
        tensor = self._tensor
        if self._is_leaf:
            if tensor.requires_grad != self._requires_grad:
                tensor.requires_grad_(self._requires_grad)
            if tensor.grad is not self._grad:
                tensor.grad = self._grad
            if self._grad is not None and self._grad_copy is not None:
                self._grad.data.copy_(self._grad_copy)
        if _address_of(tensor) != self._address:
            tensor.data = self._data
        if self._copy is not None:
            if self._data.is_inference():
                with torch.inference_mode():
                    self._data.copy_(self._copy)
            else:
                self._data.copy_(self._copy)


def _is_writable(data: torch.Tensor) -> bool:
    """Return whether a forward can write values: not on meta, and not into an expanded tensor."""
    if data.is_meta:
        return False
    if data.layout is not torch.strided or data.is_nested:
        return True
    return not any(
        stride == 0 and size > 1 for stride, size in zip(data.stride(), data.shape, strict=True)
    )


def _address_of(tensor: torch.Tensor) -> int:
    try:
        return tensor.data_ptr()
    except RuntimeError:  # sparse, or a wrapper
        return 0


class _ModuleState:
    """The attributes of one module, and what its lists and tables hold."""

    __slots__ = ("_attributes", "_containers", "_kind", "_module")

    def __init__(self, module: nn.Module) -> None:
        held = module.__dict__
        self._module = module
        self._kind = type(module)
        self._attributes = held.copy()
        self._containers = _containers_in(held)
        held.pop("_compiled_call_impl", None)  # a compiled call would not be seen

    def restore(self) -> None:
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


def _containers_in(held: Mapping[str, Any]) -> list[Contents]:
    """Find the containers among a module's attributes, nested ones too, with their contents."""
    found: list[Contents] = []
    deeper: list[Any] = []
    for name, each in held.items():
        if type(each) in CONTAINERS:
            contents = _contents(each) if each else ()
            found.append((each, contents))
            if contents and name not in REGISTERS:
                deeper += [one for one in contents if type(one) in CONTAINERS]
    if deeper:
        seen = {id(each) for each, _ in found}
        while deeper and len(found) < MAX_CONTAINERS:
            each = deeper.pop()
            if id(each) not in seen:
                seen.add(id(each))
                contents = _contents(each)
                found.append((each, contents))
                deeper += [one for one in contents if type(one) in CONTAINERS]
    return found


def _refill_changed(containers: Iterable[Contents]) -> None:
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
