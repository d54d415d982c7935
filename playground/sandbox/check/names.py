"""Rules for names: what may be read, and what a cell may give a meaning of its own."""

import ast
import builtins

from playground.sandbox.check.cell import Cell
from playground.sandbox.facade.tables import CLASS_FUNCTIONS, CONSTANTS, ERRORS, FUNCTIONS, words

KNOWN = FUNCTIONS | ERRORS | CONSTANTS | {"_", "__name__"}
PYTHONS_OWN = frozenset(dir(builtins)) | {"help", "quit", "exit", "copyright", "credits", "license"}
FREE = words(
    """
    input id format vars hash hex oct ord chr bin
    """
)
"""Python's own that do no harm as variables; ``input`` is one in half of all textbooks."""

CALLED_ONLY = frozenset({"type", "getattr", "hasattr", "super", "print"})
REASONS = {
    "files": "open",
    "code_from_text": "eval exec compile __import__ __loader__ __build_class__",
    "looking_around": "globals locals vars dir object id memoryview help __builtins__ __spec__",
    "setting_by_name": "setattr delattr",
    "no_input": "input",
    "ending": "quit exit breakpoint SystemExit KeyboardInterrupt",
    "base_error": "BaseException BaseExceptionGroup ExceptionGroup GeneratorExit",
}
SENTENCES = {name: id for id, names in REASONS.items() for name in names.split()}


def read(cell: Cell, node: ast.Name) -> None:
    """A name that is read, given or deleted."""
    if isinstance(node.ctx, ast.Store | ast.Del):
        bind(cell, node, node.id)
        return
    name = node.id
    if name in cell.roots:
        _module(cell, node)
    elif name in cell.bound or name in cell.imported:
        return  # that it may be bound at all is judged where it is
    elif name in CALLED_ONLY:
        _called(cell, node)
    elif name not in KNOWN and not (name in CLASS_FUNCTIONS and _is_in_class_head(cell, node)):
        _unknown(cell, node)


def _unknown(cell: Cell, node: ast.Name) -> None:
    """A name that is refused, or means nothing anywhere: then Python says so when it runs."""
    name = node.id
    if not name.isascii():
        cell.refuse("alphabet", node, name=name)
    elif name in PYTHONS_OWN:
        cell.refuse(SENTENCES.get(name, "builtin"), node, name=name)
    elif name.startswith("_"):
        cell.refuse("underscore", node, name=name)


def bind(cell: Cell, node: ast.AST, name: str) -> None:
    """A name that is given a meaning, in whatever way."""
    if not name.isascii():
        cell.refuse("alphabet", node, name=name)
    elif name.startswith("_") and name != "_":
        cell.refuse("underscore", node, name=name)
    elif name in cell.roots:
        cell.refuse("rebinds_module", node, name=name)
    elif name in FREE:
        return
    elif name in PYTHONS_OWN or name in CLASS_FUNCTIONS:
        cell.refuse("rebinds", node, name=name)


def _module(cell: Cell, node: ast.expr) -> None:
    """A module stands for itself only in front of a dot."""
    if not isinstance(cell.parents[node], ast.Attribute):
        refuse_module(cell, node, ast.unparse(node))


def refuse_module(cell: Cell, node: ast.expr, name: str) -> None:
    """Refuse a module as a value, unless ``getattr`` looks a listed name up in it."""
    parent = cell.parents[node]
    is_looked_into = (
        isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Name)
        and parent.func.id in {"getattr", "hasattr"}
        and parent.args[:1] == [node]
    )
    if not is_looked_into:
        cell.refuse("module_value", node, name=name)


def _called(cell: Cell, node: ast.Name) -> None:
    parent = cell.parents[node]
    if not (isinstance(parent, ast.Call) and parent.func is node):
        cell.refuse("called_only", node, name=node.id)


def _is_in_class_head(cell: Cell, node: ast.Name) -> bool:
    """A base or a decorator; whether it fits there is judged with the class."""
    parent = cell.parents[node]
    if isinstance(parent, ast.ClassDef):
        return node in parent.bases
    return isinstance(parent, ast.FunctionDef) and node in parent.decorator_list
