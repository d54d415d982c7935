"""The static inspector: describes an uploaded file without running any of it.

Imports no torch, unpickles nothing, decompresses nothing. ``inspect`` gives a verdict on any
bytes; ``disassemble`` lists what a pickle would do.
"""

from playground.checkpoints.inspect.disassembly import Disassembly, Instruction, Line, disassemble
from playground.checkpoints.inspect.inspector import inspect
from playground.checkpoints.inspect.records import Entry, Inspection, Kind, Node, Structure, Tensor
from playground.checkpoints.inspect.verdicts import Format, Sentence, Verdict

__all__ = [
    "Disassembly",
    "Entry",
    "Format",
    "Inspection",
    "Instruction",
    "Kind",
    "Line",
    "Node",
    "Sentence",
    "Structure",
    "Tensor",
    "Verdict",
    "disassemble",
    "inspect",
]
