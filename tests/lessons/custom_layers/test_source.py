"""Every program that a student is shown really runs, and answers what the report says."""

import pytest

from playground.lessons.custom_layers import source
from playground.lessons.custom_layers.records import (
    Assignment,
    AssignWeight,
    CenterValues,
    Copying,
    CopyWeights,
    Holding,
    HoldTensor,
    MeasureMean,
    Place,
    Precision,
    TrainThrough,
    UseAsComponent,
    UseMyLinear,
    Values,
    Way,
)
from playground.machines import Machine
from playground.modules.custom_source import class_source
from tests.answers import answer_once as answer
from tests.programs import run_program
from tests.turns import in_turn

DEVICES = ("cpu", "cuda:0", "cuda:1")


def run_both(settings, program):
    """The report of the experiment, and what the shown program bound to ``result``, or refused."""
    report = answer(settings)
    result, outcome = run_program(program, getattr(settings, "machine", Machine()))
    assert outcome == report.outcome  # torch's own words in both, or success in both
    assert "playground" not in program
    return report, result


@pytest.mark.parametrize("values", Values)
def test_center_values(values):
    settings = CenterValues(values=values)
    report, result = run_both(settings, source.center_values(settings))

    if report.outcome.ok:
        rows = result if isinstance(result[0], list) else [result]
        assert tuple(map(tuple, rows)) == report.after


@pytest.mark.parametrize("precision", Precision)
@pytest.mark.parametrize(("batch", "units", "seed"), [(4, 128, 1), (1, 1, 0), (256, 256, 9999)])
def test_measure_mean(precision, batch, units, seed):
    settings = MeasureMean(precision=precision, batch=batch, units=units, seed=seed)
    report, result = run_both(settings, source.measure_mean(settings))

    assert result == report.mean


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize(("units_in", "units", "seed"), [(5, 3, 4), (1, 1, 0), (8, 8, 7)])
def test_use_my_linear(way, units_in, units, seed):
    settings = UseMyLinear(way=way, units_in=units_in, units=units, seed=seed)
    report, result = run_both(settings, source.use_my_linear(settings))

    if way is Way.PARAMETERS:
        assert tuple(map(tuple, result)) == report.weight_grad


@pytest.mark.parametrize("place", Place)
@pytest.mark.parametrize(("steps", "seed"), [(60, 5), (1, 0), (5, 1)])
def test_train_through(place, steps, seed):
    settings = TrainThrough(place=place, steps=steps, seed=seed)
    report, result = run_both(settings, source.train_through(settings))

    if report.outcome.ok:
        losses, still = result
        assert tuple(losses) == report.bad.losses
        assert tuple(still) == report.still


@pytest.mark.parametrize("copying", Copying)
@pytest.mark.parametrize(("units_in", "units"), [(5, 3), (4, 4), (1, 1), (1, 8)])
def test_copy_weights(copying, units_in, units):
    settings = CopyWeights(copying=copying, units_in=units_in, units=units)
    report, result = run_both(settings, source.copy_weights(settings))

    assert result == report.agrees


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("units_in", "units"), [(64, 8), (1, 1)])
def test_use_as_component(device, units_in, units):
    settings = UseAsComponent(device=device, units_in=units_in, units=units)
    report, result = run_both(settings, source.use_as_component(settings))

    keys = [path for path, _, _ in report.own.tensors]
    assert result == (report.own.parameters, keys, report.own.loads, device)


@in_turn("device", DEVICES)
@pytest.mark.parametrize("holding", Holding)
def test_hold_tensor(device, holding):
    settings = HoldTensor(holding=holding, device=device)
    report, result = run_both(settings, source.hold_tensor(settings))

    held = report.chosen
    if report.outcome.ok:
        assert result == (
            held.in_parameters,
            held.in_state_dict,
            held.has_gradient,
            held.is_trained,
            held.device,
        )


@pytest.mark.parametrize("assignment", Assignment)
def test_assign_weight(assignment):
    settings = AssignWeight(assignment=assignment)
    report, result = run_both(settings, source.assign_weight(settings))

    if report.outcome.ok:
        assert result == (report.type_name, report.in_parameters, report.has_trained)


def test_the_classes_of_the_five_ways_differ_in_one_line():
    def lines(holding):
        text = class_source(holding.class_name).splitlines()
        return {line for line in text if not line.startswith("class") and '"""' not in line}

    parameter = lines(Holding.PARAMETER)
    for holding in Holding:
        extra = {line for line in lines(holding) - parameter if line.strip() != "scale: Tensor"}
        assert len(extra) == (0 if holding is Holding.PARAMETER else 1)
