"""The table of rules by node of the syntax tree; a node that is not listed is refused."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from playground.sandbox.check import names, notebook, statements
from playground.sandbox.check.program import Finding, Level, Program, Suggestion, parse, quoted
from playground.sandbox.check.symbols import collect_symbols
from playground.sandbox.limits import LIMITS

Rule = Callable[[Program, Any], None]

RULES: dict[type[ast.AST], Rule] = {
    ast.Attribute: names.attribute,
    ast.Break: statements.break_or_continue,
    ast.Call: statements.call,
    ast.ClassDef: statements.define_class,
    ast.Continue: statements.break_or_continue,
    ast.ExceptHandler: statements.handler,
    ast.FunctionDef: statements.define_function,
    ast.Import: names.import_module,
    ast.ImportFrom: names.import_from,
    ast.MatchAs: names.capture,
    ast.MatchClass: names.match_class,
    ast.MatchMapping: names.capture,
    ast.MatchStar: names.capture,
    ast.Name: names.check_name,
    ast.Return: statements.inside_function,
    ast.Yield: statements.inside_function,
    ast.YieldFrom: statements.inside_function,
    ast.arg: statements.argument,
    ast.comprehension: statements.comprehension,
    ast.keyword: statements.keyword,
}

PLAIN = frozenset(
    {
        ast.Add, ast.And, ast.AnnAssign, ast.Assert, ast.Assign, ast.AugAssign, ast.BinOp,
        ast.BitAnd, ast.BitOr, ast.BitXor, ast.BoolOp, ast.Compare, ast.Constant, ast.Delete,
        ast.Dict, ast.DictComp, ast.Div, ast.Eq, ast.Expr, ast.FloorDiv, ast.For,
        ast.FormattedValue, ast.GeneratorExp, ast.Global, ast.Gt, ast.GtE, ast.If, ast.IfExp,
        ast.In, ast.Invert, ast.Is, ast.IsNot, ast.JoinedStr, ast.LShift, ast.Lambda, ast.List,
        ast.ListComp, ast.Lt, ast.LtE, ast.MatMult, ast.Match, ast.MatchOr, ast.MatchSequence,
        ast.MatchSingleton, ast.MatchValue, ast.Mod, ast.Module, ast.Mult, ast.NamedExpr,
        ast.Nonlocal, ast.Not, ast.NotEq, ast.NotIn, ast.Or, ast.Pass, ast.Pow, ast.RShift,
        ast.Raise, ast.Set, ast.SetComp, ast.Slice, ast.Starred, ast.Sub, ast.Subscript, ast.Try,
        ast.Tuple, ast.UAdd, ast.USub, ast.UnaryOp, ast.While, ast.With, ast.alias, ast.arguments,
        ast.match_case, ast.withitem,
    }
)  # fmt: skip
"""Nodes that need no rule of their own; what stands inside them has its own."""

REFUSED: dict[type[ast.AST], str] = {
    ast.AsyncFor: "async",
    ast.AsyncFunctionDef: "async",
    ast.AsyncWith: "async",
    ast.Await: "async",
    ast.TryStar: "except_star",
}
MAX_FINDINGS = 20  # of the refusals, and of all others
WITH_SUGGESTION = {"attribute": "attribute_meant", "not_offered": "not_offered_meant"}
ONCE = frozenset(
    {"alphabet", "cudnn_flag", "drawn_clothes", "gpu_times", "names_copied", "progress_bar"}
    | {"rebinds"}
    | {"rebinds_module", "torch_compile"}
)  # for each name


def apply_rules(program: Program) -> None:
    """Apply to every node its rule, the inner ones first."""
    for node in reversed(program.nodes):
        kind = type(node)
        rule = RULES.get(kind)
        if rule is not None:
            rule(program, node)
        elif kind not in PLAIN:
            program.report(REFUSED.get(kind, "unknown"), node, name=kind.__name__)


def check(source: str) -> tuple[Finding, ...]:
    """Read a cell, and say what in it is not part of the lab or is done in another way.

    Args:
        source: The cell as the student wrote it; nothing of it is executed.

    Returns:
        The findings, by line; a cell runs if none of them is a refusal. A single one if the source
        is too long, binary or not Python.

    >>> check("import torch\\nprint(torch.ones(2))")
    ()
    >>> [str(each) for each in check("for i in range(3)\\n    print(i)")]
    ['Line 1: Something is missing before this point: a line that begins a block ends in `:`.']
    """
    translated = notebook.translate(source)
    parsed = parse(translated.source)
    if isinstance(parsed, Finding):
        return (parsed,)
    program = collect_symbols(parsed)
    if len(program.nodes) > LIMITS.syntax_nodes:
        given, most = str(len(program.nodes)), str(LIMITS.syntax_nodes)
        return (Finding("too_much", 1, 1, {"given": given, "most": most}),)
    apply_rules(program)
    lines = {each.line for each in translated.findings}  # there columns are those of our line
    program.findings = [
        (replace(each, column=1) if each.line in lines else each, meant)
        for each, meant in program.findings
    ]
    program.findings += [(each, None) for each in translated.findings]
    kept: dict[object, tuple[Finding, Suggestion | None]] = {}
    for each in sorted(program.findings, key=lambda each: (each[0].line, each[0].column)):
        finding = each[0]
        place: object = (finding.line, finding.column, finding.id)
        if finding.id in ONCE:
            place = (finding.id, finding.values.get("name"))
        kept.setdefault(place, each)
    return tuple(_with_suggestions(_first(list(kept.values()))))


def _first(
    found: list[tuple[Finding, Suggestion | None]],
) -> Iterator[tuple[Finding, Suggestion | None]]:
    """Yield as many refusals and as many others as are shown."""
    left = {True: MAX_FINDINGS, False: MAX_FINDINGS}
    for each in found:
        is_refusal = each[0].level is Level.REFUSE
        left[is_refusal] -= 1
        if left[is_refusal] >= 0:
            yield each


def _with_suggestions(
    found: Iterator[tuple[Finding, Suggestion | None]],
) -> Iterator[Finding]:
    """Add the name that was perhaps meant; each name is searched once."""
    suggested: dict[tuple[str, str], str | None] = {}
    for finding, meant in found:
        name = (finding.id, finding.values.get("name", ""))
        if meant is not None and name not in suggested:
            suggested[name] = meant()
        suggestion = suggested.get(name)
        if suggestion is None:
            yield finding
        else:
            values = {**finding.values, "meant": quoted(suggestion)}
            yield Finding(WITH_SUGGESTION[finding.id], finding.line, finding.column, values)
