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
from playground.sandbox.training_limits import DEFAULT_SECONDS, allow_training, training_limits
from ui.lab.url_state import to_link

EXAMPLES = {example.id: example for example in examples()}
MACHINE = Machine(gpus=3)
TIMED = {each for each in EXAMPLES if each.startswith("timing/")} - {"timing/timeline"}
STEP = "for X in range(3):\n    optimizer.step()\n"


def test_every_step_is_an_example():
    assert EXAMPLES.keys() == {
        f"{lesson.name}/{step.id}" for lesson in catalog.lessons() for step in lesson.steps
    }
    assert EXAMPLES.keys() >= {"timing/timeline", "timing/clocks"}


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


@pytest.mark.parametrize("example_id", sorted(TIMED))
def test_a_measured_program_of_a_lesson_may_compute_for_longer(example_id):
    program = EXAMPLES[example_id].program(MACHINE)

    assert limits.limits_for(example_id, program) is LONG_LIMITS
    assert limits.limits_for("", program) is LIMITS
    assert limits.limits_for(example_id, program + "while True: pass\n") is LIMITS


@pytest.mark.parametrize(
    ("program", "is_longer"),
    [
        (Watch(dataset=Dataset.SPIRALS, optimizer=Optimizer.ADAM).program(), True),
        (STEP, True),
        ("def epoch():\n    loss.backward()\nwhile i < 3:\n    epoch()\n", True),
        ("trainer.fit(net, data)", True),
        ("loss.backward()\noptimizer.step()\n", False),
        ("while True: pass\n", False),
        ("step = 1\nfor step in range(3): print(step)\n", False),
        ("x = (\n" + STEP, False),
        ("\0", False),
        ("(" * 5_000, False),
    ],
)
def test_a_program_that_trains_may_compute_for_longer(program, is_longer):
    assert limits.limits_for("", program) is (training_limits() if is_longer else LIMITS)


def test_the_operator_sets_how_long_training_may_take():
    try:
        allow_training(30)
        assert limits.limits_for("", STEP).cpu_seconds == 30
        allow_training(1)
        assert limits.limits_for("", STEP) is LIMITS
    finally:
        allow_training(DEFAULT_SECONDS)


def test_longer_is_longer_in_time_only():
    assert LONG_LIMITS.cpu_seconds > LIMITS.cpu_seconds
    assert LONG_LIMITS.cpu_seconds < LONG_LIMITS.cpu_hard_seconds < LONG_LIMITS.wall_seconds
    names = type(LIMITS).__slots__
    unlike = {name for name in names if getattr(LIMITS, name) != getattr(LONG_LIMITS, name)}
    assert unlike == {"cpu_seconds", "cpu_hard_seconds", "wall_seconds"}


@pytest.mark.parametrize("example_id", EXAMPLES)
def test_what_takes_times_runs_on_the_cpu_alone(example_id):
    machine = limits.machine_for(example_id, MACHINE)

    assert (machine == MACHINE) == machine.is_simulated == (example_id not in TIMED)
    assert limits.note_on(example_id) is (Note.TIMES if example_id in TIMED else None)
