"""A simulated class: what counts as known, what is new, and how figures are made of readings."""

import random

import pytest
from streamlit.proto.Button_pb2 import Button
from streamlit.proto.NumberInput_pb2 import NumberInput

from benchmarks.class_load import gauge, kind, outcome, step_click
from benchmarks.class_load.crowd import Crowd
from benchmarks.class_load.gauge import Gauge, Reading
from benchmarks.class_load.kind import MIX, Kind
from benchmarks.class_load.known import Known
from benchmarks.class_load.pupil import Act
from benchmarks.effort import Level
from benchmarks.figure import Verdict
from benchmarks.session import Session
from benchmarks.widget import Widget


def page(rows: float = 8.0) -> Session:
    """A tab with a step that has a number, a button that starts a run, and one that measures."""
    session = Session(port=0)
    number = NumberInput(
        id="$$ID-0a-tensors_add_rows", step=1, min=1, max=100, has_min=True, has_max=True
    )
    widgets = [
        Widget("number_input", number, "card", "main"),
        Widget("button", Button(id="$$ID-0b-tensors_add_start"), "card", "main"),
        Widget("button", Button(id="$$ID-0c-tensors_add_measure-it"), "card", "main"),
        Widget("number_input", NumberInput(id="$$ID-0d-gpus", step=1), "", "sidebar"),
    ]
    session.widgets = {each.id: each for each in widgets}
    session.values = {number.id: ("double_value", rows)}
    return session


def test_the_shares_of_what_students_do_are_whole() -> None:
    drawn = {kind.draw(random.Random(number)) for number in range(500)}

    assert sum(MIX.values()) == pytest.approx(1.0)
    assert drawn == set(MIX)


def test_two_students_who_bring_a_step_to_the_same_values_are_in_the_same_situation() -> None:
    up = [each for each in step_click.near(page(8.0)) if each.value == ("double_value", 9.0)]
    down = [each for each in step_click.near(page(10.0)) if each.value == ("double_value", 9.0)]

    assert [each.situation for each in up] == [each.situation for each in down]


def test_only_steps_are_clicked_and_what_measures_is_left() -> None:
    keys = {click.widget.key for click in step_click.near(page())}

    assert keys == {"tensors_add_rows", "tensors_add_start"}
    assert [each.widget.key for each in step_click.near(page()) if each.is_start] == [
        "tensors_add_start"
    ]


def test_new_settings_are_within_the_bounds_and_elsewhere() -> None:
    chance = random.Random(0)
    values = {click.value[1] for _ in range(200) for click in step_click.far(page(), chance)}

    assert len(values) > 30
    assert all(1 <= value <= 100 for value in values)


def test_the_oldest_situation_is_forgotten_first() -> None:
    known = Known(most=2)
    for situation in ("a", "b", "a", "c"):
        known.add(situation)

    assert ["a" in known, "b" in known, "c" in known] == [True, False, True]


def reading(second: float, web: float) -> Reading:
    return Reading(second, web, 300.0, second / 2, second / 4, second / 10)


def class_of(
    sessions: int, memory: tuple[float, float], milliseconds: float
) -> tuple[Crowd, Gauge]:
    """Four minutes, with so much memory before the last minute, and in it."""
    crowd = Crowd(Level(sessions, 240.0), began=0.0, ended=240.0)
    crowd.note(Act(Kind.CACHED, 10.0, milliseconds))
    crowd.note(Act(Kind.ARRIVAL, -5.0, 80.0))
    readings = Gauge.__new__(Gauge)
    readings.readings = [reading(second, memory[second >= 180]) for second in range(241)]
    return crowd, readings


def test_the_figures_of_a_class_are_those_of_its_readings() -> None:
    figures = {
        each.id: each for each in outcome.section(*class_of(150, (200.0, 210.0), 180.0)).figures
    }

    assert figures["class-load.150.cached"].verdict is Verdict.MET
    assert figures["class-load.150.arrival"].sample.readings == (80.0,)
    assert figures["class-load.150.growth"].sample.median == pytest.approx(5.0)
    assert figures["class-load.150.growth"].verdict is Verdict.MET
    assert figures["class-load.150.cpu-web"].sample.median == pytest.approx(0.5)
    assert figures["class-load.150.errors"].verdict is Verdict.MET


def test_what_falls_short_is_said() -> None:
    crowd, readings = class_of(150, (200.0, 260.0), 201.0)
    crowd.note(Act(Kind.LAB, 20.0, 1.0, ("the cell has no answer",)))
    section = outcome.section(crowd, readings)
    missed = {each.id for each in section.figures if each.verdict is Verdict.NOT_MET}

    assert missed == {f"class-load.150.{name}" for name in ("cached", "growth", "errors")}
    assert section.remarks == ("1 × run in the lab: the cell has no answer.",)


def test_other_sizes_are_reported_and_not_judged() -> None:
    section = outcome.section(*class_of(500, (200.0, 400.0), 5_000.0))

    assert {each.verdict for each in section.figures} == {Verdict.NONE}


def test_growth_is_the_slope_of_a_line() -> None:
    assert gauge.growth_per_minute(
        [reading(60 * minute, 100 + 3 * minute) for minute in range(5)]
    ) == (pytest.approx(3.0))
