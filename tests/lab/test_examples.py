"""Every step of every lesson is an example to start from."""

import ast

import pytest

from playground import catalog
from playground.lab.examples import Example, examples
from playground.machines import Machine, MachineKind
from playground.sandbox.limits import LIMITS
from ui.lab.url_state import to_link

STEPS = {f"{lesson.name}/{step.id}" for lesson in catalog.lessons() for step in lesson.steps}


def test_every_step_is_an_example() -> None:
    assert {example.id for example in examples()} == STEPS


@pytest.mark.parametrize("example", examples(), ids=lambda each: each.id)
def test_an_example_is_a_whole_program_that_the_lab_takes(example: Example) -> None:
    program = example.program(Machine())

    assert ast.parse(program).body
    assert len(program) <= LIMITS.source_characters
    assert to_link(program) is not None


def test_an_example_is_written_for_the_visitors_machine() -> None:
    (example,) = (each for each in examples() if each.id == "training/same_curve")

    assert "train(num_gpus=1" in example.program(Machine(kind=MachineKind.REAL))
    assert "num_gpus=1" not in example.program(Machine())
