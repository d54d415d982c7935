"""Every program that the lessons show, and cells as students write them, in the check and the jail.

In the jail a program gives what it gives outside: the lessons' own tests compare that with reports.
"""

import contextlib
import io
import re
import warnings
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import assume, given, settings

from playground import catalog, sandbox
from playground.lab.limits import limits_for
from playground.lessons.save_and_load.weights_only import Content, WeightsOnly
from playground.lessons.save_and_load.xray import Sample, Xray
from playground.machines import Machine, MachineKind
from playground.modules.custom_source import CLASSES, class_source
from playground.modules.source import as_class, as_sequential
from playground.sandbox import facade
from playground.sandbox.cell.display import literal_repr
from playground.sandbox.check import Level, check
from playground.sandbox.limits import LIMITS
from tests.lessons.steps import STEPS, find, starts
from tests.modules.random_specs import networks
from tests.programs import run_program
from tests.sandbox.cells import read_cells, run_cell
from tests.sandbox.conftest import PATIENT

CELLS = read_cells("student_cells")
CHAPTERS = read_cells("chapter_programs")
LESSONS = sorted(lesson.name for lesson in catalog.lessons())
MACHINE, CPU = Machine(), Machine(kind=MachineKind.REAL)
ADDRESS = re.compile(r"0x[0-9a-f]+")
MEASURING = "timing"  # the lesson whose programs take times: of the CPU, for there is nothing else
SIMULATED = "timeline"  # but for this step of it


@cache
def shown_programs(lesson):
    """At the default settings, in rounds and with challenges: by text, the step that writes it."""
    return {
        each.program(): step_id
        for name, step_id in STEPS
        if name == lesson
        for each in starts(*find(lesson, step_id))
    }


def refusals(source):
    return [str(each) for each in check(source)]


@pytest.mark.parametrize("name", CELLS)
def test_a_student_s_cell_passes_the_check(name):
    assert refusals(CELLS[name]) == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_program_of_the_books_first_chapters_runs_whole(open_jail, name):
    source, _, shown = CHAPTERS[name].strip().rpartition("\n# => ")
    limits = replace(limits_for("", source), wall_seconds=PATIENT.wall_seconds)

    report = sandbox.run(source, Machine(gpus=2), limits=limits)

    assert (report.error_type, report.message, report.stopped_because) == ("", "", None)
    assert (report.violations, report.value) == ((), shown)


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_of_the_lessons_passes_the_check(name):
    assert refusals(class_source(name)) == []


@given(networks())
@settings(max_examples=25)
def test_a_network_of_the_builder_passes_the_check_as_both_programs(network):
    programs = [write(network, seed=1, run=True) for write in (as_sequential, as_class)]
    assume(max(map(len, programs)) <= LIMITS.source_characters)

    assert [refusals(program) for program in programs] == [[], []]


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lessons_programs_give_the_same_in_the_sandbox(open_jail, lesson):
    first = {name: program for program, name in reversed(shown_programs(lesson).items())}

    for name, program in first.items():  # of each step, that of its default settings
        is_measured = lesson == MEASURING
        report = run_in_both(program, CPU if is_measured and name != SIMULATED else MACHINE)
        assert (report.ok and report.output) or not is_measured, report


@pytest.mark.parametrize("step", [WeightsOnly(content=each) for each in Content], ids=str)
def test_every_dangerous_file_can_be_made_and_looked_into(open_jail, step):
    run_in_both(step.program())


@pytest.mark.parametrize("step", [Xray(sample=each) for each in Sample], ids=str)
def test_every_damaged_file_can_be_made_and_looked_into(open_jail, step):
    run_in_both(step.program())


def run_in_both(program, machine=MACHINE):
    """Run a program in the sandbox and outside, compare, and return the sandbox's report."""
    printed = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")  # the sandbox shows them, and goes on
        bound, outcome = run_program(program, machine)

    report = sandbox.run(program, machine)

    assert report.violations == (), program
    assert report.error_type == outcome.error_type, (program, report)
    assert ADDRESS.sub("", report.message) == ADDRESS.sub("", outcome.message), program
    if bound is None:  # a step's program prints; some print times or what was in memory
        assert without_numbers(report.output) == without_numbers(printed.getvalue()), program
    elif outcome.ok:
        assert report.result == literal_repr(bound) != "", program
    return report


def without_numbers(text):
    """What a program has printed, without the times in it."""
    return re.sub(r"[\d.]+(e-\d+)?", "", text)


ORDINARY = read_cells("ordinary_cells") | read_cells("package_cells")
ON_GPUS = read_cells("ordinary_gpu_cells")
NOTED = re.compile(r"^# note: (.+)\n", re.MULTILINE)


@pytest.mark.parametrize("name", ORDINARY)
@pytest.mark.filterwarnings("ignore")
def test_an_ordinary_program_runs(name):
    source, _, shown = ORDINARY[name].strip().rpartition("\n# => ")
    noted = NOTED.findall(f"{source}\n")
    source = NOTED.sub("", f"{source}\n")
    findings = check(source)

    answer, _ = run_cell(source, names=facade.bind())

    assert [each.id for each in findings] == " ".join(noted).split()
    assert Level.REFUSE not in [each.level for each in findings]
    assert (answer.error_type, answer.message) == ("", "")
    assert str(answer.value) == shown


@pytest.mark.parametrize("name", ON_GPUS)
@pytest.mark.filterwarnings("ignore")
def test_an_ordinary_program_for_gpus_runs_on_simulated_ones(name):
    source, _, shown = ON_GPUS[name].strip().rpartition("\n# => ")
    facade.warm_up()

    answer, _ = run_cell(source, names=facade.bind(), machine=Machine(gpus=2))

    assert Level.REFUSE not in [each.level for each in check(source)]
    assert (answer.error_type, answer.message) == ("", "")
    assert str(answer.value) == shown
