"""Python's functions that take the name of an attribute, and attributes that the facade answers.

``getattr``, ``setattr``, ``vars``, ``str.format`` and their like reach attributes by a text, which
the rewriting of a cell does not see. Those of a cell ask the guard for each name.
"""

import builtins
import os
import pydoc
import string
import sys
from collections.abc import Mapping, Sequence
from types import FrameType, FunctionType
from typing import Any, NoReturn

import torch

from playground.sandbox.facade.guard import (
    INSIDE,
    OPEN,
    OWN,
    VIRTUAL,
    VettedModule,
    read,
    write,
)
from playground.sandbox.facade.rewrite import READ

PAGE_BYTES = 4096
PLAIN: Any = vars(pydoc)["plaintext"]  # typeshed does not have it


def get_attribute(owner: object, name: str, *default: object) -> object:
    """``getattr``."""
    if len(default) > 1:
        raise TypeError(f"getattr expected at most 3 arguments, got {2 + len(default)}")
    _check_name(name)
    try:
        return read(owner, name)
    except AttributeError:
        if default:
            return default[0]
        raise


def has_attribute(owner: object, name: str) -> bool:
    """``hasattr``; special methods are looked up in the class, and none is called."""
    _check_name(name)
    if name[:2] == "__":
        return any(name in vars(each) for each in type(owner).__mro__)
    try:
        read(owner, name)
    except AttributeError:
        return False
    return True


def set_attribute(owner: object, name: str, value: object) -> None:
    """``setattr``."""
    _check_name(name)
    builtins.setattr(write(owner, name), name, value)


def delete_attribute(owner: object, name: str) -> None:
    """``delattr``."""
    _check_name(name)
    builtins.delattr(write(owner, name), name)


def _check_name(name: object) -> None:
    if type(name) is not str:  # a subclass could answer what it likes
        raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")


class Attributes(dict[str, Any]):
    """The ``__dict__`` of an object: setting an item sets the attribute.

    Args:
        owner: The object.
        shown: Its attributes that a cell may read.
    """

    def __init__(self, owner: object, shown: Mapping[str, Any]) -> None:
        super().__init__(shown)
        self._owner = owner

    def __setitem__(self, name: str, value: Any) -> None:
        set_attribute(self._owner, name, value)
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        delete_attribute(self._owner, name)
        super().__delitem__(name)

    def update(self, *args: Any, **words: Any) -> None:
        """Set several attributes."""
        for name, value in dict(*args, **words).items():
            self[name] = value


def variables(*owner: Any) -> dict[str, Any]:
    """``vars``; without an argument, as ``locals``."""
    if not owner:
        return _copied(_caller().f_locals)
    value = owner[0]
    if isinstance(value, VettedModule):
        return dict(builtins.vars(value))
    kind = type(value)
    if isinstance(value, type) and value.__module__ not in OWN:
        raise TypeError("vars() shows objects and classes of this program")
    if not hasattr(value, "__dict__"):
        raise TypeError("vars() argument must have __dict__ attribute")
    is_own = kind.__module__ in OWN or isinstance(value, type)
    shown = {
        name: each
        for name, each in builtins.vars(value).items()
        if type(name) is str
        and name[:2] != "__"
        and (is_own or name in OPEN or name[:1] != "_")
        and not isinstance(each, INSIDE)
        and (kind is not FunctionType or type(each) is not FunctionType)
    }
    return Attributes(value, shown)


def directory(*owner: Any) -> list[str]:
    """``dir``: texts, by which nothing can be reached that the guard does not give."""
    return builtins.dir(owner[0]) if owner else _bound(_caller().f_locals)


def global_names() -> dict[str, Any]:
    """``globals``: a copy of what the program has bound; to set an item binds no name."""
    return _copied(_caller().f_globals)


def local_names() -> dict[str, Any]:
    """``locals``: a copy of what is bound where the line stands that calls it."""
    return _copied(_caller().f_locals)


def _caller() -> FrameType:
    """Return the frame of the line that has called a function of this module.

    Raises:
        RuntimeError: No line of the cell has, but code of a library that was given the function,
            such as ``optimizer.step(globals)``; its names are not the cell's.
    """
    frame = sys._getframe(2)
    if frame.f_globals.get(READ) is not read:
        raise RuntimeError("the names are those of the line that calls this; no line does")
    return frame


def _copied(names: Mapping[str, Any]) -> dict[str, Any]:
    return {name: names[name] for name in _bound(names)}


def _bound(names: Mapping[str, Any]) -> list[str]:
    return sorted(name for name in names if name.isidentifier() and name != "__builtins__")


def help_on(*thing: Any) -> None:
    """``help``: print the documentation of an object, and never look one up by a text."""
    if not thing or isinstance(thing[0], str):
        raise TypeError("help() takes an object here, such as help(torch.ones)")
    value = thing[0]
    if isinstance(value, VettedModule):
        text = f"{value!r} has here:\n\n{'  '.join(sorted(vars(value)))}"
    else:
        text = pydoc.render_doc(value, "Help on %s", renderer=PLAIN)
    sys.stdout.write(f"{text}\n")


def ask(prompt: object = "") -> NoReturn:
    """``input``, which finds nobody to answer."""
    sys.stdout.write(str(prompt))
    raise EOFError("EOF when reading a line: nobody can answer while the program runs")


class _Formatter(string.Formatter):
    """Reads the attributes of a field as a cell does."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        first, rest = string._string.formatter_field_name_split(field_name)  # type: ignore[attr-defined]
        value = self.get_value(first, args, kwargs)
        for is_attribute, name in rest:
            value = read(value, name) if is_attribute else value[name]
        return value, first


def _format(owner: Any) -> Any:
    """``"{0.shape}".format``, also of the class ``str``."""
    if isinstance(owner, str):
        text = str.__str__(owner)
        return lambda *args, **words: _Formatter().vformat(text, args, words)
    if owner is str:
        return lambda text, *args, **words: _Formatter().vformat(str.__str__(text), args, words)
    return NotImplemented


def _format_map(owner: Any) -> Any:
    if isinstance(owner, str):
        text = str.__str__(owner)
        return lambda words: _Formatter().vformat(text, (), words)
    return NotImplemented


def _data_ptr(owner: Any) -> Any:
    """``x.data_ptr``: the address, moved by a secret number of pages.

    Equality, differences and alignment are those of the real addresses.
    """
    if isinstance(owner, torch.Tensor | torch.UntypedStorage | torch.TypedStorage):
        return lambda: _moved(owner.data_ptr())
    if owner is torch.Tensor:
        return lambda tensor: _moved(torch.Tensor.data_ptr(tensor))
    return NotImplemented


_secret: list[int] = []


def _moved(address: int) -> int:
    if not _secret:
        _secret.append(PAGE_BYTES * (1 + int.from_bytes(os.urandom(4), "little")))
    return address + _secret[0] if address else 0


VIRTUAL |= {
    "__dict__": variables,
    "format": _format,
    "format_map": _format_map,
    "data_ptr": _data_ptr,
}
