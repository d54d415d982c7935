"""What an object leads to, one step on; asks the object nothing, so nothing in it can run.

Attributes are read where Python keeps them: no property is evaluated, no ``__getattr__`` called,
and the containers of Python are read by their own methods, whatever a subclass has made of them.
"""

import functools
import types
from collections import deque
from collections.abc import Iterator
from enum import Enum
from typing import Any

import torch
from torch import nn

from playground.modules.rows import Kind, Reason

Step = tuple[str, Any]  # how a program writes it after the object, and what it leads to

REGISTERS = ("_parameters", "_buffers", "_modules")
OWN_BOOKS = (*REGISTERS, "_non_persistent_buffers_set")
MAPPINGS = (dict, types.MappingProxyType)
LISTS = (list, deque)
SETS = (set, frozenset)
ENDS = (  # lead nowhere, or out of the module into the whole program
    *(int, float, complex, str, bytes, bytearray, type(None), type, Enum, range, slice),
    *(types.ModuleType, types.BuiltinFunctionType, types.CodeType, types.FrameType),
    *(types.GeneratorType, types.CoroutineType, torch.dtype, torch.device, torch.Generator),
)
FOREIGN = frozenset({"logging", "threading", "multiprocessing", "concurrent", "asyncio", "weakref"})
REASONS = (
    (LISTS, Reason.IN_LIST),
    ((tuple,), Reason.IN_TUPLE),
    (MAPPINGS, Reason.IN_DICT),
    (SETS, Reason.IN_SET),
    ((nn.Module,), Reason.UNREGISTERED_MODULE),
    ((torch.Tensor,), Reason.PLAIN_ATTRIBUTE),
)


def is_a(found: object, *kinds: type) -> bool:
    """Whether an object is of one of these kinds by its true type, not by what it says it is."""
    return issubclass(type(found), kinds)


def is_end(found: object) -> bool:
    """Whether nothing behind an object can belong to a module."""
    kind: Any = type(found)
    return _ends(kind)


@functools.lru_cache(maxsize=1024)
def _ends(kind: type) -> bool:
    return issubclass(kind, ENDS) or str(kind.__module__).partition(".")[0] in FOREIGN


def attributes_of(found: object) -> dict[str, Any]:
    """The attributes that an object itself holds; those of its class and its properties do not.

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
    """One of a module's registers, without what is None."""
    register_of = attributes_of(module).get(register) or {}
    return {name: each for name, each in register_of.items() if each is not None}


def registered_tensors(module: nn.Module) -> Iterator[tuple[str, torch.Tensor, Kind]]:
    """The parameters of one module, then its buffers."""
    for name, parameter in registered_by(module, "_parameters").items():
        yield name, parameter, Kind.PARAMETER
    unsaved = attributes_of(module).get("_non_persistent_buffers_set") or ()
    for name, buffer in registered_by(module, "_buffers").items():
        yield name, buffer, Kind.NON_PERSISTENT_BUFFER if name in unsaved else Kind.BUFFER


def unregistered_steps(module: nn.Module) -> Iterator[Step]:
    """What a module holds as plain attributes."""
    for name, found in attributes_of(module).items():
        if name not in OWN_BOOKS:
            yield f".{name}", found


def steps(found: object) -> Iterator[Step]:
    """What any object leads to that is no end: elements, keys and values, attributes."""
    for step, next_found in _steps(found):
        if not is_end(next_found):
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
            if not is_end(key):
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
    """A key as a program writes it; one that would have to be asked for its text has a number.

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
    """Why what an attribute holds is not visited, by what the attribute holds."""
    for kinds, reason in REASONS:
        if is_a(holder, *kinds):
            return reason
    return Reason.IN_OBJECT
