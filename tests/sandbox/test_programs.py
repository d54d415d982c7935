"""Every program that the lessons show, and cells as students write them, in the check and the jail.

In the jail a program gives what it gives outside: the lessons' own tests compare that with reports.
"""

import contextlib
import io
import re
import warnings
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings

from playground import sandbox
from playground.compute.torch_state import preserve_torch_state
from playground.errors import attempt
from playground.lab.limits import limits_for
from playground.lessons.save_and_load.weights_only import Content, WeightsOnly
from playground.lessons.save_and_load.xray import Sample, Xray
from playground.machines import Machine, MachineKind
from playground.machines.machine_context import running_on
from playground.modules.custom_source import CLASSES, class_source
from playground.modules.source import as_class, as_sequential
from playground.sandbox import facade
from playground.sandbox.check import Level, check
from playground.sandbox.limits import LIMITS
from playground.steps import load_step, run_program
from playground.steps.files import scratch_folder
from tests.lessons.steps import STEPS
from tests.modules.random_specs import networks
from tests.sandbox.cells import execute, read_cells, run_cell, warm_facade
from tests.sandbox.conftest import UNHURRIED

CELLS = read_cells("student_cells")
CHAPTERS = read_cells("chapter_programs")
MACHINE, CPU = Machine(), Machine(kind=MachineKind.REAL)
ADDRESS = re.compile(r"0x[0-9a-f]+")
NUMBER = re.compile(r"[\d.]+(e-\d+)?")
MEASURING = "timing"  # the lesson whose programs take times: of the CPU, for there is nothing else
SIMULATED = "timeline"  # but for this step of it


def refusals(source):
    return [str(each) for each in check(source)]


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.filterwarnings("ignore")
def test_a_student_s_cell_passes_the_check_and_runs_on_the_facade_to_its_end(name, capsys):
    assert refusals(CELLS[name]) == []
    execute(CELLS[name])
    assert "Traceback" not in capsys.readouterr().out


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_program_of_the_books_first_chapters_runs_whole(open_jail, name):
    source, _, shown = CHAPTERS[name].strip().rpartition("\n# => ")
    limits = replace(limits_for("", source), wall_seconds=UNHURRIED.wall_seconds)
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


@pytest.mark.parametrize(("lesson", "step_id"), STEPS)
def test_the_program_of_a_step_gives_the_same_in_the_sandbox(open_jail, lesson, step_id):
    is_measured = lesson == MEASURING
    machine = CPU if is_measured and step_id != SIMULATED else MACHINE
    report = run_in_both(load_step(lesson, step_id)().program(), machine)

    assert (report.ok and report.output) or not is_measured, report


DANGEROUS = [WeightsOnly(content=each) for each in Content]


@pytest.mark.parametrize("step", [*DANGEROUS, *[Xray(sample=each) for each in Sample]], ids=str)
def test_every_dangerous_or_damaged_file_can_be_made_and_looked_into(open_jail, step):
    run_in_both(step.program())


def run_in_both(program, machine=MACHINE):
    """Run a program in the sandbox and outside, compare, and return the sandbox's report."""
    printed = io.StringIO()
    with outside(machine), warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")  # the sandbox shows them, and goes on
        _, outcome = attempt(lambda: exec(program, {"__name__": "__main__"}))
    with outside(machine):
        run = run_program(program)
    report = sandbox.run(program, machine, limits=UNHURRIED)

    assert report.violations == (), program
    assert report.error_type == outcome.error_type, (program, report)
    assert ADDRESS.sub("", report.message) == ADDRESS.sub("", outcome.message), program
    # some print times or what was in memory
    assert NUMBER.sub("", report.output) == NUMBER.sub("", printed.getvalue()), program
    assert noted(report.lines) == noted(run.lines), program
    return report


@contextlib.contextmanager
def outside(machine):
    with preserve_torch_state(), running_on(machine), scratch_folder():
        yield


def noted(lines):
    """Return what lines bound and printed, without the values of floats: some are times."""
    return [
        (line.number, NUMBER.sub("", line.printed), [without_float(note) for note in line.notes])
        for line in lines
        if line.printed or line.notes
    ]


def without_float(note):
    return replace(note, size="") if note.kind == "float" else note


ON_GPUS = read_cells("ordinary_gpu_cells")  # simulated ones
ORDINARY = read_cells("ordinary_cells") | read_cells("package_cells") | read_cells("own_names")
NOTED = re.compile(r"^# note: (.+)\n", re.MULTILINE)


@pytest.mark.parametrize("name", [*ORDINARY, *ON_GPUS])
@pytest.mark.filterwarnings("ignore")
def test_an_ordinary_program_runs(name):
    source, _, shown = (ORDINARY | ON_GPUS)[name].strip().rpartition("\n# => ")
    noted = NOTED.findall(f"{source}\n")
    source = NOTED.sub("", f"{source}\n")
    findings = check(source)
    warm_facade()
    machine = Machine(gpus=2 if name in ON_GPUS else 0)
    answer, _ = run_cell(source, names=facade.bind(), machine=machine)

    assert [each.id for each in findings] == " ".join(noted).split()
    assert Level.REFUSE not in [each.level for each in findings]
    assert (answer.error_type, answer.message) == ("", "")
    assert str(answer.value) == shown
