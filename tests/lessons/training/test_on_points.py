"""The base of the steps that train on points: first states, own points, and the chart."""

import math
from dataclasses import replace

import pytest

from playground.errors import InvalidSettingError
from playground.lessons.training import own_points
from playground.lessons.training.definitions import Dataset
from playground.lessons.training.on_points import OnPoints
from playground.lessons.training.rates import Rates
from playground.lessons.training.same_curve import SameCurve, Second
from playground.lessons.training.watch import Watch
from playground.palette import LIGHT
from playground.steps import Labels
from tests.answers import answer, answer_once

LABELS = Labels(epoch="Epoch", loss="Loss", correct="Correct", earlier="before", difference="apart")
STEPS = [Watch(num_gpus=0), Rates(epochs=3), SameCurve(second=Second.OTHER_SEED, epochs=3)]
each_step = pytest.mark.parametrize("step", STEPS, ids=lambda each: type(each).__name__)


@each_step
def test_the_first_state_is_where_each_run_begins(step):
    """And that is the untrained model's: see ``test_watch.py``."""
    first = answer_once(step.first_state())
    runs = answer_once(step).data

    assert first.fraction == 0
    assert [each.frames[0] for each in first.data] == [each.frames[0] for each in runs]
    assert [each.points for each in first.data] == [each.points for each in runs]
    assert {(each.losses, len(each.frames)) for each in first.data} == {((), 1)}
    assert step.live_picture(first, LABELS).values == {"epoch": 0}


def test_own_points_are_what_is_trained_on():
    found = answer(Watch(dataset=Dataset.OWN, own="-1 -1 0; 1 0.5 1", num_gpus=0))

    centres = {0: (-1, -1), 1: (1, 0.5)}
    for x, y, label in found.data[0].points:
        assert math.dist((x, y), centres[label]) < 0.4  # the noise is 0.06
    assert (len(found.data[0].points), found.prediction) == (240, "early")


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("0.5 -1 0;1 1 1", ((0.5, -1, 0), (1, 1, 1))),
        ("x,y,class\r\n0.5,-1,0\r\n\r\n1,1,1\r\n", ((0.5, -1, 0), (1, 1, 1))),
        ("0.123456\t1\t1.0\n", ((0.12, 1, 1),)),
        ("", ()),
    ],
)
def test_points_are_read_from_a_text_or_a_table(text, points):
    assert own_points.parse(text) == points
    assert own_points.parse(own_points.to_text(points)) == points
    assert own_points.parse(own_points.to_table(points)) == points


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("1,1", "points_row"),
        ("0,0,0\n1;1;1\n", "points_row"),
        ('0 0 0; __import__("os") 1 0', "points_row"),
        ("0 0 0; nan 1 0", "points_place"),
        ("0 1.71 0", "points_place"),
        ("0 0 2", "points_class"),
        ("0 0 0.5", "points_class"),
        ("0 0 0;" * 101, "points_count"),
        ("0" * 8001, "length"),
    ],
)
def test_a_bad_point_is_one_clear_error(text, key):
    with pytest.raises(InvalidSettingError) as error:
        Watch(dataset=Dataset.OWN, own=text)

    assert error.value.key == key


@each_step
def test_a_missing_class_is_said_before_anything_is_trained(step):
    step = step.replaced(dataset=Dataset.OWN, own="0 0 1")

    assert step.first_state() is None
    assert step.picture(None, LABELS).svg.count("<circle") == 1
    with pytest.raises(InvalidSettingError) as error:
        answer(step)
    assert error.value.key == "points_classes"


def test_a_program_holds_nothing_of_own_points_but_numbers():
    program = Rates(dataset=Dataset.OWN, own="-0 1e-3 0; 1.7 -1.7 1").program()
    assert "OWN = [\n    (-0.0, 0.0, 0),\n    (1.7, -1.7, 1),\n]" in program


def chart(step: OnPoints, earlier: object = None, said: str = "") -> dict:
    return step.chart(answer_once(step).data, earlier, LABELS, LIGHT, said)


@each_step
def test_a_chart_draws_the_losses_of_each_run(step):
    runs = answer_once(step).data

    lines = [each for each in chart(step)["data"] if each.get("yaxis") != "y2"]

    for run, line in zip(runs, lines, strict=True):
        assert line["y"] == list(run.losses)
        assert line["x"] == list(range(1, len(run.losses) + 1))
    assert chart(step)["layout"]["yaxis"]["dtick"] == "D2"  # 1, 2 and 5


def test_the_run_before_is_drawn_pale_and_the_predicted_one_thick():
    step = Rates(epochs=3)
    earlier = answer_once(step).data

    lines = chart(step, earlier, said="10")["data"]

    assert [each["opacity"] < 1 for each in lines] == [True] * 4 + [False] * 4
    widths = {each["name"]: each["line"]["width"] for each in lines[4:]}
    assert (max(widths, key=widths.get), len(set(widths.values()))) == ("10", 2)


def test_the_chart_of_two_runs_has_their_difference_and_no_number_that_is_none():
    step = SameCurve(second=Second.OTHER_SEED, epochs=3)
    first, second = answer_once(step).data
    broken = replace(first, losses=(math.nan, math.inf, 0.0))
    wide = step.chart((replace(first, losses=(2e5, 1e-5)),), None, LABELS, LIGHT)["layout"]

    (line,) = [each for each in chart(step)["data"] if each.get("yaxis") == "y2"]
    lines = step.chart((broken,), None, LABELS, LIGHT)["data"]

    assert line["y"] == [abs(a - b) for a, b in zip(first.losses, second.losses, strict=True)]
    assert lines[0]["y"] == [None, None, None]
    assert wide["yaxis"]["dtick"] == 2  # 10.3 decades, each second power of ten
