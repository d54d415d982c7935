"""The kit for steps of lessons: a step is a short PyTorch program with settings in it.

A lesson's step is one module with one subclass of ``Step`` (``step``). Its fields are the settings
(``fields``), ``code`` returns the program with the fields marked in it (``program_text``),
``answer`` reads the result of the run, ``picture`` draws it (``device_map`` for devices). The page
shows the program, the worker runs exactly that text (``program_run``, ``line_recorder``), and
``Answer`` (``answer``) returns plain data. ``files`` describes files that a program writes,
``gpu_recording`` reads answers recorded on a GPU. Importing this package loads no torch.
"""

from playground.machines.machine import DeviceName as Device
from playground.machines.machine import Machine
from playground.steps import device_map
from playground.steps.answer import Answer, Labels, Picture, Progress
from playground.steps.fields import (
    fix_field,
    id_of,
    network_link,
    number,
    one_of,
    points,
    seed,
    shown_if,
    text,
)
from playground.steps.files import Files, MadeFile
from playground.steps.line_recorder import Line, Note
from playground.steps.program_run import Run, run_program
from playground.steps.program_text import Part, Words, literal
from playground.steps.step import Step, WriteFile, load_step

__all__ = [
    "Answer",
    "Device",
    "Files",
    "Labels",
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
    "points",
    "run_program",
    "seed",
    "shown_if",
    "text",
]
