"""Settings refuse what cannot be; reports find their words."""

import dataclasses
import itertools
import re

import pytest

from playground import catalog
from playground.errors import InvalidSettingError
from playground.explained import Explained
from playground.lessons.blocks.records import (
    CallSequential,
    CheckDuties,
    CompareWithSequential,
    CountLoops,
    MoveConstant,
    NestBlocks,
    TrainShared,
    UseMySequential,
)
from tests.answers import answer_once as answer
from ui.prediction import answer_id

BOUNDED = [CallSequential, CompareWithSequential, CountLoops, TrainShared, CheckDuties]
KINDS = [*BOUNDED, UseMySequential, MoveConstant, NestBlocks]


@pytest.mark.parametrize("kind", BOUNDED)
def test_numbers_out_of_bounds_are_refused_by_name(kind):
    for field, bounds in kind.BOUNDS.items():
        for given in (bounds["least"] - 1, bounds["most"] + 1, 1.5, True, None):
            with pytest.raises(InvalidSettingError) as refused:
                kind(**{field: given})
            assert refused.value.field == field
        for given in bounds.values():
            assert getattr(kind(**{field: given}), field) == given


def combinations(kind):
    fields = [field for field in dataclasses.fields(kind) if hasattr(field.default, "name")]
    for chosen in itertools.product(*(type(field.default) for field in fields)):
        yield kind(**{field.name: one for field, one in zip(fields, chosen, strict=True)})


@pytest.mark.parametrize("kind", KINDS)
def test_every_reason_fact_and_answer_has_its_words(kind):
    lesson = catalog.lesson("blocks")
    (step,) = [each for each in lesson.steps if each.settings == kind.__name__]
    labels = {name: text.en for name, text in lesson.labels.items()}
    for settings in combinations(kind):
        report = answer(settings)
        assert isinstance(report, Explained)
        for language in catalog.Language:
            said = lesson.whys[report.why].filled(language, **report.mentions)
            assert "None" not in said
            assert not re.search(r"\d\.\d{6}", said)
        assert set(report.facts) <= set(labels)
        for columns, rows in report.tables(labels):
            assert set(columns) <= set(labels)
            assert all(len(row) == len(columns) for row in rows)
        assert step.prediction
        assert answer_id(report.actual) in step.prediction.answers
