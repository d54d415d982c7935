import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from unittest.mock import Mock

import pytest
import torch

from playground import catalog, compute
from playground.lessons.training import watch
from playground.lessons.training.definitions import Dataset, Optimizer
from playground.lessons.training.drawing import draw_planes, stretches
from playground.lessons.training.on_points import CELLS, MAX_FRAMES
from playground.lessons.training.own_points import REACH
from playground.lessons.training.watch import Watch
from playground.machines import Machine
from playground.steps import Answer, Labels, Progress
from playground.training.trainer import Classifier
from tests.answers import answer, answer_once, assert_answer
from tests.lessons.training.plain_loop import plain_losses

LN_2 = 0.6931471805599453  # the loss of equal scores


@pytest.fixture
def each_epoch(monkeypatch):
    monkeypatch.setattr(watch, "REPORT_SECONDS", 0.0)


def reports(step: Watch) -> list[Progress]:
    reported: list[Progress] = []
    with compute.running_inline(), compute.stream(step) as stream:
        reported += stream
        assert stream.report == answer_once(step)
    return reported


@pytest.mark.parametrize("num_gpus", [0, 1])
def test_the_curve_is_that_of_a_plain_loop_bit_for_bit(num_gpus):
    assert list(answer_once(Watch(num_gpus=num_gpus)).data[0].losses) == plain_losses(20)


def test_the_first_epoch_with_95_percent_is_the_answer():
    found = answer_once(Watch(num_gpus=0))
    good = [each >= 0.95 for each in found.data[0].accuracies]

    assert found.facts["reached"] == good.index(True) + 1
    assert found.prediction == "ten"
    assert found.printed.splitlines()[0] == str(good.index(True) + 1)


def test_too_long_steps_end_worse_than_equal_scores():
    step, names = Watch(learning_rate=10.0, num_gpus=0), {}

    found = assert_answer(step, prediction="never", explanation="dead")
    assert found.data[0].losses[-1] > LN_2
    exec(step.program(), names)
    X, dead = names["points"].train[0], 0
    for layer in names["model"].net:
        X = layer(X)
        dead += int((X.abs().sum(0) == 0).sum()) if isinstance(layer, torch.nn.ReLU) else 0
    assert found.values["dead"] == dead > 32


def test_a_run_that_learns_all_the_same_is_not_called_dead():
    options = {"optimizer": Optimizer.RMSPROP, "learning_rate": 0.3, "num_gpus": 0}
    found = answer_once(Watch(dataset=Dataset.SPIRALS, **options))

    assert found.values["dead"] > 32
    assert found.data[0].losses[-1] < LN_2
    assert found.explanation != "dead"


def test_slow_steps_are_not_called_dead():
    step = Watch(learning_rate=0.001, epochs=2, num_gpus=0)

    found = assert_answer(step, explanation="not-learned")
    assert found.values["dead"] < 32


def test_the_frames_are_the_states_after_each_epoch_and_the_first_is_untrained():
    frames = answer_once(Watch(epochs=3, num_gpus=0)).data[0].frames

    assert [each.epoch for each in frames] == [0, 1, 2, 3]
    for frame in frames[1:]:
        shorter = answer_once(Watch(epochs=frame.epoch, num_gpus=0)).data[0].frames
        assert shorter[-1] == frame
    torch.manual_seed(0)
    untrained = Classifier(2, "SGD", 0.3)
    axis = torch.linspace(-REACH, REACH, CELLS)
    rows = [untrained(torch.stack((axis, y.expand(CELLS)), 1)).argmax(1).tolist() for y in axis]
    assert frames[0].classes == tuple("".join(map(str, row)) for row in rows)


def test_a_long_run_has_a_bounded_number_of_frames():
    found = answer_once(Watch(epochs=120, num_gpus=0)).data[0].frames

    assert len(found) <= MAX_FRAMES + 1
    assert (found[0].epoch, found[-1].epoch) == (0, 120)


@pytest.mark.usefixtures("each_epoch")
def test_each_report_is_the_beginning_of_the_answer():
    step = Watch(epochs=4, num_gpus=0)
    reported, known = reports(step), answer_once(step).data[0]

    assert len(reported) == 3  # of the last epoch, the answer tells
    for count, each in enumerate(reported, 1):
        (run,) = each.data
        assert each.fraction == count / 4
        assert run.losses == known.losses[:count]
        assert run.accuracies == known.accuracies[:count]
        assert float(str(each.facts["step_ms"]).split()[0]) > 0


