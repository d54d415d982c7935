"""Reads a tree once: what it binds, what it imports, which attributes it makes."""

import ast
from collections.abc import Callable
from typing import Any

from playground.sandbox.check.cell import Cell, stem
from playground.sandbox.facade.file_names import is_file_name
from playground.sandbox.facade.tables import IMPORTS, MODULES, PREBOUND

NAMING_CALLS = frozenset(
    {"add_module", "register_module", "register_buffer", "register_parameter", "getattr"}
)

FILES = frozenset({"BytesIO", "Path"})
WORDS = frozenset({"copy", "math"})


def gather(tree: ast.Module) -> Cell:
    """Make the cell of a tree."""
    nodes, parents = _walk(tree)
    cell = Cell(nodes, parents, roots=dict(PREBOUND))
    for node in nodes:
        note = _NOTES.get(type(node))
        if note is not None:
            note(cell, node)
    _free_what_nobody_imported(cell)
    cell.files -= cell.no_files
    return cell


def _free_what_nobody_imported(cell: Cell) -> None:
    """``copy`` and ``math`` are ordinary words: a cell that does not import them may use them."""
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for node in cell.nodes
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    for name in WORDS - imported:
        if name in cell.bound:
            del cell.roots[name]


def _walk(tree: ast.Module) -> tuple[list[ast.AST], dict[ast.AST, ast.AST]]:
    """Every node, from the outside in; no recursion, so depth does not matter."""
    nodes: list[ast.AST] = [tree]
    parents: dict[ast.AST, ast.AST] = {}
    for node in nodes:  # it grows
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                if not isinstance(value, ast.expr_context):
                    nodes.append(value)
                    parents[value] = node
            elif isinstance(value, list):
                for each in value:
                    if isinstance(each, ast.AST):
                        nodes.append(each)
                        parents[each] = node
    return nodes, parents


def _import(cell: Cell, node: ast.Import) -> None:
    for alias in node.names:
        if alias.asname is not None and alias.name in IMPORTS:
            cell.roots[alias.asname] = alias.name
        elif alias.asname is None and alias.name.split(".")[0] in MODULES:
            top = alias.name.split(".")[0]
            cell.roots[top] = top
        elif alias.name not in MODULES:
            cell.missing.add(alias.asname or alias.name.split(".")[0])


def _import_from(cell: Cell, node: ast.ImportFrom) -> None:
    module = MODULES.get(node.module or "")
    for alias in node.names:
        name = alias.asname or alias.name
        if module is None:
            cell.missing.add(name)
        if module is not None and alias.name in module.parts:
            cell.roots[name] = f"{node.module}.{alias.name}"
        else:
            cell.imported[name] = f"{node.module}.{alias.name}"


def _name(cell: Cell, node: ast.Name) -> None:
    if isinstance(node.ctx, ast.Store):
        cell.bound.add(node.id)
        cell.rebound.add(node.id)
        if isinstance(cell.parents[node], ast.For | ast.comprehension):
            cell.looped.add(node.id)
        statement = next(each for each in cell.around(node) if isinstance(each, ast.stmt))
        if isinstance(cell.parents.get(statement), ast.ClassDef):
            cell.attributes.add(node.id)
            cell.privates.add(node.id)


def _attribute(cell: Cell, node: ast.Attribute) -> None:
    if isinstance(node.ctx, ast.Store) and isinstance(stem(node), ast.Name):
        cell.attributes.add(node.attr)
        if isinstance(node.value, ast.Name) and node.value.id == _self_around(cell, node):
            cell.privates.add(node.attr)


def _self_around(cell: Cell, node: ast.AST) -> str | None:
    """What the method of the cell around a node calls its object; None outside of a method."""
    for around in cell.around(node):
        if isinstance(around, ast.FunctionDef) and isinstance(cell.parents[around], ast.ClassDef):
            given = [*around.args.posonlyargs, *around.args.args]
            return given[0].arg if given else None
    return None


