"""The figures of a simulated class are made of its readings."""

import pytest

from benchmarks.class_load import results
from benchmarks.class_load.action import Action, TimedAction
from benchmarks.class_load.class_run import ClassRun
from benchmarks.class_load.resource_monitor import ResourceMonitor, ResourceUsage
from benchmarks.measurement import Verdict
from benchmarks.plan import Level


def reading(second: float, web: float) -> ResourceUsage:
    return ResourceUsage(second, web, 300.0, second / 2, second / 4, second / 10)


def class_of(
    sessions: int, memory: tuple[float, float], milliseconds: float
) -> tuple[ClassRun, ResourceMonitor]:
    """Four minutes, with so much memory before the last minute, and in it."""
    class_run = ClassRun(Level(sessions, 240.0), began=0.0, ended=240.0)
    class_run.note(TimedAction(Action.CACHED, 10.0, milliseconds))
    class_run.note(TimedAction(Action.ARRIVAL, -5.0, 80.0))
    readings = ResourceMonitor.__new__(ResourceMonitor)
    readings.readings = [reading(second, memory[second >= 180]) for second in range(241)]
    return class_run, readings


def test_the_figures_of_a_class_are_those_of_its_readings():
    figures = {
        each.id: each for each in results.section(*class_of(150, (200.0, 210.0), 180.0)).figures
    }

    assert figures["class-load.150.cached"].verdict is Verdict.MET
    assert figures["class-load.150.arrival"].sample.readings == (80.0,)
    assert figures["class-load.150.growth"].sample.median == pytest.approx(5.0)
    assert figures["class-load.150.growth"].verdict is Verdict.MET
    assert figures["class-load.150.cpu-web"].sample.median == pytest.approx(0.5)
    assert figures["class-load.150.errors"].verdict is Verdict.MET


def test_what_falls_short_is_said():
    class_run, readings = class_of(150, (200.0, 260.0), 251.0)
    class_run.note(TimedAction(Action.LAB, 20.0, 1.0, ("the cell has no answer",)))
    section = results.section(class_run, readings)
    missed = {each.id for each in section.figures if each.verdict is Verdict.NOT_MET}

    assert missed == {f"class-load.150.{name}" for name in ("cached", "growth", "errors")}
    assert section.remarks == ("1 × run in the lab: the cell has no answer.",)


def test_the_time_to_the_projector_is_from_an_answer_until_its_count_is_shown():
    class_run, readings = class_of(150, (200.0, 200.0), 100.0)
    votes = class_run.votes
    votes.polls, votes.order = 2, ["first", "second"]
    votes.given = {"first": {7: 10.0, 3: 10.4}, "second": {3: 70.0}}
    votes.shown = {0: [(10.2, 0), (11.0, 1), (12.5, 2)], 1: [(69.0, 0), (71.9, 1)]}
    votes.lost = 1

    figures = {each.id: each for each in results.section(class_run, readings).figures}

    wall = figures["class-load.150.wall"]
    assert wall.sample.readings == pytest.approx((1000.0, 2100.0, 1900.0))
    assert wall.verdict is Verdict.NOT_MET
    assert figures["class-load.150.lost"].verdict is Verdict.NOT_MET
