"""What the pictures show: which tensor where, and which pair of devices works."""

import pytest

from playground.lessons.models import figures
from playground.lessons.models.figures.lanes import MOST_CHARACTERS
from playground.lessons.models.records import (
    CatalogueModule,
    ComputeLoss,
    FeedModel,
    FindModel,
    MoveInPlace,
    MoveLazy,
    MoveModel,
    MoveWithOptimizer,
    ReadResult,
    Thing,
)
from playground.machines import Machine
from playground.palette import LIGHT
from tests.answers import answer_once as answer
from tests.pictures import PALETTES
from tests.turns import in_turn

DRAWN = [
    FindModel(second="cpu"),
    MoveInPlace(),
    MoveInPlace(thing=Thing.TENSOR),
    ComputeLoss(),
    *(MoveModel(module=module) for module in CatalogueModule),
    MoveWithOptimizer(steps=1),
    MoveLazy(batch="cpu"),
    ReadResult(),
]


@in_turn("settings", DRAWN)
@PALETTES
def test_every_lane_ends_where_the_tensor_is(settings, palette, words):
    report = answer(settings)
    drawn = figures.lanes(report, palette, words)

    there = [trace.name for trace in drawn.data if trace.name and " @ " in trace.name]
    was = [trace.name for trace in drawn.data if trace.name and " was @ " in trace.name]
    lanes = report.lanes
    assert [name for name in there if name not in was] == [
        f"{lane.label} @ {lane.after}" for lane in lanes if lane.after
    ]
    assert was == [
        f"{lane.label} was @ {lane.before}"
        for lane in lanes
        if lane.before and lane.before != lane.after
    ]


def test_a_dot_has_the_colour_of_its_device_and_stands_in_its_column(words):
    figure = figures.lanes(answer(FindModel(second="cpu")), LIGHT, words)

    columns = {trace.name: (min(trace.x), max(trace.x)) for trace in figure.data if trace.fill}
    for trace in figure.data:
        if trace.name and " @ " in trace.name:
            device = trace.name.partition(" @ ")[2]
            left, right = columns[device]
            assert left < trace.x[0] < right
            assert trace.marker.color == LIGHT.device(device).fill


def test_simulated_gpus_are_dotted_and_the_cpu_is_not(words):
    figure = figures.lanes(answer(FindModel()), LIGHT, words)

    dashes = {trace.name: trace.line.dash for trace in figure.data if trace.fill}
    assert dashes == {"cpu": "solid", "cuda:0": "dot", "cuda:1": "dot"}


def test_what_is_left_behind_is_marked_in_words_and_colour(words):
    figure = figures.lanes(answer(MoveModel(module=CatalogueModule.CONSTANT)), LIGHT, words)

    marked = [each.text for each in figure.layout.annotations if "✗" in each.text]
    assert len(marked) == 1
    assert marked[0].startswith("rand_weight")
    assert words["left_behind"] in marked[0]


def test_labels_fit_a_phone(words):
    figure = figures.lanes(answer(MoveModel(module=CatalogueModule.OPTIMIZER)), LIGHT, words)

    for each in figure.layout.annotations:
        bare = each.text.replace("<b>", "").replace("</b>", "")
        assert len(bare) <= MOST_CHARACTERS + 2


@PALETTES
@pytest.mark.parametrize("gpus", [0, 1, 8])
def test_every_pair_has_a_cell_and_one_has_the_frame(gpus, palette, words):
    model = "cpu" if gpus == 0 else "cuda:0"
    report = answer(FeedModel(machine=Machine(gpus=gpus), model=model))
    figure = figures.pairs(report, palette, words)

    assert len(figure.data) == (gpus + 1) ** 2
    framed = [trace.name for trace in figure.data if trace.marker.line.width == 3]
    assert framed == [f"cpu × {model}"]
    for trace in figure.data:
        batch, _, place = trace.name.partition(" × ")
        assert ("✓" in trace.text[0]) == (batch == place)


def test_the_first_column_of_a_pair_is_the_batch_on_the_cpu(words):
    figure = figures.pairs(answer(FeedModel()), LIGHT, words)
    at = {trace.name: (trace.x[0], trace.y[0]) for trace in figure.data}

    assert at["cpu × cuda:0"][0] == at["cpu × cpu"][0]
    assert at["cpu × cuda:0"][1] < at["cpu × cpu"][1]
