"""Every step of every lesson is an example to start from; some may compute for longer."""

import ast

import pytest

from playground import catalog
from playground.lab import limits
from playground.lab.examples import examples
from playground.lab.limits import LONG_LIMITS, Note
from playground.lessons.training.definitions import Dataset, Optimizer
from playground.lessons.training.watch import Watch
from playground.machines import Machine, MachineKind
from playground.sandbox.limits import LIMITS
from ui.lab.url_state import to_link

EXAMPLES = {example.id: example for example in examples()}
MACHINE = Machine(gpus=3)
WATCH = "training/watch"
TIMED = {each for each in EXAMPLES if each.startswith("timing/")} - {"timing/timeline"}


def written(step: Watch) -> str:
    return f"{step.program()}\n"


def test_every_step_is_an_example():
    steps = {f"{lesson.name}/{step.id}" for lesson in catalog.lessons() for step in lesson.steps}

    assert EXAMPLES.keys() == steps
    assert steps >= limits.TRAINING | {"timing/timeline", "timing/clocks"}


@pytest.mark.parametrize("example", examples(), ids=lambda each: each.id)
def test_an_example_is_a_whole_program_that_the_lab_takes(example):
    program = example.program(Machine())

    assert ast.parse(program).body
    assert len(program) <= LIMITS.source_characters
    assert to_link(program) is not None


def test_an_example_is_written_for_the_visitors_machine():
    example = EXAMPLES["training/same_curve"]

    assert "train(num_gpus=1" in example.program(Machine(kind=MachineKind.REAL))
    assert "num_gpus=1" not in example.program(Machine())


@pytest.mark.parametrize(
    ("example_id", "program"),
    [
        *((each, EXAMPLES[each].program(MACHINE)) for each in sorted(limits.TRAINING | TIMED)),
        (WATCH, written(Watch(epochs=7, learning_rate=1.5, num_gpus=0))),
        (
            WATCH,
            written(Watch(dataset=Dataset.SPIRALS, optimizer=Optimizer.ADAM, learning_rate=0.5)),
        ),
    ],
)
def test_a_long_program_of_a_lesson_may_compute_for_longer(example_id, program):
    assert limits.limits_for(example_id, program) is LONG_LIMITS


@pytest.mark.parametrize(
    ("example_id", "program"),
    [
        (WATCH, written(Watch()) + "while True: pass\n"),
        (WATCH, written(Watch()).replace("trainer.fit(", "trainer.fit_epoch(")),
        (WATCH, written(Watch()).replace("range(self.max_epochs)", "iter(int, 1)")),
        (WATCH, "x = (\n"),
        (WATCH, "\0"),
        (WATCH, "(" * 5_000),
        ("tensors/move", written(Watch())),
        ("", written(Watch())),
        ("training/none", written(Watch())),
    ],
)
def test_anything_else_has_the_limits_of_a_cell(example_id, program):
    assert limits.limits_for(example_id, program) is LIMITS


def test_longer_is_longer_in_time_only():
    assert LONG_LIMITS.cpu_seconds > LIMITS.cpu_seconds
    assert LONG_LIMITS.cpu_seconds < LONG_LIMITS.cpu_hard_seconds < LONG_LIMITS.wall_seconds
    names = type(LIMITS).__slots__
    unlike = {name for name in names if getattr(LIMITS, name) != getattr(LONG_LIMITS, name)}
    assert unlike == {"cpu_seconds", "cpu_hard_seconds", "wall_seconds"}


@pytest.mark.parametrize("example_id", EXAMPLES)
def test_what_takes_times_runs_on_the_cpu_alone(example_id):
    machine = limits.machine_for(example_id, MACHINE)

    if example_id in TIMED:
        assert not machine.is_simulated
        assert limits.note_on(example_id) is Note.TIMES
    else:
        assert machine == MACHINE
