"""The guard of every attribute that a cell reads or sets, as RestrictedPython's ``_getattr_``.

The check sees only names. Which object a name is bound to is known when the cell runs. So the
executor compiles ``owner.name`` as ``read(owner, "name")`` (see ``attributes``). ``read`` allows:

- on every object, the attributes of ``allowed_names.toml`` and the special methods that act on the
  object alone; on those of matplotlib and pandas, their own lists there, and nothing else;
- what the classes of the cell define, and what is stored on an object without an underscore;
- a method of a real class, read from that class, for objects of that class only. Python itself
  would let ``nn.Module.state_dict`` work on anything.

``write`` allows what a cell may set or delete: attributes of objects, of its own classes and of its
own functions, but none of Python's own, and nothing of a real class. ``VIRTUAL`` has attributes
that are answered by the facade instead of the object.

Modules, frames, code objects and tracebacks are never given, and nothing of theirs.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from types import (
    CodeType,
    FrameType,
    FunctionType,
    GenericAlias,
    MethodType,
    ModuleType,
    TracebackType,
)
from typing import Any, Generic, NoReturn, TypeVar

from playground.sandbox.allowed_names import (
    ATTRIBUTES,
    CLOSED,
    LIBRARY_ATTRIBUTES,
    PRIVATE,
    RESERVED,
    SPECIAL_METHODS,
    SPECIAL_NAMES,
)

HOME = "__main__"  # where the classes of a cell say that they are from
OWN = frozenset({HOME, "d2l.torch", "torchvision", "tqdm"})  # and of ``packages``
OF_FUNCTIONS = SPECIAL_NAMES | {"__call__", "cache_clear", "cache_info"}
OPEN = (ATTRIBUTES | SPECIAL_METHODS | SPECIAL_NAMES | OF_FUNCTIONS | PRIVATE) - CLOSED
RENAMED = frozenset({"__doc__", "__name__", "__qualname__"})  # set on a cell's own functions
OF_LIBRARY = {
    library: (names | SPECIAL_METHODS | SPECIAL_NAMES) - CLOSED
    for library, names in LIBRARY_ATTRIBUTES.items()
}
OF_PACKAGE = OF_LIBRARY | dict.fromkeys(
    ("contourpy", "cycler", "mpl_toolkits"), OF_LIBRARY["matplotlib"]
)  # by package: what its objects may be asked
INSIDE = (ModuleType, FrameType, CodeType, TracebackType)
ALIASES = frozenset({type(Generic[TypeVar("T")]), GenericAlias})  # type: ignore[index]
FUNCTIONS = frozenset({FunctionType, MethodType, type(functools.cache(len))})
VIRTUAL: dict[str, Callable[[Any], Any]] = {}
"""By name: returns the attribute of an object, or ``NotImplemented`` where it has the real one."""


class VettedModule:
    """A module as a cell sees it; the real one cannot be reached through it.

    Args:
        name: Dotted.
        flags: Members that a cell may set.

    >>> VettedModule("torch")
    <module 'torch'>
    >>> VettedModule("torch").os
    Traceback (most recent call last):
    AttributeError: the lab's module 'torch' has no attribute 'os'
    """

    __slots__ = ("__dict__", "_flags", "_name")

    def __init__(self, name: str, flags: Iterable[str] = ()) -> None:
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_flags", frozenset(flags))

    def offer(self, name: str, value: object) -> None:
        """Add a member; called only where the module is built."""
        vars(self)[name] = value

    def __dir__(self) -> list[str]:
        return sorted(vars(self))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the lab's module {self._name!r} has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self._flags or type(value) not in (bool, int, str):
            raise AttributeError(f"the lab's module {self._name!r} cannot be changed: {name!r}")
        vars(self)[name] = value  # it is remembered, and nothing else

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"the lab's module {self._name!r} cannot be changed: {name!r}")

    def __repr__(self) -> str:
        return f"<module {self._name!r}>"


def read(owner: Any, name: str) -> Any:
    """Return ``owner.name`` if a cell may read it.

    Raises:
        AttributeError: There is no such attribute, or it is not the cell's to read.
    """
    kind = type(owner)
    if kind in ALIASES:
        owner = owner.__origin__  # ``Dataset[int]`` is asked as ``Dataset``
        kind = type(owner)
    if kind is VettedModule:
        return vars(owner)[name] if name in vars(owner) else owner.__getattr__(name)
    virtual = VIRTUAL.get(name)
    if virtual is not None:
        value = virtual(owner)
        if value is not NotImplemented:
            return value
    package = (owner if isinstance(owner, type) else kind).__module__.partition(".")[0]
    if package in OF_PACKAGE:
        return _read_of_library(owner, name, OF_PACKAGE[package])
    if isinstance(owner, type) or (kind is super and isinstance(owner.__self__, type)):
        return _read_of_class(owner, name)
    if name in OPEN and (kind not in FUNCTIONS or name in OF_FUNCTIONS):
        return getattr(owner, name)
    is_own = kind.__module__ in OWN
    home = None if is_own and _is_stored(owner, name) else _home(_order(owner, kind), name)
    if home is None or home.__module__ in OWN:
        return _given(owner, name, is_fine=is_own or home is not None or name[:1] != "_")
    is_hidden = _is_stored(owner, name) and not hasattr(type(vars(home)[name]), "__set__")
    return _given(owner, name, is_fine=is_hidden and (is_own or name[:1] != "_"))


def _read_of_library(owner: Any, name: str, offered: frozenset[str]) -> Any:
    if name not in offered and type(owner).__name__ == "DataFrame" and name in owner.columns:
        return owner[name]  # a column is an attribute of a table
    if name not in offered or isinstance(value := getattr(owner, name), INSIDE):
        kind = owner if isinstance(owner, type) else type(owner)
        raise AttributeError(f"the lab does not offer {name!r} of {kind.__name__!r}", name=name)
    if isinstance(owner, type) and type(value) is FunctionType:
        return for_its_objects(value, owner)
    return value


def _read_of_class(owner: Any, name: str) -> Any:
    kind = type(owner)
    kinds = _order(owner, kind) if kind is super else owner.__mro__
    home = _home(kinds, name) or _home(kind.__mro__, name)
    if name not in OPEN:
        is_own = (home or owner).__module__ in OWN
        return _given(owner, name, is_fine=is_own or (home is None and name[:1] != "_"))
    if (
        home
        and home in kinds
        and home.__module__ not in OWN
        and type(vars(home)[name]) is FunctionType
    ):
        return for_its_objects(vars(home)[name], home)
    return getattr(owner, name)


def _given(owner: Any, name: str, *, is_fine: bool) -> Any:
    value = getattr(owner, name)
    is_fine = is_fine and not isinstance(value, INSIDE) and not isinstance(owner, INSIDE)
    if not is_fine or (type(owner) in FUNCTIONS and _is_of_library(value)):
        kind = owner if isinstance(owner, type) else type(owner)
        raise AttributeError(f"the lab does not offer {name!r} of {kind.__name__!r}", name=name)
    return value


def _is_of_library(value: Any) -> bool:
    """Return whether a value is a function that is not the cell's.

    ``torch.vmap(StepLR)`` is a function with all methods of the class: ``functools.wraps`` in it
    copies them.
    """
    return type(value) is FunctionType and value.__module__ not in OWN


def _home(kinds: Sequence[type], name: str) -> type | None:
    """Return the class that defines an attribute; None if the object itself holds it."""
    for each in kinds:
        if name in each.__dict__:
            return each
    return None


def _order(owner: Any, kind: type) -> Sequence[type]:
    """Return the classes in which Python looks for an attribute."""
    if kind is not super:
        return kind.__mro__
    kinds: Sequence[type] = owner.__self_class__.__mro__
    return kinds[kinds.index(owner.__thisclass__) + 1 :]


def _is_stored(owner: Any, name: str) -> bool:
    return name in getattr(owner, "__dict__", ())


def write(owner: Any, name: str) -> Any:
    """Return the object itself if a cell may set or delete its attribute.

    Raises:
        AttributeError: The attribute is Python's own or torch's, or the object is no cell's.
    """
    kind = type(owner)
    if kind is VettedModule:
        return owner  # it refuses by itself
    is_own = (owner if kind in FUNCTIONS or isinstance(owner, type) else kind).__module__ in OWN
    if name[:2] == "__" == name[-2:]:
        is_class = isinstance(owner, type)
        is_fine = is_own and (
            (name in RENAMED and (kind is FunctionType or is_class))
            or (name in SPECIAL_METHODS - {"__exit__"} and is_class)
        )
    elif kind in FUNCTIONS or isinstance(owner, type):
        is_fine = is_own
    elif name[:1] == "_":
        is_fine = is_own and not (name in RESERVED | PRIVATE and _is_of_torch(kind))
    else:
        is_fine = not isinstance(owner, INSIDE)
    if not is_fine:
        kind = owner if isinstance(owner, type) else kind
        raise AttributeError(f"the lab does not set {name!r} of {kind.__name__!r}", name=name)
    return owner


def update(owner: Any, name: str) -> Any:
    """Return the object itself if a cell may read and set its attribute, as ``+=`` does."""
    if type(owner).__module__ not in OWN or not _is_stored(owner, name):
        read(owner, name)
    return write(owner, name)


def _is_of_torch(kind: type) -> bool:
    """Return whether a class has bases that are neither the cell's nor Python's."""
    return any(each.__module__ not in OWN | {"builtins", "abc"} for each in kind.__mro__)


def pattern(kind: Any, *names: str) -> Any:
    """Return the class of a pattern, whose named attributes ``match`` reads without ``read``.

    Raises:
        AttributeError: An attribute is not one that a cell may read of any object, and the class is
            not the cell's.
    """
    for name in names:
        home = _home(kind.__mro__, name) if isinstance(kind, type) else None
        is_own = isinstance(kind, type) and kind.__module__ in OWN
        if name not in OPEN - VIRTUAL.keys() and not (
            is_own and (home is None or home.__module__ in OWN)
        ):
            raise AttributeError(f"the lab does not match {name!r} of {kind!r}", name=name)
    return kind


def without_traceback(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the ``__exit__`` of a cell's class, to which Python passes a traceback."""

    @functools.wraps(function)
    def exit_(*args: Any) -> Any:
        return function(*(None if isinstance(each, TracebackType) else each for each in args))

    return exit_


def for_its_objects(function: Callable[..., Any], kind: type) -> Callable[..., Any]:
    """Make a method refuse objects of other classes.

    Args:
        function: As the class defines it.
        kind: The class.
    """

    @functools.wraps(function, updated=())
    def method(owner: Any, /, *args: Any, **words: Any) -> Any:
        if kind not in type(owner).__mro__:
            given = type(owner).__name__
            raise TypeError(f"{function.__qualname__} is for a {kind.__name__!r}, not a {given!r}")
        return function(owner, *args, **words)

    return method
