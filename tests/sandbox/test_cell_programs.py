"""Every program that a lesson shows gives in the jail what it gives outside.

What it gives outside is what the lesson's report says: the lessons' own tests compare that.
"""

import contextlib
import io
import re
import warnings
from dataclasses import replace

import pytest

from playground import sandbox
from playground.lessons.save_and_load.weights_only import Content, WeightsOnly
from playground.lessons.save_and_load.xray import Sample, Xray
from playground.lessons.tensors.out_of_memory import OutOfMemory
from playground.machines import Machine, MachineKind
from playground.sandbox.cell.display import literal_repr
from playground.sandbox.limits import LIMITS
from tests.programs import run_program
from tests.sandbox.shown_programs import NAMES, shown_programs

MACHINE, CPU = Machine(), Machine(kind=MachineKind.REAL)
BUSY = replace(LIMITS, wall_seconds=60.0)  # a computer that does much else takes its time
ADDRESS = re.compile(r"0x[0-9a-f]+")
MEASURING = "timing"  # the lesson whose programs take times: of the CPU, for there is nothing else
SIMULATED = "timeline"  # but for this step of it


def default_programs(lesson):
    """The first program of each function, which is that of its default settings."""
    found = {}
    for program, name in shown_programs(lesson).items():
        found.setdefault(name, program)
    return found


def samples():
    """A program for each kind of file that a student may look into."""
    steps = [WeightsOnly(content=each) for each in Content]
    return [each.program() for each in (*steps, *(Xray(sample=each) for each in Sample))]


@pytest.mark.parametrize("lesson", [name for name in NAMES if name != MEASURING])
def test_a_lessons_programs_give_the_same_in_the_sandbox(open_jail, lesson):
    programs = default_programs(lesson)
    assert programs

    for program in programs.values():
        assert_same(program)


def test_every_dangerous_or_damaged_file_can_be_made_and_looked_into(open_jail):
    programs = samples()
    assert len(programs) == len(Content) + len(Sample)

    for program in programs:
        assert_same(program)


def assert_same(program):
    printed = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")  # the sandbox shows them, and goes on
        bound, outcome = run_program(program, MACHINE)

    report = sandbox.run(program, MACHINE, limits=BUSY)

    assert report.violations == (), program
    assert report.error_type == outcome.error_type, (program, report)
    assert ADDRESS.sub("", report.message) == ADDRESS.sub("", outcome.message), program
    if bound is None:  # a step's program prints; some print times or what was in memory
        assert without_numbers(report.output) == without_numbers(printed.getvalue()), program
    elif outcome.ok:
        assert report.result == literal_repr(bound) != "", program


@pytest.mark.parametrize("name", default_programs(MEASURING))
def test_a_program_that_takes_times_measures_the_same_in_the_sandbox(open_jail, name, capsys):
    program = default_programs(MEASURING)[name]
    machine = MACHINE if name == SIMULATED else CPU
    _, outcome = run_program(program, machine)
    outside = capsys.readouterr().out

    report = sandbox.run(program, machine, limits=BUSY)

    assert outcome.ok, outcome.message
    assert (report.error_type, report.message) == ("", "")
    assert without_numbers(report.output) == without_numbers(outside) != ""


def without_numbers(text):
    """What a program has printed, without the times in it."""
    return re.sub(r"[\d.]+(e-\d+)?", "", text)


def test_filling_the_memory_of_a_gpu_takes_none_of_the_runs(open_jail):
    four, five = (OutOfMemory(piece_gib=2.0, pieces=count).program() for count in (4, 5))
    report = sandbox.run(f"{four}\nprint(len(held))", MACHINE, limits=BUSY)
    refused = sandbox.run(five, MACHINE, limits=BUSY)

    assert (report.error_type, report.output) == ("", "4\n")
    assert refused.error_type == "OutOfMemoryError"
    assert "total capacity of 8.00 GiB of which 0 bytes is free" in refused.message
    assert refused.stopped_because is None


@pytest.mark.parametrize(
    "use", ["x += 1", "x.sum()", "x.cpu()", "x[0].item()", "x.untyped_storage().fill_(1)"]
)
def test_what_is_used_of_it_counts_as_memory_of_the_run(open_jail, use):
    program = f"x = torch.empty(3 * 2**30, dtype=torch.uint8, device='cuda')\n{use}"

    report = sandbox.run(program, MACHINE, limits=BUSY, is_checked=False)

    assert report.stopped_because == "memory"
    assert dict(report.explanation.values) == {"needed": "3 GiB", "most": "256 MiB"}
    assert report.line == 2


def test_a_gpu_cannot_be_filled_for_ever(open_jail):
    program = "held = []\nwhile True:\n    held.append(torch.empty(2**28, device='cuda'))"

    report = sandbox.run(program, MACHINE, limits=BUSY)

    assert report.violations == ()
    assert report.error_type == "OutOfMemoryError"
