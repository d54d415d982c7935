"""Settings refuse what cannot be, and reports have words for all that they say."""

import itertools
import pickle

import pytest

from playground import catalog
from playground.errors import InvalidSettingError
from playground.lessons.models.records import (
    CatalogueModule,
    ComputeLoss,
    FeedModel,
    FindModel,
    Moment,
    MoveInPlace,
    MoveLazy,
    MoveModel,
    MoveWithOptimizer,
    OptimizerName,
    Reading,
    ReadResult,
    Remedy,
    Way,
)
from playground.modules.rows import Kind, Reason
from playground.palette import Words
from tests.answers import answer_once as answer
from tests.turns import in_turn

KINDS = [
    *(FindModel, MoveInPlace, FeedModel, ComputeLoss, MoveModel, MoveWithOptimizer),
    *(MoveLazy, ReadResult),
]


@pytest.mark.parametrize("kind", KINDS)
def test_settings_have_good_defaults_and_survive_pickling(kind):
    settings = kind()

    assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301 - written on this line


@in_turn(
    ("kind", "values", "field"),
    [
        (FindModel, {"first": "gpu"}, "first"),
        (FindModel, {"second": "cuda:2"}, "second"),
        (MoveInPlace, {"thing": "list"}, "thing"),
        (MoveInPlace, {"target": "meta"}, "target"),
        (FeedModel, {"layer": "relu"}, "layer"),
        (FeedModel, {"model": "cuda"}, "model"),
        (ComputeLoss, {"weight": "cuda:9"}, "weight"),
        (MoveModel, {"module": "unknown"}, "module"),
        (MoveModel, {"device": "cuda:2"}, "device"),
        (MoveWithOptimizer, {"steps": -1}, "steps"),
        (MoveWithOptimizer, {"steps": 21}, "steps"),
        (MoveWithOptimizer, {"optimizer": "lion"}, "optimizer"),
        (MoveLazy, {"batch": "cuda:7"}, "batch"),
        (ReadResult, {"reading": "look"}, "reading"),
    ],
)
def test_what_cannot_be_is_refused_by_the_name_of_its_field(kind, values, field):
    with pytest.raises(InvalidSettingError) as refusal:
        kind(**values)

    assert refusal.value.field == field


def test_there_are_words_for_every_kind_and_reason():
    labels = catalog.lesson("models").labels

    assert {f"kind_{kind}" for kind in Kind} <= set(labels)
    assert {f"reason_{reason}" for reason in Reason} <= set(labels)


SAID = [
    *(FindModel(first=first, second="cpu") for first in ("cpu", "cuda:1")),
    *(MoveInPlace(start=start) for start in ("cpu", "cuda:0")),
    *(FeedModel(layer=layer) for layer in ("linear", "conv", "lstm")),
    FeedModel(batch="cuda:0"),
    *(ComputeLoss(**{field: "cuda:1"}) for field in ("batch", "labels", "weight", "model")),
    ComputeLoss(weight="cuda:0"),
    *(MoveModel(module=module) for module in CatalogueModule),
    MoveModel(device="cpu"),
    *(
        MoveWithOptimizer(optimizer=optimizer, steps=steps, way=way, remedy=remedy)
        for optimizer, steps, way, remedy in itertools.product(OptimizerName, (0, 1), Way, Remedy)
    ),
    MoveWithOptimizer(moment=Moment.AFTER),
    MoveWithOptimizer(target="cpu"),
    *(MoveLazy(batch=batch) for batch in ("cpu", "cuda:0")),
    *(ReadResult(reading=reading) for reading in Reading),
    ReadResult(device="cpu"),
]


@in_turn("settings", SAID)
def test_a_report_can_say_all_that_it_says_in_both_languages(settings):
    report = answer(settings)
    lesson = catalog.lesson("models")

    for language in catalog.Language:
        words = Words({name: text.said(language) for name, text in lesson.labels.items()})
        assert "None" not in lesson.whys[report.why].filled(language, **report.mentions)
        assert set(report.facts) <= set(words)
        for columns, rows in report.tables(words):
            assert set(columns) <= set(words)
            assert {len(row) for row in rows} <= {len(columns)}
    assert pickle.loads(pickle.dumps(report)) == report  # noqa: S301 - written on this line
