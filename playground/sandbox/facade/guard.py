"""The guard of every attribute that a cell reads, as RestrictedPython's ``_getattr_``.

The check allows the attributes that a cell makes itself, such as ``self.colour``. It cannot know
which object a name is bound to: a cell that defines a method ``_module`` could also read the
``_module`` of a real object, which is a module of Python. The object is known when the cell runs.
So the executor compiles ``owner.name`` as ``read(owner, "name")``, and ``read`` allows:

- on every object, the attributes of ``allowed_names.toml``;
- what the classes of the cell define, and what is stored on an object without an underscore;
- a method of a real class, read from that class, for objects of that class only. Python itself
  would let ``nn.Module.state_dict`` work on anything.

Modules, frames, code objects and tracebacks are never given, and nothing of theirs.
"""

import ast
import functools
from collections.abc import Callable, Sequence
from types import (
    CodeType,
    FrameType,
    FunctionType,
    GenericAlias,
    MethodType,
    ModuleType,
    SimpleNamespace,
    TracebackType,
)
from typing import Any, Generic, NoReturn, TypeVar

from playground.sandbox.facade.allowed_names import ATTRIBUTES, PRIVATE

READ = ".read"  # no cell can write this name
HOME = "__main__"  # where the classes of a cell say that they are from
SPECIAL = frozenset({"__init__", "__name__", "__doc__"})  # the check judges their use
OPEN = ATTRIBUTES | SPECIAL | PRIVATE
INSIDE = (ModuleType, FrameType, CodeType, TracebackType)
ALIASES = frozenset({type(Generic[TypeVar("T")]), GenericAlias})  # type: ignore[index]
FUNCTIONS = frozenset({FunctionType, MethodType, type(functools.cache(len))})


class VettedModule:
    """A module as a cell sees it; the real one cannot be reached through it.

    >>> VettedModule("torch")
    <module 'torch'>
    >>> VettedModule("torch").os
    Traceback (most recent call last):
    AttributeError: the lab's module 'torch' has no attribute 'os'
    """

    __slots__ = ("__dict__", "_name")

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def offer(self, name: str, value: object) -> None:
        """Add a member; called only where the module is built."""
        vars(self)[name] = value

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"the lab's module {self._name!r} has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"the lab's module {self._name!r} cannot be changed: {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"the lab's module {self._name!r} cannot be changed: {name!r}")

    def __repr__(self) -> str:
        return f"<module {self._name!r}>"


def guarded(tree: ast.Module, reader: str = READ) -> ast.Module:
    """Replace every attribute that is read by a call of ``reader``; alters the tree.

    >>> ast.unparse(guarded(ast.parse("net.fc.weight = x.T")))
    ".read(net, 'fc').weight = .read(x, 'T')"
    """
    todo: list[tuple[ast.AST, str]] = [(tree, "")]  # a node, and the class around it

    def replaced(node: Any, inside: str) -> Any:
        if not isinstance(node, ast.AST):
            return node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            _place(node, node.func)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            name = ast.copy_location(ast.Constant(_mangled(node.attr, inside)), node)
            read = ast.copy_location(ast.Name(reader, ast.Load()), node)
            call = ast.copy_location(ast.Call(read, [node.value, name], []), node)
            _place(call, node)
            node = call
        todo.append((node, inside))
        return node

    while todo:  # no recursion, so that depth does not matter
        node, inside = todo.pop()
        for field, value in ast.iter_fields(node):
            is_body = isinstance(node, ast.ClassDef) and field == "body"
            around = node.name if is_body else inside  # type: ignore[attr-defined]
            if isinstance(value, list):
                value[:] = [replaced(each, around) for each in value]
            else:
                setattr(node, field, replaced(value, around))
    return tree


def _place(call: ast.Call, attribute: ast.Attribute) -> None:
    """Let a traceback show the line of the name in a chain of several lines, as Python does."""
    if attribute.end_lineno is not None and attribute.lineno != attribute.end_lineno:
        call.lineno = attribute.end_lineno
        call.col_offset = (attribute.end_col_offset or 0) - len(attribute.attr)


def _mangled(name: str, inside: str) -> str:
    """``__x`` of a class as Python names it."""
    is_private = name.startswith("__") and not name.endswith("__")
    return f"_{inside.lstrip('_')}{name}" if is_private and inside.strip("_") else name


def read(owner: Any, name: str) -> Any:
    """Return ``owner.name`` if a cell may read it.

    Raises:
        AttributeError: There is no such attribute, or it is not the cell's to read.
    """
    kind = type(owner)
    if kind in ALIASES:
        owner = owner.__origin__  # ``Dataset[int]`` is asked as ``Dataset``
        kind = type(owner)
    if isinstance(owner, type) or (kind is super and isinstance(owner.__self__, type)):
        return _read_of_class(owner, name)
    if kind is VettedModule:
        return vars(owner)[name] if name in vars(owner) else owner.__getattr__(name)
    if name in OPEN and (kind not in FUNCTIONS or name in SPECIAL):
        return getattr(owner, name)
    if name == "__class__":
        return SimpleNamespace(__name__=kind.__name__)  # all that the check lets a cell ask for
    is_own = kind.__module__ == HOME
    home = None if is_own and _is_stored(owner, name) else _home(_order(owner, kind), name)
    if home is None or home.__module__ == HOME:
        return _given(owner, name, is_fine=is_own or home is not None or name[:1] != "_")
    is_hidden = _is_stored(owner, name) and not hasattr(type(vars(home)[name]), "__set__")
    return _given(owner, name, is_fine=is_hidden and (is_own or name[:1] != "_"))


def _read_of_class(owner: Any, name: str) -> Any:
    kind = type(owner)
    kinds = _order(owner, kind) if kind is super else owner.__mro__
    home = _home(kinds, name) or _home(kind.__mro__, name)
    if name not in OPEN:
        is_own = (home or owner).__module__ == HOME
        return _given(owner, name, is_fine=is_own or (home is None and name[:1] != "_"))
    if (
        home
        and home in kinds
        and home.__module__ != HOME
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
    return type(value) is FunctionType and value.__module__ != HOME


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
