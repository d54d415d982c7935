"""What the experiments answer, against closed forms and plain torch or NumPy run by the side."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from playground.lessons.custom_layers.challenges import (
    is_lost_silently,
    is_silently_wrong,
    is_tiny,
    moves_unsaved,
)
from playground.lessons.custom_layers.records import (
    Assignment,
    AssignWeight,
    CenterValues,
    Copying,
    CopyWeights,
    Duty,
    Gradient,
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
from playground.machines.machine import MachineKind
from tests.answers import answer_once as answer

REAL = Machine(kind=MachineKind.REAL)
NO_WAY_BACK = "element 0 of tensors does not require grad and does not have a grad_fn"
NUMPY = {
    Precision.FLOAT64: np.float64,
    Precision.FLOAT32: np.float32,
    Precision.FLOAT16: np.float16,
}


# L1


def test_one_to_five_come_out_as_minus_two_to_two():
    report = answer(CenterValues())

    assert report.after == ((-2.0, -1.0, 0.0, 1.0, 2.0),)
    assert (report.actual, report.why) == ("zero", "centred")
    assert (report.parameters, report.keys) == (0, 0)


def test_two_rows_are_centred_together_and_not_each():
    report = answer(CenterValues(values=Values.ROWS))

    assert report.after == ((-6.0, -5.0, -4.0), (4.0, 5.0, 6.0))  # 1, 2, 3, 11, 12, 13 minus 7
    assert report.row_means == (-5.0, 5.0)
    assert (report.actual, report.why) == ("not_zero", "one-mean-for-all")


def test_integers_have_no_mean():
    report = answer(CenterValues(values=Values.INTEGERS))

    assert (report.actual, report.after) == ("RuntimeError", ())
    assert "mean(): could not infer output dtype" in report.outcome.message


@pytest.mark.parametrize("precision", Precision)
@pytest.mark.parametrize(("batch", "units"), [(4, 128), (32, 64), (1, 2)])
def test_the_mean_is_no_further_from_zero_than_rounding_can_take_it(precision, batch, units):
    report = answer(MeasureMean(precision=precision, batch=batch, units=units))

    unit = float(np.finfo(NUMPY[precision]).eps)
    assert report.unit == unit
    assert 0 < report.size < 4
    for mean in (*report.others, report.exact_mean):
        assert abs(mean) < 4 * unit  # every value is below 4, and errors do not pile up


@pytest.mark.parametrize("seed", [1, 2, 9999])
def test_the_exact_mean_is_what_the_two_kinds_of_rounding_leave(seed):
    report = answer(MeasureMean(seed=seed))

    torch.manual_seed(seed)
    linear = nn.Linear(8, 128)
    x = linear(torch.rand(4, 8)).detach().double().numpy()
    y = (x.astype(np.float32) - np.float32(report.subtracted)).astype(np.float64)
    expected_error = report.subtracted - math.fsum(x.ravel()) / x.size
    assert report.mean_error == pytest.approx(expected_error, rel=1e-9, abs=1e-20)
    assert report.exact_mean == pytest.approx(math.fsum(y.ravel()) / y.size, rel=1e-9, abs=1e-20)
    assert report.mean == report.others[0]
    assert report.actual == (report.mean == 0)


def test_the_other_means_are_those_of_the_seeds_that_follow():
    others = answer(MeasureMean(seed=3)).others

    assert others[1:5] == tuple(answer(MeasureMean(seed=seed)).mean for seed in range(4, 8))


@pytest.mark.parametrize("precision", Precision)
@pytest.mark.parametrize("seed", [0, 5])
def test_a_single_value_minus_itself_is_exactly_zero(precision, seed):
    report = answer(MeasureMean(precision=precision, batch=1, units=1, seed=seed))

    assert (report.mean, report.why) == (0, "one-value")
    assert report.zeros == len(report.others)
    assert not is_tiny(report)


# L2: the gradient


@pytest.mark.parametrize(("units_in", "units"), [(5, 3), (1, 1), (8, 8)])
@pytest.mark.parametrize("seed", [0, 1, 4])
def test_the_gradient_is_the_sum_of_the_rows_for_which_a_unit_is_awake(units_in, units, seed):
    report = answer(UseMyLinear(units_in=units_in, units=units, seed=seed))

    torch.manual_seed(seed)
    weight, bias = torch.randn(units_in, units).numpy(), torch.randn(units).numpy()
    x = torch.rand(2, units_in).numpy()
    awake = (x @ weight + bias > 0).astype(np.float32)
    torch.testing.assert_close(torch.tensor(report.weight_grad), torch.tensor(x.T @ awake))
    assert report.dead == tuple(np.flatnonzero(awake.sum(axis=0) == 0).tolist())
    assert report.parameters == units_in * units + units
    assert report.grad_fn == "ReluBackward0"
    kind = "numbers" if awake.any() else "zeros"
    assert report.actual == kind
    if not awake.any():
        assert report.why == "all-units-rest"
    else:
        assert report.why == ("gradient-arrives" if not report.dead else "some-units-rest")


def test_some_seed_wakes_no_unit_and_some_seed_wakes_them_all():
    reasons = {answer(UseMyLinear(seed=seed)).why for seed in range(12)}

    assert reasons == {"gradient-arrives", "some-units-rest", "all-units-rest"}


def test_alone_the_layer_with_data_is_refused():
    good, bad = answer(UseMyLinear()), answer(UseMyLinear(way=Way.DATA))

    assert bad.outcome.message == NO_WAY_BACK
    assert (bad.actual, bad.grad_fn, bad.gradient) == ("RuntimeError", None, Gradient.NONE)
    assert (bad.output, bad.weight) == (good.output, good.weight)  # forward is the same
    assert {gradient for _, _, gradient in bad.rows} == {Gradient.NONE}


# L2: .data inside a network


@pytest.mark.parametrize("place", [Place.FIRST, Place.MIDDLE, Place.LAST])
@pytest.mark.parametrize("seed", [4, 5])
def test_data_keeps_our_layer_from_learning_and_no_other(place, seed):
    report = answer(TrainThrough(place=place, seed=seed))

    assert report.outcome.ok
    assert report.actual == "trains_rest"
    for good, bad in zip(report.good.parameters, report.bad.parameters, strict=True):
        assert good.gradient is Gradient.NUMBERS
        assert good.has_changed
        assert bad.is_own == good.is_own == ("MyLinear" in bad.type_name)
        assert bad.gradient is (Gradient.NONE if bad.is_own else Gradient.NUMBERS)
        assert bad.has_changed != bad.is_own
    assert report.bad.losses[0] == report.good.losses[0]  # the same network, the same forward
    assert report.bad.losses[-1] < report.bad.losses[0] / 2
    assert len(report.bad.losses) == report.steps + 1


@pytest.mark.parametrize("place", [Place.FIRST, Place.MIDDLE, Place.LAST])
def test_the_output_of_our_layer_has_a_history_unless_it_is_the_first(place):
    report = answer(TrainThrough(place=place, steps=1))

    assert report.good.grad_fn == "ReluBackward0"
    assert report.bad.grad_fn == (None if place is Place.FIRST else "ReluBackward0")
    assert report.why == ("leaf-is-cut-off" if place is Place.FIRST else "passes-through")


def test_data_everywhere_is_noticed():
    report = answer(TrainThrough(place=Place.EVERYWHERE))

    assert report.outcome.message == NO_WAY_BACK
    assert (report.bad.losses, report.why) == ((), "nothing-leads-back")
    assert report.good.losses[-1] < report.good.losses[0]
    assert not any(each.has_changed for each in report.bad.parameters)


def test_the_frozen_layer_is_what_a_frozen_linear_layer_would_be():
    report = answer(TrainThrough(steps=20))

    torch.manual_seed(5)
    first = nn.Linear(4, 8)
    weight, bias = torch.randn(8, 8), torch.randn(8)
    frozen, last = nn.Linear(8, 8), None
    torch.manual_seed(5)
    nn.Linear(4, 8), torch.randn(8, 8), torch.randn(8)
    last = nn.Linear(8, 1)
    X = torch.rand(64, 4)
    with torch.no_grad():
        frozen.weight.copy_(weight.T)
        frozen.bias.copy_(bias)
    frozen.requires_grad_(False)
    net = nn.Sequential(first, nn.ReLU(), frozen, nn.ReLU(), last)
    optimizer = torch.optim.Adam([*first.parameters(), *last.parameters()], lr=0.01)
    losses = []
    for _ in range(20):
        loss = nn.functional.mse_loss(net(X), X.sum(dim=1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert report.bad.losses[:-1] == pytest.approx(losses, rel=1e-3)


def test_a_layer_that_gives_only_zeros_trains_nothing_and_says_so():
    reports = [answer(TrainThrough(place=Place.LAST, seed=seed, steps=2)) for seed in range(12)]

    dead = [each for each in reports if each.actual == "trains_nothing"]
    assert dead
    for report in dead:
        assert report.why == "nothing-trains"
        assert not any(each.has_changed for each in report.good.parameters)


# L2: the layout of the weight


@pytest.mark.parametrize(("units_in", "units"), [(5, 3), (1, 1), (4, 4), (1, 8), (8, 8)])
def test_the_transposed_weight_is_the_same_function(units_in, units):
    settings = CopyWeights(copying=Copying.TRANSPOSED, units_in=units_in, units=units)

    report = answer(settings)

    assert (report.actual, report.why) == ("same", "transposed-agrees")
    assert (report.own_shape, report.linear_shape) == ((units_in, units), (units, units_in))
    assert report.difference < 1e-5


@pytest.mark.parametrize(("units_in", "units"), [(5, 3), (3, 5), (1, 8), (8, 1)])
def test_as_it_is_the_weight_is_refused_where_the_sizes_differ(units_in, units):
    report = answer(CopyWeights(units_in=units_in, units=units))

    assert (report.actual, report.why) == ("RuntimeError", "shapes-do-not-fit")
    assert not is_silently_wrong(report)


@pytest.mark.parametrize("size", [2, 4, 8])
def test_a_square_weight_is_taken_and_wrong(size):
    report = answer(CopyWeights(units_in=size, units=size))

    assert (report.actual, report.why) == ("different", "fits-and-is-wrong")
    assert report.difference > 0.01
    assert is_silently_wrong(report)


def test_one_number_is_its_own_transpose():
    report = answer(CopyWeights(units_in=1, units=1))

    assert (report.actual, report.why) == ("same", "one-number-agrees")
    assert not is_silently_wrong(report)


# L3


@pytest.mark.parametrize("device", ["cpu", "cuda:1"])
@pytest.mark.parametrize(("units_in", "units"), [(64, 8), (1, 1), (49, 5)])
def test_our_layer_does_all_that_linear_does_but_print_its_sizes(units_in, units, device):
    report = answer(UseAsComponent(units_in=units_in, units=units, device=device))

    count = units_in * units + units + units + 1
    assert (report.own.parameters, report.size_bytes) == (count, 4 * count)
    assert [path for path, _, _ in report.own.tensors] == [
        "0.weight",
        "0.bias",
        "1.weight",
        "1.bias",
    ]
    assert report.own.loads
    assert report.own.trains
    assert {place for _, _, place in report.own.tensors} == {device}
    assert report.differing == (Duty.PRINTED,)
    assert report.own.text == "MyLinear()"
    for (_, own, _), (_, other, _) in zip(report.own.tensors, report.linear.tensors, strict=True):
        assert own == other[::-1]


# L4


@pytest.mark.parametrize(
    ("holding", "parameters", "state_dict", "gradient", "trained", "moves"),
    [
        (Holding.ATTRIBUTE, False, False, False, False, False),
        (Holding.TRACKED, False, False, True, False, False),
        (Holding.PARAMETER, True, True, True, True, True),
        (Holding.BUFFER, False, True, False, False, True),
        (Holding.UNSAVED, False, False, False, False, True),
    ],
)
def test_what_a_way_of_holding_gets(holding, parameters, state_dict, gradient, trained, moves):
    report = answer(HoldTensor(holding=holding, device="cuda:1"))

    held = report.chosen
    assert (held.in_parameters, held.in_state_dict) == (parameters, state_dict)
    assert (held.has_gradient, held.is_trained) == (gradient, trained)
    assert held.device == ("cuda:1" if moves else "cpu")
    assert report.outcome.ok == moves
    if not moves:
        assert report.outcome.message == (
            "Expected all tensors to be on the same device, "
            "but found at least two devices, cuda:1 and cpu!"
        )
    assert moves_unsaved(report) == (holding is Holding.UNSAVED)
    assert [each.holding for each in report.every] == list(Holding)


@pytest.mark.parametrize("holding", Holding)
def test_on_the_cpu_nothing_is_left_behind(holding):
    report = answer(HoldTensor(holding=holding, device="cpu"))

    assert (report.outcome.ok, report.why) == (True, f"held-as-{holding}")
    assert not moves_unsaved(report)


@pytest.mark.parametrize(
    ("assignment", "actual", "stage", "in_parameters", "is_held"),
    [
        (Assignment.TENSOR, "TypeError", "assignment", True, True),
        (Assignment.PARAMETER, "untrained", None, True, False),
        (Assignment.COPY, "trained", None, True, True),
        (Assignment.DATA, "trained", None, True, True),
        (Assignment.SCALED, "TypeError", "assignment", True, True),
        (Assignment.BUFFER, "KeyError", "assignment", True, True),
        (Assignment.NONE, "TypeError", "forward", False, False),
        (Assignment.DELETED, "untrained", None, False, False),
    ],
)
def test_what_becomes_of_a_weight_that_is_assigned_to(
    assignment, actual, stage, in_parameters, is_held
):
    report = answer(AssignWeight(assignment=assignment))

    assert (report.actual, report.stage) == (actual, stage)
    assert report.in_parameters == report.in_state_dict == in_parameters
    assert report.is_held == report.is_same_object == is_held
    assert is_lost_silently(report) == (assignment is Assignment.DELETED)


def test_torch_words_the_refusal_of_a_tensor():
    assert answer(AssignWeight()).outcome.message == (
        "cannot assign 'torch.FloatTensor' as parameter 'weight' "
        "(torch.nn.Parameter or None expected)"
    )


# devices that are not there, and real ones


@pytest.mark.parametrize(
    "settings",
    [
        UseAsComponent(machine=REAL, device="cuda:63"),
        HoldTensor(machine=REAL, device="cuda:63"),
        HoldTensor(machine=REAL, device="cuda:63", holding=Holding.PARAMETER),
    ],
)
def test_a_device_that_is_not_there_is_torchs_refusal(settings):
    report = answer(settings)

    assert not report.outcome.ok
    assert report.why == "no-such-device"
    assert not report.is_drawn


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
@pytest.mark.parametrize("holding", Holding)
def test_a_real_gpu_agrees_with_a_simulated_one(holding):
    real = answer(HoldTensor(machine=REAL, holding=holding))
    simulated = answer(HoldTensor(machine=Machine(gpus=1), holding=holding))

    assert real == simulated
    assert answer(UseAsComponent(machine=REAL)) == answer(UseAsComponent(machine=Machine(gpus=1)))