def _function(cell: Cell, node: ast.FunctionDef) -> None:
    if isinstance(cell.parents[node], ast.ClassDef):
        cell.attributes.add(node.name)
        cell.privates.add(node.name)
    else:
        cell.bound.add(node.name)
        cell.functions.add(node.name)


def _class(cell: Cell, node: ast.ClassDef) -> None:
    cell.bound.add(node.name)
    cell.classes.add(node.name)


def _argument(cell: Cell, node: ast.arg) -> None:
    cell.bound.add(node.arg)
    cell.rebound.add(node.arg)
    cell.parameters.add(node.arg)


def _handler(cell: Cell, node: ast.ExceptHandler) -> None:
    if node.name is not None:
        cell.bound.add(node.name)
        cell.rebound.add(node.name)
        cell.caught.add(node.name)


def _text(cell: Cell, node: ast.Constant) -> None:
    """Names that a text gives: of children and buffers, by a call or in an ordered dict."""
    if not isinstance(node.value, str) or not node.value.isidentifier():
        return
    parent = cell.parents[node]
    if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
        is_naming = isinstance(parent.func, ast.Attribute) and parent.func.attr in NAMING_CALLS
    elif isinstance(parent, ast.Tuple):
        is_naming = parent.elts[0] is node and len(parent.elts) == 2
    else:
        is_naming = isinstance(parent, ast.Dict) and node in parent.keys
    if is_naming:
        cell.attributes.add(node.value)


def _call(cell: Cell, node: ast.Call) -> None:
    """The fields of ``namedtuple("Point", "x y")``."""
    if cell.member_of(node.func) != "collections.namedtuple":
        return
    given = [*node.args[1:2], *(each.value for each in node.keywords if each.arg == "field_names")]
    for names in given:
        parts = names.elts if isinstance(names, ast.List | ast.Tuple) else [names]
        for part in parts:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                fields = part.value.replace(",", " ").split()
                cell.attributes.update(each for each in fields if not each.startswith("_"))


def _assignment(cell: Cell, node: ast.Assign | ast.withitem) -> None:
    made, targets = (
        (node.value, node.targets)
        if isinstance(node, ast.Assign)
        else (node.context_expr, [node.optional_vars])
    )
    given = {each.id for each in targets if isinstance(each, ast.Name)}
    if is_file(made) or _names_a_file(cell, made):
        cell.files |= given
    elif isinstance(made, ast.Constant | ast.JoinedStr):
        cell.no_files |= given


def _names_a_file(cell: Cell, node: ast.AST) -> bool:
    """``PATH = "net.pt"``, ``f"net-{epoch}.pt"``, ``os.path.join("ckpt", "net.pt")``."""
    if isinstance(node, ast.Constant):
        return is_file_name(node.value)
    if isinstance(node, ast.JoinedStr):
        return is_file_name(outline(node))
    return isinstance(node, ast.Call) and cell.member_of(node.func) == "os.path.join"


def outline(text: ast.JoinedStr) -> str:
    """An f-string with a digit for each value; the facade judges the name that it gives."""
    parts = [each.value if isinstance(each, ast.Constant) else "0" for each in text.values]
    return "".join(map(str, parts))


def is_file(node: ast.AST) -> bool:
    """It is ``io.BytesIO(…)`` or ``Path(…)``, by either name."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if isinstance(called, ast.Attribute):
        return called.attr in FILES and isinstance(called.value, ast.Name)
    return isinstance(called, ast.Name) and called.id in FILES


_NOTES: dict[type[ast.AST], Callable[[Cell, Any], None]] = {
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.FunctionDef: _function,
    ast.ClassDef: _class,
    ast.arg: _argument,
    ast.ExceptHandler: _handler,
    ast.Constant: _text,
    ast.Call: _call,
    ast.Assign: _assignment,
    ast.withitem: _assignment,
}
