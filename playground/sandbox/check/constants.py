"""Rules for what is written out: numbers and texts."""

import ast

from playground.sandbox.check.cell import Cell
from playground.sandbox.limits import LIMITS

SIZED = frozenset(
    f"torch.{name}"
    for name in [
        "arange",
        "empty",
        "eye",
        "full",
        "linspace",
        "ones",
        "rand",
        "randint",
        "randn",
        "randperm",
        "zeros",
    ]
)
"""What makes tensors: torch itself judges their sizes, and its refusal is worth reading."""

MOST_DOCSTRING = 4  # times as long as another text


def constant(cell: Cell, node: ast.Constant) -> None:
    """A number or a text that stands in the cell."""
    value = node.value
    if isinstance(value, bytes):
        cell.refuse("bytes", node)
    elif isinstance(value, complex):
        cell.refuse("complex", node)
    elif isinstance(value, int) and value > LIMITS.integer_literal:
        parent = cell.parents[node]
        if not (isinstance(parent, ast.Call) and cell.member_of(parent.func) in SIZED):
            cell.refuse("integer", node, most=f"{LIMITS.integer_literal:,}")
    elif isinstance(value, str) and len(value) > LIMITS.string_literal:
        is_docstring = isinstance(cell.parents[node], ast.Expr)
        if not is_docstring or len(value) > MOST_DOCSTRING * LIMITS.string_literal:
            cell.refuse("string", node, given=str(len(value)), most=str(LIMITS.string_literal))
