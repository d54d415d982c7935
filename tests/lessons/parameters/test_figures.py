"""What the pictures show: every value, entry, tensor, count and stop in its place."""

import math

import pytest

from playground import catalog
from playground.lessons.parameters import figures
from playground.lessons.parameters.records import (
    FeedNetwork,
    FreezeByName,
    Freezing,
    Keeping,
    KeepState,
    Moment,
    NameParameters,
    OpenLayer,
    ReachParameter,
    Setting,
    SetValue,
    Way,
)
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.palette import LIGHT
from tests.answers import answer_once as answer
from tests.pictures import PALETTES
from tests.turns import in_turn


def traces(figure):
    return {trace.name: trace for trace in figure.data if trace.name}


@PALETTES
def test_a_matrix_is_a_heatmap_and_says_its_numbers(palette, words):
    report = answer(ReachParameter(path="0.block 1.0.weight"))
    drawn = traces(figures.leaf(report, palette, words))

    for name, view in (
        (words["panel_values"], report.values),
        (words["panel_gradient"], report.gradient),
    ):
        heatmap = drawn[name]
        assert tuple(map(tuple, heatmap.z)) == view.grid
        assert heatmap.zmax == -heatmap.zmin == max(abs(v) for row in view.grid for v in row)
        assert len(drawn[f"{name} numbers"].text) == 32


@PALETTES
def test_a_vector_is_bars_up_and_down(palette, words):
    report = answer(ReachParameter())
    drawn = traces(figures.leaf(report, palette, words))

    bars = drawn[words["panel_values"]]
    signs = [math.copysign(1, each) for each in report.values.grid[0]]
    assert [math.copysign(1, each) for each in bars.y] == signs
    largest = max(range(8), key=lambda place: abs(report.values.grid[0][place]))
    assert max(range(8), key=lambda place: abs(bars.y[place])) == largest


@PALETTES
def test_where_there_is_no_gradient_it_says_so(palette, words):
    report = answer(OpenLayer(moment=Moment.BEFORE))
    figure = figures.leaf(report, palette, words)

    assert words["panel_gradient"] not in traces(figure)
    assert any(each.text == words["gradient_none"] for each in figure.layout.annotations)


def test_a_cut_tensor_says_that_it_is_cut(words):
    wide = Layer.of("Linear", in_features=100, out_features=100)
    network = Network(Block([wide]), InputSpec((2, 100))).to_json()
    report = answer(ReachParameter(network=network, path="0.weight"))
    figure = figures.leaf(report, LIGHT, words)

    assert any(each.text == words["first_rows"] for each in figure.layout.annotations)


@PALETTES
def test_before_and_after_share_one_scale(palette, words):
    report = answer(SetValue(way=Way.DATA_ITEM))
    drawn = traces(figures.change(report, palette, words))

    before, after = drawn[words["at_first"]], drawn[words["in_the_end"]]
    assert before.zmax == after.zmax == 42
    assert after.z[0][0] == 42


@PALETTES
def test_every_entry_is_listed(palette, words):
    report = answer(NameParameters())
    figure = figures.names(report, palette, words)

    assert list(traces(figure)) == [name for name, _ in report.listed]
    assert len(figure.layout.shapes) == len(report.listed)


@PALETTES
@in_turn("keeping", Keeping)
def test_what_is_left_out_is_dotted(keeping, palette, words):
    report = answer(KeepState(keeping=keeping))
    figure = figures.kept(report, palette, words)

    dotted = [shape for shape in figure.layout.shapes if shape.line.dash == "dot"]
    assert len(figure.layout.shapes) == len(report.tensors)
    assert len(dotted) == (keeping is not Keeping.SAVED)


@PALETTES
@pytest.mark.parametrize("freezing", Freezing)
def test_frozen_parameters_are_hollow_and_changes_are_marked(freezing, palette, words):
    report = answer(FreezeByName(pattern="0.block 0.*", freezing=freezing))
    figure = figures.counts(report, palette, words)

    hollow = [shape for shape in figure.layout.shapes if shape.line.dash == "dot"]
    assert len(hollow) == 4 + 1  # and one in the key
    marks = [each for each in figure.layout.annotations if each.text == "<b>Δ</b>"]
    assert len(marks) == sum(row.has_changed for row in report.rows)
    odd = [each for each in marks if each.font.color == palette.trouble]
    assert len(odd) == (4 if freezing is Freezing.AFTER else 0)
    assert {name: trace.text[0] for name, trace in traces(figure).items()} == {
        row.name: str(row.numbers) for row in report.rows
    }


@PALETTES
def test_the_spread_falls_on_a_logarithmic_scale(palette, words):
    report = answer(FeedNetwork())
    line = traces(figures.spread(report, palette, words))["spread"]

    assert len(line.y) == len(report.stops)
    first, second = report.stops[0].spread, report.stops[-1].spread
    middle = report.stops[9].spread
    share = (line.y[0] - line.y[9]) / (line.y[0] - line.y[-1])
    assert share == pytest.approx(math.log(first / middle) / math.log(first / second))


def test_a_spread_of_nothing_can_be_drawn(words):
    dead = Layer.of("Threshold", threshold=1e9, value=0.0)
    network = Network(Block([dead]), InputSpec((2, 4))).to_json()
    report = answer(FeedNetwork(network=network))
    line = traces(figures.spread(report, LIGHT, words))["spread"]

    assert report.stops[-1].spread == 0
    assert min(line.y) == line.y[-1]


def test_the_texts_that_stand_in_for_the_pictures_can_be_filled():
    alts = catalog.lesson("parameters").alts
    drawn = [
        ("leaf", OpenLayer()),
        ("leaf", ReachParameter()),
        ("names", NameParameters()),
        ("kept", KeepState()),
        ("spread", FeedNetwork()),
        ("counts", FreezeByName()),
        ("change", SetValue(way=Way.NO_GRAD)),
    ]
    for alt, settings in drawn:
        for language in catalog.Language:
            assert "{" not in alts[alt].filled(language, **answer(settings).pictured)


def test_every_reason_can_be_filled():
    whys = catalog.lesson("parameters").whys
    every = [
        *(OpenLayer(moment=moment) for moment in Moment),
        *(NameParameters(part=part) for part in ("net", "net[0]", "net[1]")),
        *(KeepState(keeping=keeping) for keeping in Keeping),
        *(FreezeByName(pattern="*", freezing=freezing) for freezing in Freezing),
        *(SetValue(way=way, setting=setting) for way in Way for setting in Setting),
        *(ReachParameter(), FeedNetwork(), FeedNetwork(scale=1000)),
    ]
    for settings in every:
        report = answer(settings)
        for language in catalog.Language:
            assert "{" not in whys[report.why].filled(language, **report.mentions)
