import dataclasses
import math
from xml.etree import ElementTree

import pytest

from playground import catalog
from playground.lessons.training import experiment, figures
from playground.lessons.training.figures.lines import heights, patches
from playground.lessons.training.records import (
    ClipGradient,
    Curve,
    CurvesProgress,
    Dataset,
    Plane,
    Train,
    TrainTwice,
    TryRates,
)
from playground.palette import DARK, LIGHT, Words

SVG = "{http://www.w3.org/2000/svg}"
LABELS = catalog.lesson("training").labels
WORDS = Words({name: text.said(catalog.Language.EN) for name, text in LABELS.items()})
ZH = Words({name: text.said(catalog.Language.ZH) for name, text in LABELS.items()})


@pytest.fixture(scope="module")
def told():
    heard = []
    experiment.train(Train(dataset=Dataset.BLOBS, epochs=5), heard.append)
    return heard[-1]


@pytest.fixture(scope="module")
def report():
    return experiment.train(Train(dataset=Dataset.BLOBS, epochs=5))


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("words", [WORDS, ZH])
def test_the_live_picture_is_small_and_well_formed(told, palette, words):
    svg = figures.live_training(told, palette, words)

    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == words["alt_training"]
    assert len(root.findall(f"{SVG}circle")) == len(told.plane.points)
    assert len(root.findall(f"{SVG}polyline")) == 2
    assert len(svg) < 30_000


@pytest.mark.parametrize("losses", [(1.0,), (1.0, math.nan), (math.inf, 0.0), (0.5, 0.5)])
def test_no_loss_breaks_a_picture(told, report, losses):
    ElementTree.fromstring(
        figures.live_training(dataclasses.replace(told, losses=losses), LIGHT, WORDS)
    )
    curves = (Curve(name="cpu", losses=losses), Curve(name="1", losses=losses))
    ElementTree.fromstring(
        figures.live_curves(CurvesProgress(epochs=4, curves=curves), LIGHT, WORDS)
    )
    figures.run_curves(
        dataclasses.replace(report, losses=losses, accuracies=(0.5,) * len(losses)), LIGHT, WORDS
    )


def test_the_curve_says_what_the_report_says(report):
    figure = figures.run_curves(report, LIGHT, WORDS)

    loss, accuracy = figure.data
    assert tuple(loss.customdata) == report.losses
    assert [10**each for each in loss.y] == pytest.approx(list(report.losses))
    assert tuple(accuracy.y) == report.accuracies
    assert list(loss.x) == [1, 2, 3, 4, 5]


def test_the_plane_shows_every_point_and_every_place_once(report):
    figure = figures.plane(report, LIGHT, WORDS)

    markers = [trace for trace in figure.data if trace.mode == "markers"]
    assert sum(len(trace.x) for trace in markers) == 240
    side = 2 * Plane.REACH / Plane.CELLS
    area = sum(
        (right - left) * (top - bottom)
        for label in range(3)
        for left, bottom, right, top in patches(report.plane, label)
    )
    assert area == pytest.approx((side * Plane.CELLS) ** 2)


def test_patches_join_neighbours_of_one_class():
    plane = Plane(points=(), classes=("0110", "1111"))

    assert [
        round((right - left) / (2 * Plane.REACH / Plane.CELLS))
        for left, _, right, _ in patches(plane, 1)
    ] == [2, 4]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_several_curves_are_told_apart_without_colour(palette):
    report = experiment.try_rates(TryRates(epochs=2))

    figure = figures.several_curves(report, palette, WORDS)

    assert len({trace.line.dash for trace in figure.data}) == 4
    assert [trace.name for trace in figure.data] == ["0.001", "0.01", "0.1", "1"]


def test_a_run_on_a_device_has_its_colour():
    report = experiment.train_twice(TrainTwice(epochs=2))

    figure = figures.several_curves(report, LIGHT, WORDS)

    assert [trace.line.color for trace in figure.data] == [
        LIGHT.cpu.text,
        LIGHT.device("cuda:0").text,
    ]


def test_the_norms_are_the_reports():
    report = experiment.clip_gradient(ClipGradient(factor=50))

    figure = figures.clipped(report, LIGHT, WORDS)

    assert [bar.x[0] for bar in figure.data] == [report.after, report.before]


def test_heights_are_powers_of_ten():
    assert heights((1.0, 0.01, math.nan, 0.0)) == [0.0, -2.0, None, pytest.approx(-5)]
