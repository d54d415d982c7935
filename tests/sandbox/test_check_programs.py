"""What must pass: every program that a lesson shows, and cells as students write them."""

import pytest
from hypothesis import given, settings

from playground.modules.custom_source import FILES, class_source
from playground.modules.source import as_class, as_sequential
from playground.sandbox.check import check
from tests.modules.random_specs import networks
from tests.sandbox.shown_programs import NAMES, shown_programs
from tests.sandbox.student_cells import CELLS


@pytest.mark.parametrize("lesson", NAMES)
def test_every_program_that_a_lesson_shows_passes(lesson):
    programs = shown_programs(lesson)

    refused = {
        name: [str(each) for each in violations]
        for program, name in programs.items()
        if (violations := check(program))
    }

    assert programs
    assert refused == {}


@pytest.mark.parametrize("name", CELLS)
def test_a_student_s_cell_passes(name):
    assert [str(each) for each in check(CELLS[name])] == []


@pytest.mark.parametrize("name", FILES)
def test_a_class_of_the_lessons_passes(name):
    assert [str(each) for each in check(class_source(name))] == []


@given(networks())
@settings(max_examples=25)
def test_a_network_of_the_builder_passes_as_both_programs(network):
    for write in (as_sequential, as_class):
        assert [str(each) for each in check(write(network, seed=1, run=True))] == []
