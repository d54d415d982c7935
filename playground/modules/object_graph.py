"""The references of an object, one step at a time, without running any of its code.

Attributes are read where Python keeps them: no property is evaluated, no ``__getattr__`` called,
and the containers of Python are read by their own methods, whatever a subclass overrides.
"""

import functools
import types
from collections import deque
from collections.abc import Iterator
from enum import Enum
from typing import Any

import torch
from torch import nn

from playground.modules.inventory_types import Kind, Reason

Step = tuple[str, Any]  # how a program writes it after the object, and what it leads to

REGISTERS = ("_parameters", "_buffers", "_modules")
MODULE_INTERNALS = (*REGISTERS, "_non_persistent_buffers_set")
MAPPINGS = (dict, types.MappingProxyType)
LISTS = (list, deque)
SETS = (set, frozenset)
LEAVES = (  # lead nowhere, or out of the module into the whole program
    *(int, float, complex, str, bytes, bytearray, type(None), type, Enum, range, slice),
    *(types.ModuleType, types.BuiltinFunctionType, types.CodeType, types.FrameType),
    *(types.GeneratorType, types.CoroutineType, torch.dtype, torch.device, torch.Generator),
)
LEAF_PACKAGES = frozenset(
    {"logging", "threading", "multiprocessing", "concurrent", "asyncio", "weakref"}
)
REASONS = (
    (LISTS, Reason.IN_LIST),
    ((tuple,), Reason.IN_TUPLE),
    (MAPPINGS, Reason.IN_DICT),
    (SETS, Reason.IN_SET),
    ((nn.Module,), Reason.UNREGISTERED_MODULE),
    ((torch.Tensor,), Reason.PLAIN_ATTRIBUTE),
)


def is_a(found: object, *kinds: type) -> bool:
    """Return whether the true type of an object is one of these, not its ``__class__``."""
    return issubclass(type(found), kinds)


def is_leaf(found: object) -> bool:
    """Return whether nothing behind an object can belong to a module."""
    kind: Any = type(found)
    return _is_leaf_type(kind)


@functools.lru_cache(maxsize=1024)
def _is_leaf_type(kind: type) -> bool:
    return issubclass(kind, LEAVES) or str(kind.__module__).partition(".")[0] in LEAF_PACKAGES


def attributes_of(found: object) -> dict[str, Any]:
    """Return the attributes of an object itself, without those of its class and properties.

    >>> net = nn.Linear(2, 1)
    >>> attributes_of(net)["in_features"]
    2
    """
    held: dict[str, Any] = {}
    kind: Any = type(found)
    book, slots = _where_attributes_are(kind)
    if book is not None:
        own = book.__get__(found)
        held.update(own if isinstance(own, dict) else {})
    for name, slot in slots:
        try:
            held.setdefault(name, slot.__get__(found))
        except AttributeError:  # the slot is empty
            continue
    return held


@functools.lru_cache(maxsize=1024)
def _where_attributes_are(kind: type) -> tuple[Any, tuple[tuple[str, Any], ...]]:
    """Python's own access to the ``__dict__`` of a type's objects, and to their slots."""
    book: Any = None
    slots = []
    for each in kind.__mro__:
        found = vars(each).get("__dict__")
        if book is None and isinstance(
            found, types.GetSetDescriptorType | types.MemberDescriptorType
        ):
            book = found
        if each.__module__ != "builtins":
            slots += [
                (name, slot)
                for name, slot in vars(each).items()
                if isinstance(slot, types.MemberDescriptorType) and name != "__dict__"
            ]
    return book, tuple(slots)


def registered_by(module: nn.Module, register: str) -> dict[str, Any]:
    """Return one of a module's registers, without None."""
    register_of = attributes_of(module).get(register) or {}
    return {name: each for name, each in register_of.items() if each is not None}


def registered_tensors(module: nn.Module) -> Iterator[tuple[str, torch.Tensor, Kind]]:
    """Return the parameters of one module, then its buffers."""
    for name, parameter in registered_by(module, "_parameters").items():
        yield name, parameter, Kind.PARAMETER
    unsaved = attributes_of(module).get("_non_persistent_buffers_set") or ()
    for name, buffer in registered_by(module, "_buffers").items():
        yield name, buffer, Kind.NON_PERSISTENT_BUFFER if name in unsaved else Kind.BUFFER


def unregistered_steps(module: nn.Module) -> Iterator[Step]:
    """Yield the plain attributes of a module."""
    for name, found in attributes_of(module).items():
        if name not in MODULE_INTERNALS:
            yield f".{name}", found


def steps(found: object) -> Iterator[Step]:
    """Yield what an object refers to, leaves excluded: elements, keys and values, attributes."""
    for step, next_found in _steps(found):
        if not is_leaf(next_found):
            yield step, next_found


def _steps(found: object) -> Iterator[Step]:
    if is_a(found, nn.Module):
        module: Any = found
        for register in REGISTERS:
            for name, each in registered_by(module, register).items():
                yield f".{name}", each
        yield from unregistered_steps(module)
        return
    yield from _elements(found)
    if is_a(found, types.FunctionType, types.MethodType, functools.partial):
        yield from _held_by_function(found)
    for name, each in attributes_of(found).items():
        yield f".{name}", each


def _elements(found: Any) -> Iterator[Step]:
    if is_a(found, *MAPPINGS):
        pairs = found.items() if is_a(found, types.MappingProxyType) else dict.items(found)
        for index, (key, value) in enumerate(list(pairs)):
            yield f"[{written_key(key, index)}]", value
            if not is_leaf(key):
                yield f".keys()[{index}]", key
    elif is_a(found, *SETS):
        read = set.__iter__ if is_a(found, set) else frozenset.__iter__
        for index, each in enumerate(list(read(found))):
            yield f"{{{index}}}", each
    elif is_a(found, tuple, *LISTS):
        kind = next(kind for kind in (list, tuple, deque) if is_a(found, kind))
        for index, each in enumerate(list(kind.__iter__(found))):
            yield f"[{index}]", each


def written_key(key: object, index: int) -> str:
    """Write a key as a program does; a key with code of its own is written as a number.

    >>> written_key("mask", 0), written_key(3, 0), written_key(object(), 4)
    ("'mask'", '3', '<object 4>')
    """
    if type(key) in (str, int, bool, float, bytes, type(None)):
        return repr(key)
    return f"<{type(key).__name__} {index}>"


def _held_by_function(found: Any) -> Iterator[Step]:
    if is_a(found, functools.partial):
        yield ".func", found.func
        yield ".args", found.args
        yield ".keywords", found.keywords
        return
    if is_a(found, types.MethodType):
        yield ".__self__", found.__self__
        return
    for index, cell in enumerate(found.__closure__ or ()):
        try:
            yield f".__closure__[{index}].cell_contents", cell.cell_contents
        except ValueError:  # the cell is empty
            continue
    yield ".__defaults__", found.__defaults__
    yield ".__kwdefaults__", found.__kwdefaults__


def reason_for(holder: object) -> Reason:
    """Return why ``.to`` does not visit a value, by the object that holds it."""
    for kinds, reason in REASONS:
        if is_a(holder, *kinds):
            return reason
    return Reason.IN_OBJECT
