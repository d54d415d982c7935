"""Rules for what stands behind a dot."""

import ast
import functools
import string

from playground.sandbox.check.cell import Cell, stem
from playground.sandbox.check.names import refuse_module
from playground.sandbox.check.words import nearest
from playground.sandbox.facade.tables import (
    ADDRESSES,
    ATTRIBUTES,
    FRAMES,
    MODULES,
    PRIVATE,
    RESERVED,
    UNINITIALISED,
)

REFUSALS = (
    dict.fromkeys(FRAMES, "looking_inside")
    | dict.fromkeys(ADDRESSES, "address")
    | dict.fromkeys(UNINITIALISED, "uninitialised")
)


def attribute(cell: Cell, node: ast.Attribute) -> None:
    """One dot with the name behind it."""
    if node.value in cell.refused:
        cell.refused.add(node)  # one finding for a chain
        return
    if not node.attr.isascii():
        cell.refuse("alphabet", node, name=node.attr)
        return
    first = stem(node)
    if isinstance(first, ast.Name) and first.id in cell.missing - cell.bound:
        return  # the import is refused
    module = cell.module_of(node.value)
    if module is not None:
        _member(cell, node, module)
    elif node.attr.startswith("_") and not is_own_private(cell, node):
        _underscore(cell, node)
    elif node.attr == "format":
        _format(cell, node)
    elif node.attr in REFUSALS:
        cell.refuse(REFUSALS[node.attr], node, name=node.attr)
    elif node.attr not in ATTRIBUTES and node.attr not in cell.attributes:
        _unknown(cell, node)
    elif not isinstance(node.ctx, ast.Load):
        _store(cell, node)


def _member(cell: Cell, node: ast.Attribute, module: str) -> None:
    """Behind a module: what its table lists, and nothing is put there."""
    written = ast.unparse(node)
    if not isinstance(node.ctx, ast.Load):
        cell.refuse("stores_in_module", node, name=written)
    elif node.attr in MODULES[module].parts:
        if not isinstance(cell.parents[node], ast.Attribute):
            refuse_module(cell, node, written)
    elif node.attr in MODULES[module].members or node.attr == "__version__":
        if node.attr == "__version__" and module not in {"torch", "numpy"}:
            cell.refuse("underscore", node, name=node.attr)
    elif node.attr.startswith("_"):
        cell.refuse("underscore", node, name=node.attr)
    else:
        refuse_member(cell, node, module, node.attr, written)


def refuse_member(cell: Cell, node: ast.AST, module: str, name: str, written: str) -> None:
    """Say that a module has no such member here, and which one was perhaps meant."""
    known = MODULES[module]
    meant = functools.partial(nearest, name, known.members, known.parts)
    cell.refuse("not_offered", node, meant, name=written)


def is_own_private(cell: Cell, node: ast.Attribute) -> bool:
    """``self._count`` where the cell's own classes make it, and neither Python nor torch does."""
    name = node.attr
    is_private = name[1:2].isalpha() or (name[:2] == "__" and not name.endswith("__"))
    return is_private and name in cell.privates - RESERVED and _is_own(cell, node.value)


def _underscore(cell: Cell, node: ast.Attribute) -> None:
    parent = cell.parents[node]
    is_read = isinstance(node.ctx, ast.Load)
    if node.attr in {"__name__", "__doc__"}:
        is_fine = is_read
    elif node.attr == "__class__":
        is_name = isinstance(parent, ast.Attribute) and parent.attr == "__name__"
        is_fine = is_read and is_name and _is_own(cell, node.value)
    elif node.attr == "__init__":
        is_fine = (
            isinstance(parent, ast.Call) and parent.func is node and _is_base(cell, node.value)
        )
    else:
        is_fine = is_read and node.attr in PRIVATE and _is_own(cell, node.value)
    if not is_fine:
        cell.refuse("underscore", node, name=node.attr)


def _is_own(cell: Cell, node: ast.AST) -> bool:
    """It begins with a name of the cell: ``net``, ``self.layers[0]``."""
    first = stem(node)
    return isinstance(first, ast.Name) and first.id in cell.bound


def _is_base(cell: Cell, node: ast.AST) -> bool:
    """``super()``, or the base that a class names: ``nn.Module.__init__(self)``."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    if isinstance(node, ast.Name):
        return node.id in cell.classes or node.id in cell.imported
    return cell.member_of(node) is not None


def _format(cell: Cell, node: ast.Attribute) -> None:
    """``"{} {:.2f}".format(a, b)``: of a text that stands there, without dots in its braces."""
    text = node.value.value if isinstance(node.value, ast.Constant) else None
    if not isinstance(text, str) or not isinstance(cell.parents[node], ast.Call):
        cell.refuse("format_of_name", node)
    elif not has_plain_fields(text):
        cell.refuse("format_fields", node)


def has_plain_fields(text: str) -> bool:
    """Every brace of a format text names an argument and no attribute or item of it.

    >>> has_plain_fields("{:.2f} {name}"), has_plain_fields("{0.__class__}")
    (True, False)
    """
    try:
        fields = [(name, spec) for _, name, spec, _ in string.Formatter().parse(text)]
    except ValueError:
        return True  # Python says what is wrong with it when it runs
    return all(
        (not name or name.isidentifier() or name.isdigit())
        and not name.startswith("_")
        and (not spec or has_plain_fields(spec))
        for name, spec in fields
        if name is not None
    )


def _unknown(cell: Cell, node: ast.Attribute) -> None:
    meant = functools.partial(nearest, node.attr, ATTRIBUTES, cell.attributes)
    cell.refuse("attribute", node, meant, name=node.attr)


def _store(cell: Cell, node: ast.Attribute) -> None:
    """Attributes are given to what the cell has made: ``self.x``, ``net[0].weight.data``."""
    first = stem(node)
    if not isinstance(first, ast.Name) or first.id in cell.roots or first.id in cell.imported:
        cell.refuse("stores", node, name=ast.unparse(node))
