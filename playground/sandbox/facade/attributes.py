"""The attributes that a cell reaches: rewritten into calls of the guard, or named by a text.

The syntax tree of a cell is rewritten so that the guard sees every attribute it reads or sets:

=======================  ======================================================
``x.T``                  ``.read(x, 'T')``
``x.grad = None``        ``.write(x, 'grad').grad = None``
``self.n += 1``          ``.update(self, 'n').n += 1``
``case Point(x=0)``      the class is asked for by ``.pattern`` before the match
``def __exit__(…)``      gets no traceback
``except:``              ``except Exception:``, so that it hides no limit of the run
=======================  ======================================================

No cell can write a name that begins with a dot. ``HIDDEN`` has what these names stand for.

``getattr``, ``setattr``, ``vars``, ``str.format`` and their like reach attributes by a text, which
the rewriting does not see. Those of a cell ask the guard for each name.
"""

import ast
import builtins
import string
import sys
from collections.abc import Mapping, Sequence
from types import FrameType, FunctionType, SimpleNamespace
from typing import Any

from playground.sandbox.facade.guard import (
    INSIDE,
    OPEN,
    OWN,
    VIRTUAL,
    VettedModule,
    pattern,
    read,
    update,
    without_traceback,
    write,
)

READ, WRITE, UPDATE, PATTERN = ".read", ".write", ".update", ".pattern"
PATTERNS, EXIT, ERROR = ".patterns", ".exit", ".error"
KEPT = ".kept"  # begins the name of what the patterns of one match use
HIDDEN: Mapping[str, Any] = {
    READ: read,
    WRITE: write,
    UPDATE: update,
    PATTERN: pattern,
    PATTERNS: SimpleNamespace,
    EXIT: without_traceback,
    ERROR: Exception,
}


def guarded(tree: ast.Module, reader: str = READ) -> ast.Module:
    """Rewrite a tree in place; return it.

    >>> ast.unparse(guarded(ast.parse("net.fc.weight = x.T")))
    ".write(.read(net, 'fc'), 'weight').weight = .read(x, 'T')"
    """
    todo: list[tuple[ast.AST, str]] = [(tree, "")]  # a node, and the class around it
    while todo:  # no recursion, so that depth does not matter
        node, inside = todo.pop()
        for field, value in ast.iter_fields(node):
            is_body = isinstance(node, ast.ClassDef) and field == "body"
            around = node.name if is_body else inside  # type: ignore[attr-defined]
            given = value if isinstance(value, list) else [value]
            found = [_rewritten(each, around, reader) for each in given]
            todo += [(each, around) for each in found if isinstance(each, ast.AST)]
            if isinstance(value, list):
                value[:] = found
            else:
                setattr(node, field, found[0])
    return tree


def _rewritten(node: Any, inside: str, reader: str) -> Any:
    """Return what stands for a node; its parts are rewritten later."""
    if isinstance(node, ast.Attribute) and not _is_kept(node):
        return _guarded_attribute(node, _mangled(node.attr, inside), reader)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        _place(node, node.func)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute):
        name = _mangled(node.target.attr, inside)
        node.target.value = _called(UPDATE, node.target, node.target.value, name)
    elif isinstance(node, ast.ExceptHandler) and node.type is None:
        node.type = ast.copy_location(ast.Name(ERROR, ast.Load()), node)
    elif isinstance(node, ast.Match):
        _keep_patterns(node)
    elif isinstance(node, ast.ClassDef):
        _decorate_exit(node)
    return node


def _guarded_attribute(node: ast.Attribute, name: str, reader: str) -> ast.expr:
    if not isinstance(node.ctx, ast.Load) and _is_updated(node):
        return node
    if isinstance(node.ctx, ast.Load):
        call = _called(reader, node, node.value, name)
        _place(call, node)
        return call
    node.value = _called(WRITE, node, node.value, name)
    return node


def _is_updated(node: ast.Attribute) -> bool:
    made = node.value
    return isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id == UPDATE


def _called(function: str, place: ast.expr, owner: ast.expr, *names: str) -> ast.Call:
    """Make a call of a hidden function with an object and names of attributes."""
    words = [ast.copy_location(ast.Constant(name), place) for name in names]
    called = ast.copy_location(ast.Name(function, ast.Load()), place)
    return ast.copy_location(ast.Call(called, [owner, *words], []), place)


def _place(call: ast.Call, attribute: ast.Attribute) -> None:
    """Let a traceback show the line of the name in a chain of several lines, as Python does."""
    if attribute.end_lineno is not None and attribute.lineno != attribute.end_lineno:
        call.lineno = attribute.end_lineno
        call.col_offset = (attribute.end_col_offset or 0) - len(attribute.attr)


def _mangled(name: str, inside: str) -> str:
    """``__x`` of a class as Python names it."""
    is_private = name.startswith("__") and not name.endswith("__")
    return f"_{inside.lstrip('_')}{name}" if is_private and inside.strip("_") else name


def _decorate_exit(node: ast.ClassDef) -> None:
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__exit__":
            each.decorator_list.insert(0, ast.copy_location(ast.Name(EXIT, ast.Load()), each))


def _is_kept(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id.startswith(KEPT)


def _keep_patterns(node: ast.Match) -> None:
    """Evaluate classes and dotted values of the patterns, guarded, beside the subject.

    Python allows names with dots in patterns, and no calls.
    """
    kept: list[ast.keyword] = []
    name = f"{KEPT}{node.lineno}.{node.col_offset}"

    def keep(value: ast.expr) -> ast.expr:
        word = f"v{len(kept)}"
        kept.append(ast.keyword(word, value))
        return ast.Attribute(ast.Name(name, ast.Load()), word, ast.Load())

    for case in node.cases:
        for each in ast.walk(case.pattern):
            if isinstance(each, ast.MatchValue) and isinstance(each.value, ast.Attribute):
                each.value = keep(each.value)
            elif isinstance(each, ast.MatchMapping):
                each.keys = [
                    keep(key) if isinstance(key, ast.Attribute) else key for key in each.keys
                ]
            elif isinstance(each, ast.MatchClass) and (
                each.kwd_attrs or isinstance(each.cls, ast.Attribute)
            ):
                each.cls = keep(_called(PATTERN, each.cls, each.cls, *each.kwd_attrs))
    if kept:
        made = ast.Call(ast.Name(PATTERNS, ast.Load()), [], kept)
        both = ast.Tuple([ast.NamedExpr(ast.Name(name, ast.Store()), made), node.subject])
        both.ctx = ast.Load()
        node.subject = ast.Subscript(both, ast.Constant(1), ast.Load())
        ast.fix_missing_locations(node)


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


VIRTUAL |= {
    "__dict__": variables,
    "format": _format,
    "format_map": _format_map,
}