@pytest.mark.usefixtures("each_epoch")
def test_simulated_devices_are_not_timed():
    reported = reports(Watch(epochs=2))

    words = catalog.lesson("training").step("watch").words
    assert {each.facts["no_step_ms"] for each in reported} == {None}
    assert not any("step_ms" in each.facts for each in reported)
    assert "simulated" in words.labels["no_step_ms"].en


@pytest.mark.usefixtures("each_epoch")
def test_it_can_be_stopped_and_leaves_no_hook():
    stop = Mock(side_effect=KeyboardInterrupt)

    with pytest.raises(KeyboardInterrupt):
        Watch(epochs=120, num_gpus=0).experiment(stop)
    answer(Watch(epochs=3, num_gpus=0))
    assert stop.call_count == 1


def test_a_point_has_the_class_of_the_place_where_it_lies():
    found = answer_once(Watch(dataset=Dataset.BLOBS, num_gpus=0)).data[0]

    assert len(found.points) == 240
    hits = 0
    for x, y, label in found.points:
        row, column = (round((each + REACH) / (2 * REACH) * (CELLS - 1)) for each in (y, x))
        hits += found.frames[-1].classes[row][column] == str(label)
    assert hits >= 0.95 * len(found.points)


def test_the_picture_draws_each_point_once_and_shows_the_last_frame():
    found = answer_once(Watch(dataset=Dataset.BLOBS, epochs=3, num_gpus=0)).data

    root = ET.fromstring(draw_planes(found, Labels(epoch="<e>", loss="<l>")).svg)

    colours = [each for each in root.findall("path") if "paper" not in each.get("style")]
    drawn = [each.get("d").count("M") for each in colours if each.get("stroke-linecap")]
    assert sum(drawn) == 240
    frames = [each for each in root.iter() if each.get("class") == "pp-frame"]
    assert [each.get("data-frame") for each in frames] == ["0", "1", "2", "3"]
    assert [each.get("visibility") for each in frames] == [*["hidden"] * 3, None]


def test_a_run_that_goes_on_has_its_curves_below_the_plane_on_fixed_axes():
    (run,) = answer_once(Watch(dataset=Dataset.BLOBS, epochs=3, num_gpus=0)).data
    run = replace(run, losses=(10.0, math.nan, 1.0, 0.1), accuracies=(0.25, 0.5, 1.0, 0.0))
    progress = Progress(fraction=0.1, data=(replace(run, frames=run.frames[-1:]),))
    labels = Labels(epoch="<e>", loss="<l>", correct="<c>")

    root = ET.fromstring(Watch(epochs=31).live_picture(progress, labels).svg)

    curves = {each.get("class"): each.get("d") for each in root.findall("path")}
    x0, _, x2, x3 = (each for each, _ in places(curves["pp-correct"]))
    assert (x2 - x0) / 2 == pytest.approx(x3 - x2, abs=0.1)
    assert x0 + 30 * (x3 - x2) == pytest.approx(390, abs=2)  # the right end of the axis
    heights = [y for _, y in places(curves["pp-correct"])]
    low, high = heights[3], heights[2]
    shares = [(low - y) / (low - high) for y in heights]
    assert shares == pytest.approx([0.25, 0.5, 1, 0], abs=0.01)
    assert places(curves["pp-loss"]) == [(x0, high), (x2, (low + high) / 2), (x3, low)]
    assert curves["pp-loss"].count("M") == 2  # NaN parts it
    answered = Answer(prediction="", explanation="", data=(run,))
    final = ET.fromstring(Watch(epochs=4).picture(answered, labels).svg)
    drawn = places(next(each.get("d") for each in final if each.get("class") == "pp-correct"))
    frames = [each for each in final if each.get("data-frame", "0") != "0"]
    shown = [places(frame.find("path").get("d"))[0][0] for frame in frames]
    assert shown == [x for x, _ in drawn[:3]]  # a line at the epoch of each frame
    before = replace(progress, data=(replace(run, losses=(), frames=run.frames[:1]),))
    assert 'class="pp-loss" d=""' in Watch(epochs=31).live_picture(before, labels).svg


def places(path: str) -> list[tuple[float, float]]:
    """The points of a curve."""
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path)]


def test_stretches_cover_each_cell_once():
    rows = ("0110", "2222", "0012")

    found = [(label, *each) for label in "012" for each in stretches(rows, label)]

    assert sum(end - begin for _, _, begin, end in found) == 12
    assert all(set(rows[row][begin:end]) == {label} for label, row, begin, end in found)


def test_a_machine_without_gpus_trains_on_the_cpu():
    assert_answer(Watch(machine=Machine(gpus=0), epochs=1, num_gpus=2), model_device="cpu")
