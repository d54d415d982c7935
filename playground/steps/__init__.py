"""The kit for steps of lessons: a step is a short PyTorch program with settings in it.

A lesson's step is one module with one subclass of ``Step``. Its fields are the settings, ``code``
writes the program, ``answer`` reads what the program did, ``picture`` draws it. The page shows the
program, the worker runs exactly that text with ``run_program``, and ``Answer`` carries plain data
back. Importing this package loads no torch.
"""

from playground.machines.machine import DeviceName as Device
from playground.machines.machine import Machine
from playground.steps import device_map
from playground.steps.answer import Answer, Picture, Progress
from playground.steps.files import Files, MadeFile
from playground.steps.program import Run, run_program
from playground.steps.recording import Line, Note
from playground.steps.step import (
    Part,
    Step,
    Words,
    WriteFile,
    fix_field,
    id_of,
    literal,
    load_step,
    network_link,
    number,
    one_of,
    seed,
    shown_if,
    text,
)

__all__ = [
    "Answer",
    "Device",
    "Files",
    "Line",
    "Machine",
    "MadeFile",
    "Note",
    "Part",
    "Picture",
    "Progress",
    "Run",
    "Step",
    "Words",
    "WriteFile",
    "device_map",
    "fix_field",
    "id_of",
    "literal",
    "load_step",
    "network_link",
    "number",
    "one_of",
    "run_program",
    "seed",
    "shown_if",
    "text",
]
