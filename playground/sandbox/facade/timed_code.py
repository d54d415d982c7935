"""What a timer may run: an expression of arithmetic, names and listed methods; knows no torch."""

import ast

from playground.sandbox.facade.tables import ATTRIBUTES


def is_timed_code(text: str) -> bool:
    """An expression of arithmetic, names and their listed methods, such as ``A @ B``.

    >>> is_timed_code("A @ B"), is_timed_code("net(X)"), is_timed_code("__import__('os')")
    (True, True, False)
    """
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    plain = (
        ast.Expression | ast.BinOp | ast.operator | ast.UnaryOp | ast.unaryop | ast.expr_context
        | ast.Call | ast.Constant | ast.Tuple | ast.Subscript | ast.Slice | ast.keyword
    )  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if node.id.startswith("_") or node.id in {"eval", "exec", "open", "compile"}:
                return False
        elif isinstance(node, ast.Attribute):
            if node.attr not in ATTRIBUTES or node.attr.startswith("_"):
                return False
        elif not isinstance(node, plain):
            return False
    return True
