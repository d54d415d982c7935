"""The programs of lessons that have other limits in the lab, and that no others have."""

import pytest

from playground.lab import limits
from playground.lab.examples import examples
from playground.lab.limits import LONG_LIMITS, Note
from playground.lessons.training.definitions import Dataset, Optimizer
from playground.lessons.training.watch import Watch
from playground.machines import Machine
from playground.sandbox.limits import LIMITS

MACHINE = Machine(gpus=3)
WATCH = "training/watch"
IDS = {example.id for example in examples()}
TIMED = {each for each in IDS if each.startswith("timing/")} - {"timing/timeline"}
LONG = sorted(limits.TRAINING | TIMED)


def written(step: Watch) -> str:
    return f"{step.program()}\n"


def test_every_example_named_here_exists() -> None:
    assert limits.TRAINING <= IDS
    assert {"timing/timeline", "timing/clocks"} <= IDS


@pytest.mark.parametrize("example_id", LONG)
def test_a_long_program_of_a_lesson_may_compute_for_longer(example_id: str) -> None:
    (example,) = (each for each in examples() if each.id == example_id)

    assert limits.limits_for(example_id, example.program(MACHINE)) is LONG_LIMITS


@pytest.mark.parametrize(
    "settings",
    [
        Watch(epochs=7, learning_rate=1.5, num_gpus=0),
        Watch(dataset=Dataset.SPIRALS, optimizer=Optimizer.ADAM, learning_rate=0.5),
    ],
)
def test_so_it_may_at_any_settings_of_its_step(settings: Watch) -> None:
    assert limits.limits_for(WATCH, written(settings)) is LONG_LIMITS


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
def test_anything_else_has_the_limits_of_a_cell(example_id: str, program: str) -> None:
    assert limits.limits_for(example_id, program) is LIMITS


def test_longer_is_longer_in_time_only() -> None:
    assert LONG_LIMITS.cpu_seconds > LIMITS.cpu_seconds
    assert LONG_LIMITS.cpu_seconds < LONG_LIMITS.cpu_hard_seconds < LONG_LIMITS.wall_seconds
    unlike = {
        name
        for name in type(LIMITS).__slots__
        if getattr(LIMITS, name) != getattr(LONG_LIMITS, name)
    }
    assert unlike == {"cpu_seconds", "cpu_hard_seconds", "wall_seconds"}


def test_what_takes_times_runs_on_the_cpu_alone() -> None:
    for example in examples():
        machine = limits.machine_for(example.id, MACHINE)

        assert (machine == MACHINE) is (example.id not in TIMED), example.id
        if example.id in TIMED:
            assert not machine.is_simulated
            assert limits.note_on(example.id) is Note.TIMES
