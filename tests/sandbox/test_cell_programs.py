"""Every program that a lesson shows gives in the jail what it gives outside.

What it gives outside is what the lesson's report says: the lessons' own tests compare that.
"""

import re
import warnings
from dataclasses import replace

import pytest

from playground import sandbox
from playground.machines import Machine
from playground.sandbox.cell.literal import literal
from playground.sandbox.limits import LIMITS
from tests.programs import run_program
from tests.sandbox.shown_programs import NAMES, shown_programs

MACHINE = Machine()
PATIENT = replace(LIMITS, cpu_seconds=20, cpu_hard_seconds=21, wall_seconds=60.0)  # busy computers
ADDRESS = re.compile(r"0x[0-9a-f]+")
NEEDS_MORE = {  # than a run may have; by lesson and function, why
    ("tensors", "fill_memory"): "its tensors are larger than the memory of a run",
    ("save_and_load", "save_into"): "it writes files into folders",
    ("save_and_load", "compare_formats"): "it writes files, and times them",
    ("save_and_load", "ask_pickle"): "it makes a dangerous file, and the check refuses that",
}
MEASURING = {  # what they bind is a time, and they measure for longer than a run may compute
    ("tensors", "measure_transfer"),
}


def default_programs(lesson):
    """The first program of each function, which is that of its default settings."""
    found = {}
    for program, name in shown_programs(lesson).items():
        if (lesson, name) not in NEEDS_MORE and (lesson, name) not in MEASURING:
            found.setdefault(name, program)
    return found


@pytest.mark.parametrize("lesson", [name for name in NAMES if name != "timing"])
def test_a_lessons_programs_give_the_same_in_the_sandbox(open_jail, lesson):
    programs = default_programs(lesson)
    assert programs

    for name, program in programs.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the sandbox shows them, and goes on
            bound, outcome = run_program(program, MACHINE)

        report = sandbox.run(program, MACHINE, limits=PATIENT)

        assert report.findings == (), name
        assert report.error_type == outcome.error_type, (name, report)
        assert ADDRESS.sub("", report.message) == ADDRESS.sub("", outcome.message), name
        if outcome.ok:
            assert report.result == literal(bound) != "", name


def test_no_exception_is_stale():
    for lesson, name in [*NEEDS_MORE, *MEASURING]:
        assert name in shown_programs(lesson).values(), (lesson, name)
