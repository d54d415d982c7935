"""Every program that a lesson shows gives in the jail what it gives outside.

What it gives outside is what the lesson's report says: the lessons' own tests compare that.
"""

import re
import warnings
from dataclasses import replace

import pytest

from playground import sandbox
from playground.lessons.timing import source as timing
from playground.lessons.timing.records import (
    CompareClocks,
    LogLosses,
    MatmulSweep,
    MeasureBandwidth,
    SplitCopy,
)
from playground.lessons.training import source as training
from playground.lessons.training.records import Train, TrainTwice, TryRates
from playground.machines import Machine, MachineKind
from playground.sandbox.cell.literal import literal
from playground.sandbox.limits import LIMITS
from tests.programs import run_program
from tests.sandbox.shown_programs import NAMES, shown_programs

MACHINE, CPU = Machine(), Machine(kind=MachineKind.REAL)
PATIENT = replace(LIMITS, cpu_seconds=20, cpu_hard_seconds=21, wall_seconds=60.0)  # busy computers
ADDRESS = re.compile(r"0x[0-9a-f]+")
NEEDS_MORE = {  # than a run may have; by lesson and function, why; the lab's page says so before
    ("tensors", "fill_memory"): "its tensors are larger than the memory of a run",
    ("save_and_load", "ask_pickle"): "it makes a dangerous file, and the check refuses that",
}
SHORTER = {  # the same programs, for fewer epochs than by default
    ("training", "train"): training.train(Train(epochs=5)),
    ("training", "train_twice"): training.train_twice(TrainTwice(epochs=4)),
    ("training", "try_rates"): training.try_rates(TryRates(epochs=2)),
}
TIMING = (  # at sizes that take no time; what they bind are the places where they have measured
    timing.matmul_sweep(MatmulSweep(sizes=(16, 32), repeats=1)),
    timing.compare_clocks(CompareClocks(size=64)),
    timing.measure_bandwidth(MeasureBandwidth(mebibytes=1)),
    timing.split_copy(SplitCopy(mebibytes=1, pieces=16)),
    timing.log_losses(LogLosses(steps=10, every=3, width=16)),
)


def default_programs(lesson):
    """The first program of each function, which is that of its default settings."""
    found = {}
    for program, name in shown_programs(lesson).items():
        if (lesson, name) not in NEEDS_MORE:
            found.setdefault(name, SHORTER.get((lesson, name), program))
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


@pytest.mark.parametrize("program", TIMING)
def test_a_program_that_takes_times_measures_the_same_in_the_sandbox(open_jail, program, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bound, outcome = run_program(program, CPU)
    outside = capsys.readouterr().out

    report = sandbox.run(program, CPU, limits=PATIENT)

    assert outcome.ok, outcome.message
    assert (report.error_type, report.message) == ("", "")
    assert report.result == literal(bound) != ""
    assert without_numbers(report.output) == without_numbers(outside) != ""


def without_numbers(text):
    """What a program has printed, without the times in it."""
    return re.sub(r"[\d.]+(e-\d+)?", "", text)


def test_no_exception_is_stale():
    for lesson, name in [*NEEDS_MORE, *SHORTER]:
        assert name in shown_programs(lesson).values(), (lesson, name)
