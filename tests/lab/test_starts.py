"""Every step of every lesson gives a program to start from."""

import ast

from playground import catalog, compute
from playground.lab.starts import PRINTS, Start, _source, starts
from playground.machines import Machine
from playground.sandbox.limits import LIMITS
from tests.turns import in_turn
from ui.lab.link import to_link

STEPS = {f"{lesson.name}/{step.id}" for lesson in catalog.lessons() for step in lesson.steps}


def test_every_step_is_a_start() -> None:
    assert {start.id for start in starts()} == STEPS


@in_turn("start", starts())
def test_a_start_is_a_whole_program_that_the_lab_takes(start: Start) -> None:
    with compute.running_inline():
        program = start.program(Machine())

    names = {node.id for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Name)}
    if not catalog.lesson(start.lesson).has_step_modules:
        assert "result" in names
        assert program.endswith(f"{PRINTS}\n")
    assert len(program) <= LIMITS.source_characters
    assert to_link(program) is not None


def test_a_start_is_about_the_visitors_machine_where_it_is_about_devices() -> None:
    machine = Machine(gpus=4)
    (start,) = (each for each in starts() if each.id == "models/loss")

    assert _source(start, machine)[1].machine == machine
