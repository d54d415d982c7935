"""Every step of every lesson gives a program to start from."""

import ast

from playground import catalog
from playground.lab.starts import Start, starts
from playground.machines import Machine, MachineKind
from playground.sandbox.limits import LIMITS
from tests.turns import in_turn
from ui.lab.link import to_link

STEPS = {f"{lesson.name}/{step.id}" for lesson in catalog.lessons() for step in lesson.steps}


def test_every_step_is_a_start() -> None:
    assert {start.id for start in starts()} == STEPS


@in_turn("start", starts())
def test_a_start_is_a_whole_program_that_the_lab_takes(start: Start) -> None:
    program = start.program(Machine())

    assert ast.parse(program).body
    assert len(program) <= LIMITS.source_characters
    assert to_link(program) is not None


def test_a_start_is_written_for_the_visitors_machine() -> None:
    (start,) = (each for each in starts() if each.id == "training/same_curve")

    assert "train(num_gpus=1" in start.program(Machine(kind=MachineKind.REAL))
    assert "num_gpus=1" not in start.program(Machine())
