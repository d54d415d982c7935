"""Rules for statements that only some cells need: with, try, raise, del, yield."""

import ast

from playground.sandbox.check.cell import Cell, stem
from playground.sandbox.check.definitions import is_error
from playground.sandbox.check.gathering import is_file
from playground.sandbox.check.names import SENTENCES, bind
from playground.sandbox.facade.tables import words

CONTEXTS = words(
    """
    torch.no_grad torch.inference_mode torch.enable_grad torch.set_grad_enabled torch.device
    torch.autocast torch.amp.autocast torch.cuda.device torch.cuda.stream torch.random.fork_rng
    torch.autograd.no_grad torch.autograd.enable_grad torch.autograd.set_grad_enabled
    torch.autograd.inference_mode torch.autograd.detect_anomaly
    torch.autograd.set_detect_anomaly warnings.catch_warnings
    """
)
OPENED = "zipfile.ZipFile"


def with_item(cell: Cell, node: ast.withitem) -> None:
    """``with torch.no_grad():``; only a file or an archive in memory has an ``as``."""
    made = node.context_expr
    called = made.func if isinstance(made, ast.Call) else None
    if is_file(made) or (called is not None and cell.member_of(called) == OPENED):
        if node.optional_vars is not None and not isinstance(node.optional_vars, ast.Name):
            cell.refuse("with_as", made)
    elif called is None or cell.member_of(called) not in CONTEXTS:
        if isinstance(called, ast.Name) and called.id in SENTENCES:
            return  # the name itself is refused, with a sentence that says more
        cell.refuse("with", made, name=ast.unparse(made))
    elif node.optional_vars is not None:
        cell.refuse("with_as", made)


def handler(cell: Cell, node: ast.ExceptHandler) -> None:
    """``except ValueError as error:``."""
    if node.name is not None:
        bind(cell, node, node.name)
    if node.type is None:
        cell.refuse("bare_except", node)
        return
    types = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    for each in types:
        is_told = isinstance(each, ast.Name) and each.id in SENTENCES
        if not is_error(cell, each) and not is_told:
            cell.refuse("except", each, name=ast.unparse(each))


def throw(cell: Cell, node: ast.Raise) -> None:
    """``raise ValueError("…")``, or the error that was caught again."""
    if node.exc is None:
        return
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    is_again = isinstance(raised, ast.Name) and raised.id in cell.caught
    is_told = isinstance(raised, ast.Name) and raised.id in SENTENCES
    if not is_error(cell, raised) and not is_again and not is_told:
        cell.refuse("raise", raised, name=ast.unparse(raised))


def delete(cell: Cell, node: ast.Delete) -> None:
    """``del x``, ``del state["bias"]``, ``del layer.weight``: of what the cell has made."""
    for target in node.targets:
        first = stem(target)
        if not isinstance(first, ast.Name) or first.id in cell.imported:
            cell.refuse("delete", target)


def give(cell: Cell, node: ast.Yield) -> None:
    """``yield batch`` in the loop of a function, as a reader of data does."""
    is_statement = isinstance(cell.parents[node], ast.Expr)
    is_in_loop = False
    for around in cell.around(node):
        if isinstance(around, ast.For | ast.While):
            is_in_loop = True
        elif isinstance(around, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            break
    if node.value is None or not is_statement or not is_in_loop:
        cell.refuse("yield", node)


def leave(cell: Cell, node: ast.Return) -> None:
    """``return`` inside of a function."""
    if not any(isinstance(each, ast.FunctionDef) for each in cell.around(node)):
        cell.refuse("syntax_return", node)


def turn(cell: Cell, node: ast.Break | ast.Continue) -> None:
    """``break`` and ``continue`` inside of a loop."""
    if not any(isinstance(each, ast.For | ast.While) for each in cell.around(node)):
        cell.refuse("syntax_loop", node)


def subscript(cell: Cell, node: ast.Subscript) -> None:
    """``x[i] = …``: in what the cell has made, and in the environment of ``os``."""
    if isinstance(node.ctx, ast.Load):
        return
    first = stem(node)
    is_environment = cell.member_of(node.value) == "os.environ"
    is_own = isinstance(first, ast.Name) and first.id not in cell.roots
    if not is_environment and (
        not is_own or isinstance(first, ast.Name) and first.id in cell.imported
    ):
        cell.refuse("stores", node, name=ast.unparse(node))


def comprehension(cell: Cell, node: ast.comprehension) -> None:
    """Not ``async for``."""
    if node.is_async:
        cell.refuse("async", node.target)
