"""Rules for imports: which modules, under which names, and where."""

import ast

from playground.sandbox.check.attributes import refuse_member
from playground.sandbox.check.cell import Cell
from playground.sandbox.facade.tables import IMPORTS, MODULES, words

NOT_INSTALLED = words(
    "IPython d2l gradio jax keras pandas PIL scipy seaborn sklearn tensorflow torchaudio torchtext"
    " torchvision tqdm transformers"
)  # what textbooks import, and the lab does not have
LITTLE = {
    "os": ("environ", "makedirs", "mkdir", "path"),
    "pathlib": ("Path",),
    "shutil": ("which",),
    "subprocess": ("run",),
}
"""Modules of which little is here; an import of one that uses none of it is refused."""


def import_module(cell: Cell, node: ast.Import) -> None:
    """``import torch.nn.functional as F``."""
    if not _is_at_the_top(cell, node):
        return
    for alias in node.names:
        if alias.name not in IMPORTS and alias.name not in MODULES:
            _refuse_import(cell, node, alias.name)
        elif alias.asname is not None:
            if alias.asname not in IMPORTS.get(alias.name, ()):
                _refuse_alias(cell, node, alias)
        elif alias.name in LITTLE and not _uses(cell, alias.name):
            member = f"{alias.name}.{LITTLE[alias.name][0]}"
            cell.refuse("import_of_little", node, name=alias.name, member=member)


def import_from(cell: Cell, node: ast.ImportFrom) -> None:
    """``from torch import nn``."""
    if not _is_at_the_top(cell, node):
        return
    module = MODULES.get(node.module or "")
    if node.level or module is None or node.module in {"os", "shutil", "subprocess"}:
        _refuse_import(cell, node, "." * node.level + (node.module or ""))
        return
    for alias in node.names:
        if alias.name == "*":
            cell.refuse("import_star", node, name=node.module or "")
        elif alias.name in module.parts:
            names = IMPORTS.get(f"{node.module}.{alias.name}", frozenset())
            if alias.asname not in {None, alias.name} and alias.asname not in names:
                _refuse_alias(cell, node, alias)
        elif alias.name not in module.members:
            written = f"{node.module}.{alias.name}"
            refuse_member(cell, node, node.module or "", alias.name, written)
        elif alias.asname not in {None, alias.name}:
            _refuse_alias(cell, node, alias)


def _refuse_import(cell: Cell, node: ast.stmt, name: str) -> None:
    is_elsewhere = name.partition(".")[0] in NOT_INSTALLED
    cell.refuse("import_elsewhere" if is_elsewhere else "import", node, name=name)


def _is_at_the_top(cell: Cell, node: ast.stmt) -> bool:
    is_top = isinstance(cell.parents[node], ast.Module)
    if not is_top:
        cell.refuse("import_inside", node)
    return is_top


def _refuse_alias(cell: Cell, node: ast.AST, alias: ast.alias) -> None:
    cell.refuse("import_as", node, name=alias.name, given=alias.asname or "")


def _uses(cell: Cell, module: str) -> bool:
    """Something that is here of a module stands in the cell."""
    return any(
        isinstance(node, ast.Attribute)
        and cell.module_of(node.value) == module
        and node.attr in LITTLE[module]
        for node in cell.nodes
    )
