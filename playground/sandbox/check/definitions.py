"""Rules for functions and classes: decorators, bases, special methods."""

import ast

from playground.sandbox.check.cell import Cell, stem
from playground.sandbox.check.names import bind
from playground.sandbox.facade.tables import (
    ERRORS,
    FUNCTIONS,
    PRIVATE,
    RESERVED,
    SPECIAL_METHODS,
)

CALLED_DECORATORS = frozenset({"torch.no_grad", "torch.inference_mode", "torch.enable_grad"})
OF_FUNCTOOLS = frozenset({"functools.cache", "functools.lru_cache", "functools.wraps"})
PLAIN_DECORATORS = frozenset({"staticmethod", "classmethod", "property"})
BASES = frozenset(
    {"torch.autograd.Function", "torch.utils.data.Dataset", "torch.utils.data.IterableDataset"}
    | {f"enum.{name}" for name in ("Enum", "Flag", "IntEnum", "IntFlag", "StrEnum")}
)
CLASS_DECORATORS = frozenset({"dataclasses.dataclass", "enum.unique"})
BASE_PREFIXES = ("torch.nn.", "torch.optim.", "torch.utils.data.")


def function(cell: Cell, node: ast.FunctionDef) -> None:
    """``def``: its name, and what stands above it."""
    is_method = isinstance(cell.parents[node], ast.ClassDef)
    name = node.name
    if is_method and name in SPECIAL_METHODS:
        pass
    elif is_method and name.startswith("__") and name.endswith("__"):
        cell.refuse("special_method", node, name=name)
    elif is_method and name[:1] == "_" and name != "_" and name not in PRIVATE | RESERVED:
        pass  # a private method of the cell's own class
    elif not is_method or name.startswith("_") or not name.isascii():
        bind(cell, node, name)
    for decorator in node.decorator_list:
        if not _is_fine_on_function(cell, decorator) and not _is_missing(cell, decorator):
            cell.refuse("decorator", decorator, name=ast.unparse(decorator))


def _is_fine_on_function(cell: Cell, node: ast.expr) -> bool:
    made = node.func if isinstance(node, ast.Call) else node
    if cell.member_of(made) in OF_FUNCTOOLS or _is_own_function(cell, made):
        return True
    if isinstance(node, ast.Call):
        return cell.member_of(made) in CALLED_DECORATORS and not node.args
    if isinstance(node, ast.Attribute):
        return node.attr == "setter" and isinstance(node.value, ast.Name)
    return isinstance(node, ast.Name) and node.id in PLAIN_DECORATORS


def _is_missing(cell: Cell, node: ast.expr) -> bool:
    """It comes from an import that is refused."""
    first = stem(node)
    return isinstance(first, ast.Name) and first.id in cell.missing


def _is_own_function(cell: Cell, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in cell.functions


def define_class(cell: Cell, node: ast.ClassDef) -> None:
    """``class``: its name, what it is derived from, and what stands above it."""
    bind(cell, node, node.name)
    if node.keywords:
        cell.refuse("metaclass", node, name=node.keywords[0].arg or "**")
    for base in node.bases:
        if not _is_base(cell, base) and not _is_missing(cell, base):
            cell.refuse("base", base, name=ast.unparse(base))
    for decorator in node.decorator_list:
        made = decorator.func if isinstance(decorator, ast.Call) else decorator
        if cell.member_of(made) not in CLASS_DECORATORS:
            cell.refuse("decorator", decorator, name=ast.unparse(decorator))


def _is_base(cell: Cell, node: ast.expr) -> bool:
    if isinstance(node, ast.Name) and node.id in cell.rebound:
        return False  # nobody knows which class it stands for
    if isinstance(node, ast.Name) and node.id not in cell.imported:
        return node.id in cell.classes or node.id in ERRORS or node.id == "object"
    member = cell.member_of(node) or ""
    return member in BASES or (member.startswith(BASE_PREFIXES) and member[-1] != "_")


def argument(cell: Cell, node: ast.arg) -> None:
    """The name of a parameter."""
    bind(cell, node, node.arg)


def is_error(cell: Cell, node: ast.AST) -> bool:
    """It names an error that may be caught and raised: Python's listed, torch's, the cell's own."""
    if isinstance(node, ast.Name) and node.id not in cell.imported:
        return node.id in (ERRORS - FUNCTIONS) | {"NotImplemented"} or node.id in cell.classes
    member = cell.member_of(node) or ""
    return member.endswith("Error")
