"""Check a cell against an allow-list of its syntax tree, and say what to write instead.

The check loads no torch and runs nothing. It gives friendly refusals before a cell runs, and
defence in depth. It is not the boundary: that is the jail, which holds without it.

>>> [finding] = check("import torch\\neval('1 + 1')")
>>> finding.line, finding.column, finding.id
(2, 1, 'code_from_text')
"""

from playground.sandbox.check.notebook import translate
from playground.sandbox.check.program import Finding, Level
from playground.sandbox.check.rules import check

__all__ = ["Finding", "Level", "check", "translate"]
