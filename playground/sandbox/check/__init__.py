"""Check a cell against an allow-list of its syntax tree, and say what to write instead.

The check loads no torch and runs nothing. It gives friendly refusals before a cell runs, and
defence in depth. It is not the boundary: that is the jail, which holds without it.

>>> [violation] = check("import torch\\nopen('notes.txt')")
>>> violation.line, violation.column, violation.id
(2, 1, 'files')
"""

from playground.sandbox.check.rules import check
from playground.sandbox.check.violation import Violation

__all__ = ["Violation", "check"]
