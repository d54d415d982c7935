"""What the pictures show: every value, mean, gradient, loss and mark in its place."""

import math

import pytest

from playground import catalog
from playground.lessons.custom_layers import figures
from playground.lessons.custom_layers.figures.curves import height_of
from playground.lessons.custom_layers.records import (
    CenterValues,
    Copying,
    CopyWeights,
    Holding,
    HoldTensor,
    MeasureMean,
    Place,
    Precision,
    TrainThrough,
    UseMyLinear,
    Values,
    Way,
)
from playground.palette import LIGHT
from tests.answers import answer_once as answer
from tests.pictures import PALETTES


def traces(figure):
    return {trace.name: trace for trace in figure.data}


@PALETTES
@pytest.mark.parametrize("values", [Values.RANGE, Values.ROWS])
def test_every_value_is_drawn_before_and_after(values, palette, words):
    report = answer(CenterValues(values=values))
    drawn = traces(figures.shift(report, palette, words))

    for name, rows in (("before", report.before), ("after", report.after)):
        for number, row in enumerate(rows):
            assert drawn[f"{name} {number}"].x == row
    assert len(drawn) == 2 * len(report.before)


@PALETTES
@pytest.mark.parametrize("precision", Precision)
def test_each_mean_is_at_its_magnitude_and_a_zero_stands_apart(precision, palette, words):
    report = answer(MeasureMean(precision=precision))
    figure = figures.magnitudes(report, palette, words)
    drawn = traces(figure)

    pocket = min(figure.layout.annotations, key=lambda each: each.x).x
    for index, mean in enumerate(report.others):
        (x,) = drawn["chosen" if index == 0 else f"seed {report.seed + index}"].x
        assert x == (pytest.approx(math.log10(abs(mean))) if mean else pocket)
    placed = {each.name: each.x for each in figure.layout.annotations if each.name}
    assert placed == {
        "size": pytest.approx(math.log10(report.size)),
        "unit": pytest.approx(math.log10(report.unit)),
        "step": pytest.approx(math.log10(report.step)),
    }


def test_a_single_value_can_be_drawn(words):
    drawn = traces(figures.magnitudes(answer(MeasureMean(batch=1, units=1)), LIGHT, words))

    assert len({trace.x for trace in drawn.values()}) == 1  # all in the place for exact zeros


@PALETTES
@pytest.mark.parametrize("way", Way)
def test_each_gradient_stands_in_its_cell(way, palette, words):
    report = answer(UseMyLinear(way=way, units_in=4, units=6))
    drawn = traces(figures.gradient_map(report, palette, words))

    assert len(drawn) == 24
    for i in range(4):
        for j in range(6):
            (text,) = drawn[f"grad[{i}][{j}]"].text
            expected = "None" if way is Way.DATA else f"{report.weight_grad[i][j]:.2g}"
            assert text == expected


@PALETTES
@pytest.mark.parametrize("place", Place)
def test_both_losses_are_drawn_step_by_step(place, palette, words):
    report = answer(TrainThrough(place=place, steps=7))
    figure = figures.losses(report, palette, words)

    most = max((*report.good.losses, *report.bad.losses))
    runs = [run for run in (report.good, report.bad) if run.losses]
    assert [trace.name for trace in figure.data] == [run.way for run in runs]
    for trace, run in zip(figure.data, runs, strict=True):
        assert trace.y == tuple(height_of(loss, most) for loss in run.losses)
    refused = [each for each in figure.layout.annotations if words["no_losses"] in each.text]
    assert len(refused) == (place is Place.EVERYWHERE)


@PALETTES
@pytest.mark.parametrize(
    ("copying", "units_in", "units", "wrong"),
    [
        (Copying.PLAIN, 4, 4, 12),  # all but the diagonal
        (Copying.PLAIN, 5, 3, 0),  # refused, so nothing is there
        (Copying.TRANSPOSED, 5, 3, 0),
        (Copying.PLAIN, 1, 1, 0),
    ],
)
def test_a_number_in_the_wrong_place_is_marked(copying, units_in, units, wrong, palette, words):
    report = answer(CopyWeights(copying=copying, units_in=units_in, units=units))
    figure = figures.layouts(report, palette, words)

    marked = [shape for shape in figure.layout.shapes if shape.line.color == palette.trouble]
    assert len(marked) == wrong
    drawn = traces(figure)
    assert len(drawn) == 2 * units_in * units
    assert drawn["own[0][0]"].text == ("0→0",)
    corner = drawn[f"linear[{units - 1}][{units_in - 1}]"].text
    assert corner == (f"{units_in - 1}→{units - 1}" if report.outcome.ok else "",)


@PALETTES
@pytest.mark.parametrize("holding", Holding)
def test_every_way_of_holding_has_five_marks_and_one_has_the_frame(holding, palette, words):
    report = answer(HoldTensor(holding=holding))
    figure = figures.holdings(report, palette, words)

    drawn = traces(figure)
    assert len(drawn) == 25
    marks = {name: "✓" in trace.text[0] for name, trace in drawn.items()}
    assert [marks[f"parameter {index}"] for index in range(5)] == [True] * 5
    assert [marks[f"attribute {index}"] for index in range(5)] == [False] * 5
    assert [marks[f"unsaved {index}"] for index in range(5)] == [False, False, True, False, False]
    framed = [shape for shape in figure.layout.shapes if shape.line.color == palette.ink]
    assert len(framed) == 5


def test_the_texts_that_stand_in_for_the_pictures_can_be_filled():
    alts = catalog.lesson("custom_layers").alts
    drawn = [
        ("shift", CenterValues(values=Values.ROWS)),
        ("magnitudes", MeasureMean()),
        ("gradient_map", UseMyLinear(way=Way.DATA)),
        ("losses", TrainThrough(place=Place.EVERYWHERE, steps=2)),
        ("layouts", CopyWeights()),
        ("holdings", HoldTensor()),
    ]
    for alt, settings in drawn:
        for language in catalog.Language:
            text = alts[alt].filled(language, **answer(settings).pictured)
            assert "{" not in text
            assert "None" not in text
