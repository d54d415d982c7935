"""Rewrites the syntax tree of a cell so that the guard sees every attribute it reads or sets.

=======================  ======================================================
``x.T``                  ``.read(x, 'T')``
``x.grad = None``        ``.write(x, 'grad').grad = None``
``self.n += 1``          ``.update(self, 'n').n += 1``
``case Point(x=0)``      the class is asked for by ``.pattern`` before the match
``def __exit__(…)``      gets no traceback
``except:``              ``except Exception:``, so that it hides no limit of the run
=======================  ======================================================

No cell can write a name that begins with a dot. ``HIDDEN`` has what these names stand for.
"""

import ast
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from playground.sandbox.facade import guard

READ, WRITE, UPDATE, PATTERN = ".read", ".write", ".update", ".pattern"
PATTERNS, EXIT, ERROR = ".patterns", ".exit", ".error"
KEPT = ".kept"  # begins the name of what the patterns of one match use
HIDDEN: Mapping[str, Any] = {
    READ: guard.read,
    WRITE: guard.write,
    UPDATE: guard.update,
    PATTERN: guard.pattern,
    PATTERNS: SimpleNamespace,
    EXIT: guard.without_traceback,
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
