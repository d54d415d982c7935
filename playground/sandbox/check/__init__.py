"""What a cell may say: an allow-list over its syntax tree, with sentences that teach; no torch.

The check gives friendly refusals before anything runs, and defence in depth. It is not the
boundary: that is the jail, which holds without it.

>>> [finding] = check("import torch\\nopen('notes.txt')")
>>> finding.line, finding.column, finding.id
(2, 1, 'files')
"""

from playground.sandbox.check.checking import check
from playground.sandbox.check.finding import Finding

__all__ = ["Finding", "check"]
