"""The table of rules by node of the syntax tree; a node that is not listed is refused."""

import ast
from collections.abc import Callable, Iterator
from typing import Any

from playground.sandbox.check import calls, names, statements
from playground.sandbox.check.program import Program, Suggestion, parse
from playground.sandbox.check.symbols import collect_symbols
from playground.sandbox.check.violation import Violation, quoted
from playground.sandbox.limits import LIMITS

Rule = Callable[[Program, Any], None]

RULES: dict[type[ast.AST], Rule] = {
    ast.Attribute: names.attribute,
    ast.Break: statements.break_or_continue,
    ast.Call: calls.call,
    ast.ClassDef: statements.define_class,
    ast.Constant: statements.constant,
    ast.Continue: statements.break_or_continue,
    ast.Delete: statements.delete,
    ast.ExceptHandler: statements.handler,
    ast.FunctionDef: statements.define_function,
    ast.Import: names.import_module,
    ast.ImportFrom: names.import_from,
    ast.Name: names.check_name,
    ast.Raise: statements.raise_error,
    ast.Return: statements.return_value,
    ast.Subscript: statements.subscript,
    ast.Yield: statements.yield_value,
    ast.arg: statements.argument,
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
MAX_VIOLATIONS = 20
WITH_SUGGESTION = {"attribute": "attribute_meant", "not_offered": "not_offered_meant"}
ONCE = frozenset({"alphabet"})  # once per cell


def apply_rules(program: Program) -> None:
    """Apply to every node its rule, the inner ones first."""
    for node in reversed(program.nodes):
        kind = type(node)
        rule = RULES.get(kind)
        if rule is not None:
            rule(program, node)
        elif kind not in PLAIN:
            _refuse(program, node, kind)


def _refuse(program: Program, node: ast.AST, kind: type[ast.AST]) -> None:
    if isinstance(node, ast.pattern | ast.match_case):
        return  # the match around it is refused
    program.refuse(REFUSED.get(kind, "unknown"), node, name=kind.__name__)


def check(source: str) -> tuple[Violation, ...]:
    """Read a cell and say what in it is not part of the lab.

    Args:
        source: The cell as the student wrote it; nothing of it is executed.

    Returns:
        The violations, by line; empty for a cell that may run. A single one if the source is too
        long, binary or not Python.

    >>> check("import torch\\nprint(torch.ones(2))")
    ()
    >>> [str(each) for each in check("for i in range(3)\\n    print(i)")]
    ['Line 1: Something is missing before this point: a line that begins a block ends in `:`.']
    """
    parsed = parse(source)
    if isinstance(parsed, Violation):
        return (parsed,)
    program = collect_symbols(parsed)
    if len(program.nodes) > LIMITS.syntax_nodes:
        given, most = str(len(program.nodes)), str(LIMITS.syntax_nodes)
        return (Violation("too_much", 1, 1, {"given": given, "most": most}),)
    apply_rules(program)
    kept: dict[object, tuple[Violation, Suggestion | None]] = {}
    for each in sorted(program.violations, key=lambda each: (each[0].line, each[0].column)):
        violation = each[0]
        place = (violation.line, violation.column, violation.id)
        kept.setdefault(violation.id if violation.id in ONCE else place, each)
    return tuple(_with_suggestions(list(kept.values())[:MAX_VIOLATIONS]))


def _with_suggestions(kept: list[tuple[Violation, Suggestion | None]]) -> Iterator[Violation]:
    """Add the name that was perhaps meant; each name is searched once."""
    suggested: dict[tuple[str, str], str | None] = {}
    for violation, meant in kept:
        name = (violation.id, violation.values.get("name", ""))
        if meant is not None and name not in suggested:
            suggested[name] = meant()
        suggestion = suggested.get(name)
        if suggestion is None:
            yield violation
        else:
            values = {**violation.values, "meant": quoted(suggestion)}
            yield Violation(WITH_SUGGESTION[violation.id], violation.line, violation.column, values)
