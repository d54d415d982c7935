"""Which node of the syntax tree meets which rule; a node that is not here is refused."""

import ast
from collections.abc import Callable
from typing import Any

from playground.sandbox.check import (
    attributes,
    calls,
    constants,
    definitions,
    imports,
    names,
    statements,
)
from playground.sandbox.check.cell import Cell

Rule = Callable[[Cell, Any], None]

RULES: dict[type[ast.AST], Rule] = {
    ast.Attribute: attributes.attribute,
    ast.Break: statements.turn,
    ast.Call: calls.call,
    ast.ClassDef: definitions.define_class,
    ast.Constant: constants.constant,
    ast.Continue: statements.turn,
    ast.Delete: statements.delete,
    ast.ExceptHandler: statements.handler,
    ast.FunctionDef: definitions.function,
    ast.Import: imports.import_module,
    ast.ImportFrom: imports.import_from,
    ast.Name: names.read,
    ast.Raise: statements.throw,
    ast.Return: statements.leave,
    ast.Subscript: statements.subscript,
    ast.Yield: statements.give,
    ast.arg: definitions.argument,
    ast.comprehension: statements.comprehension,
    ast.withitem: statements.with_item,
}

PLAIN = frozenset(
    {
        ast.Add, ast.And, ast.AnnAssign, ast.Assert, ast.Assign, ast.AugAssign, ast.BinOp,
        ast.BitAnd, ast.BitOr, ast.BitXor, ast.BoolOp, ast.Compare,
        ast.Dict, ast.DictComp, ast.Div, ast.Eq, ast.Expr, ast.FloorDiv, ast.For,
        ast.FormattedValue, ast.GeneratorExp, ast.Gt, ast.GtE, ast.If, ast.IfExp, ast.In,
        ast.Invert, ast.Is, ast.IsNot, ast.JoinedStr, ast.LShift, ast.Lambda, ast.List,
        ast.ListComp, ast.Lt, ast.LtE, ast.MatMult, ast.Mod, ast.Module, ast.Mult, ast.Not,
        ast.NotEq, ast.NotIn, ast.Or, ast.Pass, ast.Pow, ast.RShift, ast.Set,
        ast.SetComp, ast.Slice, ast.Starred, ast.Sub, ast.Try, ast.Tuple, ast.UAdd, ast.USub,
        ast.UnaryOp, ast.While, ast.With, ast.alias, ast.arguments, ast.keyword,
    }
)  # fmt: skip
"""Nodes that need no rule of their own; what stands inside them has its own."""

REFUSED: dict[type[ast.AST], str] = {
    ast.AsyncFor: "async",
    ast.AsyncFunctionDef: "async",
    ast.AsyncWith: "async",
    ast.Await: "async",
    ast.Global: "global",
    ast.Match: "match",
    ast.NamedExpr: "walrus",
    ast.Nonlocal: "global",
    ast.TryStar: "except_star",
    ast.YieldFrom: "yield",
}


def judge(cell: Cell) -> None:
    """Let every node meet its rule, the inner ones first."""
    for node in reversed(cell.nodes):
        kind = type(node)
        rule = RULES.get(kind)
        if rule is not None:
            rule(cell, node)
        elif kind not in PLAIN:
            _refuse(cell, node, kind)


def _refuse(cell: Cell, node: ast.AST, kind: type[ast.AST]) -> None:
    if isinstance(node, ast.pattern | ast.match_case):
        return  # the match around it is refused
    cell.refuse(REFUSED.get(kind, "unknown"), node, name=kind.__name__)
