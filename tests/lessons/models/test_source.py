"""Every program that a student is shown really runs, and answers what the report says."""

import ast
import itertools

import pytest

from playground.lessons.models import source
from playground.lessons.models.experiment import catalogue
from playground.lessons.models.records import (
    CatalogueModule,
    ComputeLoss,
    FeedModel,
    FindModel,
    Layer,
    Moment,
    MoveInPlace,
    MoveLazy,
    MoveModel,
    MoveWithOptimizer,
    OptimizerName,
    Reading,
    ReadResult,
    Remedy,
    Thing,
    Way,
)
from playground.lessons.models.source.moving import class_texts
from tests.answers import answer_once as answer
from tests.programs import run_program
from tests.turns import in_turn

DEVICES = ("cpu", "cuda:0", "cuda:1")
PAIRS = list(itertools.product(DEVICES, DEVICES))


def run_both(settings, program):
    """The report of the experiment, and what the shown program bound to ``result``, or refused."""
    report = answer(settings)
    result, outcome = run_program(program, settings.machine)
    assert outcome == report.outcome  # torch's own words in both, or success in both
    return report, result


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_find_model(first, second):
    settings = FindModel(first=first, second=second)
    report = answer(settings)
    result, outcome = run_program(source.find_model(settings), settings.machine)

    assert outcome.ok
    assert result == (report.first_device, (report.first_count, report.second_count), False)


@in_turn("thing", Thing)
@pytest.mark.parametrize(("start", "target"), PAIRS)
def test_move_in_place(start, target, thing):
    settings = MoveInPlace(thing=thing, start=start, target=target)
    report, result = run_both(settings, source.move_in_place(settings))

    last = report.keeps_parameter if thing == Thing.MODULE else report.returned_place
    assert result == (report.place, report.is_same_object, last)


@in_turn("layer", Layer)
@pytest.mark.parametrize(("batch", "model"), PAIRS)
def test_feed_model(layer, batch, model):
    settings = FeedModel(layer=layer, batch=batch, model=model)
    program = source.feed_model(settings)
    report, result = run_both(settings, program)

    assert result == report.result_device
    gone, come = source.mend_feeding(settings)
    assert gone in program
    mended, outcome = run_program(program.replace(gone, come), settings.machine)
    assert (mended, outcome.ok) == (model, True)


@in_turn(
    ("batch", "model", "labels", "weight"), list(itertools.product(("cpu", "cuda:1"), repeat=4))
)
def test_compute_loss(batch, model, labels, weight):
    settings = ComputeLoss(batch=batch, model=model, labels=labels, weight=weight)
    report, result = run_both(settings, source.compute_loss(settings))

    assert result == report.loss_device
    mended, outcome = run_program(source.repair_loss(settings), settings.machine)
    assert (mended, outcome.ok) == (model, True)
    gone, come = source.mend_loss(settings)
    assert gone == ""
    assert come in source.repair_loss(settings)


@in_turn("module", CatalogueModule)
@pytest.mark.parametrize("device", DEVICES)
def test_move_model(module, device):
    settings = MoveModel(module=module, device=device)
    report, result = run_both(settings, source.move_model(settings))

    assert result == (
        None if report.result_device is None else (report.result_device, report.result_values)
    )


@in_turn("module", CatalogueModule)
@pytest.mark.parametrize("device", DEVICES)
def test_the_mended_program_runs_and_says_what_the_report_says(module, device):
    settings = MoveModel(module=module, device=device)
    report = answer(settings)
    result, outcome = run_program(source.repair_model(settings), settings.machine)

    assert outcome.ok
    expected = report.fixed_values or report.result_values
    assert result == (device, expected)


@in_turn("module", CatalogueModule)
def test_the_changed_lines_turn_one_program_into_the_other(module):
    settings = MoveModel(module=module)
    before, after = source.move_model(settings), source.repair_model(settings)

    gone, come = source.mend_model(settings)

    assert all(line in before for line in gone.splitlines())
    assert all(line in after for line in come.splitlines())
    assert bool(gone or come) == (module.is_mended_inside or module.is_mended_outside)


def test_the_classes_that_are_shown_are_those_that_run():
    for module in CatalogueModule:
        for name in (module.class_name, module.repaired_class_name):
            assert ast.parse(class_texts()[name])
            assert getattr(catalogue, name).__name__ == name


def test_every_class_of_the_catalogue_is_shown():
    named = {name for m in CatalogueModule for name in (m.class_name, m.repaired_class_name)}

    assert named == set(class_texts())


@in_turn("optimizer", OptimizerName)
@in_turn("moment", Moment)
@in_turn("steps", [0, 2])
@in_turn("way", Way)
@pytest.mark.parametrize("remedy", Remedy)
def test_move_with_optimizer(optimizer, moment, steps, way, remedy):
    settings = MoveWithOptimizer(
        optimizer=optimizer, moment=moment, steps=steps, way=way, remedy=remedy
    )
    report, result = run_both(settings, source.move_with_optimizer(settings))

    if report.outcome.ok:
        assert result == (report.is_same_parameter, report.has_trained)


@pytest.mark.parametrize(("target", "batch"), PAIRS)
def test_move_lazy(target, batch):
    settings = MoveLazy(target=target, batch=batch)
    program = source.move_lazy(settings)
    report, result = run_both(settings, program)

    if report.outcome.ok:
        moved, fed = (report.at(stage, "net[0].weight") for stage in ("moved", "fed"))
        before, after = (moved.kind, moved.device), (fed.kind, fed.device, fed.shape)
        assert result == (before, after, report.result_device)
    gone, come = source.mend_lazy(settings)
    mended, outcome = run_program(program.replace(gone, come), settings.machine)
    assert outcome.ok
    assert mended[-1] == target


@in_turn("reading", Reading)
@pytest.mark.parametrize("device", DEVICES)
def test_read_result(device, reading):
    settings = ReadResult(device=device, reading=reading)
    report, result = run_both(settings, source.read_result(settings))

    if report.outcome.ok:
        assert result == (report.result_device, report.type_name, report.value)
