"""Rules for statements, for functions and for classes."""

import ast

from playground.sandbox.check.names import PYTHONS_OWN, bind, is_dunder
from playground.sandbox.check.program import Program, stem
from playground.sandbox.facade.allowed_names import ERRORS, SPECIAL_METHODS, words

BASES = ERRORS | words("dict frozenset list object set tuple")  # of Python's own classes
BASE_PREFIXES = (
    "abc.",
    "collections.",
    "d2l.torch.",
    "enum.",
    "torch.autograd.Function",
    "torch.nn.",
    "torch.optim.",
    "torch.utils.data.",
    "typing.",
)


def handler(program: Program, node: ast.ExceptHandler) -> None:
    """Check ``except ValueError as error:``."""
    if node.name is not None:
        bind(program, node, node.name)
    if node.type is None:
        program.report("bare_except", node)


def inside_function(program: Program, node: ast.Return | ast.Yield | ast.YieldFrom) -> None:
    """Refuse ``return`` and ``yield`` outside of a function."""
    for around in program.around(node):
        if isinstance(around, ast.FunctionDef | ast.Lambda):
            return
        if isinstance(around, ast.ClassDef):
            break
    program.report("syntax_return", node)


def break_or_continue(program: Program, node: ast.Break | ast.Continue) -> None:
    """Refuse ``break`` and ``continue`` outside of a loop."""
    if not any(isinstance(each, ast.For | ast.While) for each in program.around(node)):
        program.report("syntax_loop", node)


def comprehension(program: Program, node: ast.comprehension) -> None:
    """Refuse ``async for``."""
    if node.is_async:
        program.report("async", node.target)


def define_function(program: Program, node: ast.FunctionDef) -> None:
    """Check the name of a ``def``; of a method only whether Python calls it implicitly."""
    is_method = isinstance(program.parents[node], ast.ClassDef)
    if is_method and is_dunder(node.name):
        if node.name not in SPECIAL_METHODS:
            program.report("special_method", node, name=node.name)
    elif not is_method and node.name not in SPECIAL_METHODS:  # ``@d2l.add_to_class(…)`` takes it
        bind(program, node, node.name)


def define_class(program: Program, node: ast.ClassDef) -> None:
    """Check the name and the bases of a ``class``."""
    bind(program, node, node.name)
    if node.keywords:
        program.report("metaclass", node, name=node.keywords[0].arg or "**")
    for base in node.bases:
        if not _is_base(program, base):
            program.report("base", base, name=ast.unparse(base))


def _is_base(program: Program, node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript | ast.Starred):
        node = node.value  # ``Generic[T]``
    first = stem(node)
    if isinstance(first, ast.Name) and first.id in program.missing | program.bound:
        return True  # the import is refused; or the facade knows the class when the cell runs
    member = program.member_of(node)
    if member is not None:
        return member.startswith(BASE_PREFIXES)
    return isinstance(node, ast.Name) and (node.id in BASES or node.id not in PYTHONS_OWN)


def argument(program: Program, node: ast.arg) -> None:
    """Check the name of a parameter."""
    bind(program, node, node.arg)
