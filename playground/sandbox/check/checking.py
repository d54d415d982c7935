"""The check: text, tree, size, rules."""

from playground.sandbox.check import grammar
from playground.sandbox.check.finding import Finding
from playground.sandbox.check.gathering import gather
from playground.sandbox.check.parsing import parse
from playground.sandbox.limits import LIMITS

MOST_FINDINGS = 20
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
    ['Line 1: Something is missing before this place: a `:` ends a line that begins a block.']
    """
    parsed = parse(source)
    if isinstance(parsed, Finding):
        return (parsed,)
    cell = gather(parsed)
    if len(cell.nodes) > LIMITS.syntax_nodes:
        given, most = str(len(cell.nodes)), str(LIMITS.syntax_nodes)
        return (Finding("too_much", 1, 1, {"given": given, "most": most}),)
    grammar.judge(cell)
    kept: dict[object, Finding] = {}
    for finding in sorted(cell.findings, key=lambda each: (each.line, each.column)):
        place = (finding.line, finding.column, finding.id)
        kept.setdefault(finding.id if finding.id in ONCE else place, finding)
    return tuple(kept.values())[:MOST_FINDINGS]
