"""The static inspector: says what is in an uploaded file without running any of it.

Imports no torch, unpickles nothing, decompresses nothing. ``inspect`` gives a verdict on any
bytes; ``disassemble`` lists what a pickle would do.
"""

from playground.checkpoints.inspect.disassembly import Disassembly, Line, disassemble
from playground.checkpoints.inspect.inspector import inspect
from playground.checkpoints.inspect.instructions import Instruction
from playground.checkpoints.inspect.records import (
    Entry,
    Inspection,
    Kind,
    Node,
    Structure,
    Tensor,
)
from playground.checkpoints.inspect.sentences import Sentence
from playground.checkpoints.inspect.verdicts import Format, Verdict

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
