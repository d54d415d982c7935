"""What each line of a program bound and printed: by the jail's cell and by the workers' runner."""

from dataclasses import replace

import pytest

from playground import catalog
from playground.machines import Machine
from playground.machines.machine_context import running_on
from playground.sandbox.cell_answer import CellAnswer
from playground.sandbox.jail.answer import StoppedBecause
from playground.sandbox.limits import LIMITS
from playground.steps import Line, Note, load_step, run_program
from playground.steps.files import scratch_folder
from tests.sandbox.cells import run_cell

STEPS = [(lesson.name, step.id) for lesson in catalog.lessons() for step in lesson.steps]
PROGRAM = """import torch
from torch import nn


def count(n):
    for i in range(n):
        print(i)
    return n


X = torch.ones(2, 3, dtype=torch.float64)
a, b = count(1), count(2)
net = nn.Linear(
    3,
    4,
)
for name in ("u", "v"):
    last = name
print("no", end=" "); print("end")
X.sum()
"""
LINES = (
    Line(7, printed="0\n0\n1\n"),
    Line(11, (Note("X", "float64", "(2, 3)", ("cpu",)),)),
    Line(12, (Note("a", "int", "1"), Note("b", "int", "2"))),
    Line(16, (Note("net", "Linear", "16", ("cpu",)),)),
    Line(18, (Note("last", "str", "'v'"),)),
    Line(19, printed="no end\n"),
)


def noted(lines):
    """The notes with the number of their line; floats without their values: some are times."""
    notes = [(line.number, note) for line in lines for note in line.notes]
    return [(at, replace(note, size="") if note.kind == "float" else note) for at, note in notes]


def test_each_line_is_reported_with_what_it_bound_and_printed_by_a_cell_and_by_a_worker():
    answer, printed = run_cell(PROGRAM)
    worker = run_program(PROGRAM)

    assert answer.lines == LINES
    assert answer.value == "tensor(6., dtype=torch.float64)"
    assert printed == "0\n0\n1\nno end\n"
    assert tuple(line for line in worker.lines if line.notes or line.printed) == LINES


@pytest.mark.parametrize(("lesson", "step_id"), STEPS)
def test_the_program_of_a_step_has_the_same_notes_in_the_lab(lesson, step_id):
    step = load_step(lesson, step_id)()
    machine = getattr(step, "machine", Machine())
    with scratch_folder():  # some programs write files
        with running_on(machine):
            run = run_program(step.program())
        answer, _ = run_cell(step.program(), machine=machine)

    assert answer.error_type == run.outcome.error_type
    assert noted(answer.lines) == noted(run.lines)


def test_what_ran_before_an_error_or_a_limit_is_reported():
    failed, _ = run_cell("x = 1\nprint(x)\ny = x / 0\nz = 3")
    assert failed.lines == (Line(1, (Note("x", "int", "1"),)), Line(2, printed="1\n"))
    assert (failed.error_type, failed.line) == ("ZeroDivisionError", 3)

    full, _ = run_cell(f"x = 1\nprint('x' * {LIMITS.output_bytes + 1})")
    assert full.stopped_because is StoppedBecause.OUTPUT
    assert full.lines[0] == Line(1, (Note("x", "int", "1"),))
    assert full.lines[1].printed == "x" * 20_000


@pytest.mark.parametrize("late", ["return 1", "break", "def f():\n    nonlocal q"])
def test_a_program_that_is_no_python_does_not_begin(late):
    source = f"print('begun')\n{late}"
    answer, printed = run_cell(source)
    assert (answer.error_type, printed, answer.lines) == ("SyntaxError", "", ())

    run = run_program(source)
    assert (run.outcome.error_type, run.printed) == ("SyntaxError", "")


@pytest.mark.parametrize(
    "hostile",
    [
        "x = 10 ** 5000",
        "class Odd(list):\n    def __len__(self):\n        raise ValueError\nx = Odd()",
        "class Odd(str):\n    def __getitem__(self, at):\n        raise KeyError\nx = Odd()",
        "class Odd(nn.Module):\n    def parameters(self):\n        raise OSError\nx = Odd()",
        "class Odd(torch.Tensor):\n    device = '<b>'\nx = torch.ones(2).as_subclass(Odd)",
        "x = 1\ndel x",
        "\n".join(f"x{n} = y{n} = {n}" for n in range(450)),
    ],
)
def test_a_value_that_cannot_be_noted_costs_no_answer(hostile):
    answer, _ = run_cell(f"import torch\nfrom torch import nn\n{hostile}\n7")

    assert (answer.error_type, answer.value) == ("", "7")
    assert len(answer.lines) <= CellAnswer.MAX_LINES
    assert all(len(note.size) <= 60 for line in answer.lines for note in line.notes)


def test_a_long_text_is_noted_by_its_beginning():
    answer, _ = run_cell("x = 'ab' * 10_000_000")

    assert answer.lines[0].notes[0].size == "'" + "ab" * 29 + "…"
