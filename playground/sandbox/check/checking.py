"""The check: text, tree, size, rules."""

from collections.abc import Iterator

from playground.sandbox.check import grammar
from playground.sandbox.check.cell import Meant
from playground.sandbox.check.finding import Finding, quoted
from playground.sandbox.check.gathering import gather
from playground.sandbox.check.parsing import parse
from playground.sandbox.limits import LIMITS

MOST_FINDINGS = 20
WITH_SUGGESTION = {"attribute": "attribute_meant", "not_offered": "not_offered_meant"}
ONCE = frozenset({"alphabet"})  # once in a cell is enough


def check(source: str) -> tuple[Finding, ...]:
    """Read a cell and say what in it is not part of the lab.

    Args:
        source: The cell as the student wrote it; nothing of it is executed.

    Returns:
        What was found, by line; empty for a cell that may run. One finding alone where the text
        is too long, no text or no Python.

    >>> check("import torch\\nprint(torch.ones(2))")
    ()
    >>> [str(each) for each in check("for i in range(3)\\n    print(i)")]
    ['Line 1: Something is missing before this point: a line that begins a block ends in `:`.']
    """
    parsed = parse(source)
    if isinstance(parsed, Finding):
        return (parsed,)
    cell = gather(parsed)
    if len(cell.nodes) > LIMITS.syntax_nodes:
        given, most = str(len(cell.nodes)), str(LIMITS.syntax_nodes)
        return (Finding("too_much", 1, 1, {"given": given, "most": most}),)
    grammar.judge(cell)
    kept: dict[object, tuple[Finding, Meant | None]] = {}
    for each in sorted(cell.findings, key=lambda each: (each[0].line, each[0].column)):
        finding = each[0]
        place = (finding.line, finding.column, finding.id)
        kept.setdefault(finding.id if finding.id in ONCE else place, each)
    return tuple(_with_suggestions(list(kept.values())[:MOST_FINDINGS]))


def _with_suggestions(kept: list[tuple[Finding, Meant | None]]) -> Iterator[Finding]:
    """Say which name was perhaps meant; a name is looked for once."""
    suggested: dict[tuple[str, str], str | None] = {}
    for finding, meant in kept:
        name = (finding.id, finding.values.get("name", ""))
        if meant is not None and name not in suggested:
            suggested[name] = meant()
        suggestion = suggested.get(name)
        if suggestion is None:
            yield finding
        else:
            values = {**finding.values, "meant": quoted(suggestion)}
            yield Finding(WITH_SUGGESTION[finding.id], finding.line, finding.column, values)
