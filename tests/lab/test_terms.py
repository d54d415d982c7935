"""Which programs of the lessons run here on other terms, and that only they do."""

import pytest

from playground.lab import terms
from playground.lab.starts import starts
from playground.lab.terms import LONGER, Note
from playground.lessons.training.definitions import Dataset, Optimizer
from playground.lessons.training.watch import Watch
from playground.machines import Machine
from playground.sandbox.limits import LIMITS

MACHINE = Machine(gpus=3)
WATCH = "training/watch"
IDS = {start.id for start in starts()}
TIMED = {each for each in IDS if each.startswith("timing/")} - {"timing/timeline"}
LONG = sorted(terms.TRAINING | TIMED)


def written(step: Watch) -> str:
    return f"{step.program()}\n"


def test_every_start_that_a_term_names_is_there() -> None:
    assert terms.TRAINING <= IDS
    assert {"timing/timeline", "timing/clocks"} <= IDS


@pytest.mark.parametrize("start_id", LONG)
def test_a_long_program_of_a_lesson_may_compute_for_longer(start_id: str) -> None:
    (start,) = (each for each in starts() if each.id == start_id)

    assert terms.limits_for(start_id, start.program(MACHINE)) is LONGER


@pytest.mark.parametrize(
    "settings",
    [
        Watch(epochs=7, learning_rate=1.5, num_gpus=0),
        Watch(dataset=Dataset.SPIRALS, optimizer=Optimizer.ADAM, learning_rate=0.5),
    ],
)
def test_so_it_may_at_any_settings_of_its_step(settings: Watch) -> None:
    assert terms.limits_for(WATCH, written(settings)) is LONGER


@pytest.mark.parametrize(
    ("start_id", "program"),
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
def test_anything_else_has_the_limits_of_a_cell(start_id: str, program: str) -> None:
    assert terms.limits_for(start_id, program) is LIMITS


def test_longer_is_longer_in_time_only() -> None:
    assert LONGER.cpu_seconds > LIMITS.cpu_seconds
    assert LONGER.cpu_seconds < LONGER.cpu_hard_seconds < LONGER.wall_seconds
    unlike = {
        name for name in type(LIMITS).__slots__ if getattr(LIMITS, name) != getattr(LONGER, name)
    }
    assert unlike == {"cpu_seconds", "cpu_hard_seconds", "wall_seconds"}


def test_what_takes_times_runs_on_the_cpu_alone() -> None:
    for start in starts():
        machine = terms.machine_for(start.id, MACHINE)

        assert (machine == MACHINE) is (start.id not in TIMED), start.id
        if start.id in TIMED:
            assert not machine.is_simulated
            assert terms.note_on(start.id) is Note.TIMES
