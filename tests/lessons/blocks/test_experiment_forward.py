"""FixedHiddenMLP: its loop, its one layer in two places, its constant; against plain torch."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from playground.lessons.blocks.challenges import (
    ends_after_a_hundred_rounds,
)
from playground.lessons.blocks.records import (
    EXPONENTS,
    MOST_LOOPS,
    CountLoops,
    Infinite,
    Keeping,
    MoveConstant,
    TrainShared,
)
from playground.modules.custom.fixed_hidden_mlp import FixedHiddenMLP
from tests.answers import answer_once as answer
from tests.turns import in_turn

SEEDS = range(6)


# B5: the loop


def rounds_by_hand(total):
    rounds = 0
    while total > 1:
        total /= 2
        rounds += 1
    return rounds


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("exponent", [EXPONENTS[0], 0, 7, 33, 36])
def test_the_rounds_are_the_halvings_of_the_sum_before_the_loop(seed, exponent):
    report = answer(CountLoops(exponent=exponent, seed=seed))

    torch.manual_seed(seed)
    constant, layer = torch.rand(20, 20).double(), nn.Linear(20, 20)
    x = torch.rand(2, 20) * 10.0**exponent
    layer.double()
    with torch.no_grad():
        hidden = layer(F.relu(layer(x.double()) @ constant + 1))
    total = hidden.abs().sum().item()
    assert report.has_ended
    assert float(report.start) == pytest.approx(total, rel=1e-3)
    assert abs(report.loops - max(0, math.ceil(math.log2(total)))) <= 1  # float32 rounds
    assert report.loops in (rounds_by_hand(total * 0.9999), rounds_by_hand(total * 1.0001))


def test_the_curve_has_every_scale_and_only_grows():
    curve = answer(CountLoops()).curve

    assert [each.exponent for each in curve] == list(EXPONENTS)
    late = [each.loops for each in curve if each.exponent >= 2 and each.has_ended]
    assert late == sorted(late)


def test_the_chosen_scale_is_a_point_of_the_curve():
    for exponent in (-4, 0, 20, 38):
        report = answer(CountLoops(exponent=exponent))
        (point,) = [each for each in report.curve if each.exponent == exponent]
        assert (point.loops, point.has_ended) == (report.loops, report.has_ended)


def test_an_infinite_activation_is_halved_for_ever():
    report = answer(CountLoops(infinite=Infinite.CONSTANT))

    assert (report.start, report.loops, report.has_ended) == ("inf", MOST_LOOPS, False)
    assert (report.actual, report.why, report.result) == ("endless", "infinity-halved", None)
    assert not ends_after_a_hundred_rounds(report)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("infinite", [Infinite.INPUT, Infinite.CONSTANT])
def test_the_reason_fits_what_the_infinity_became(infinite, seed):
    report = answer(CountLoops(infinite=infinite, seed=seed))

    assert (report.why == "infinity-halved") == (report.start == "inf")
    assert (report.why == "nan-is-not-greater") == (report.start == "nan")
    assert report.has_ended == (report.start != "inf")


@pytest.mark.parametrize("seed", range(12))
def test_at_the_edge_of_float32_the_reason_tells_a_sum_from_a_number_that_overflows(seed):
    report = answer(CountLoops(exponent=38, seed=seed))

    torch.manual_seed(seed)
    constant, layer = torch.rand(20, 20), nn.Linear(20, 20)
    with torch.no_grad():
        hidden = layer(F.relu(layer(torch.rand(2, 20) * 10.0**38) @ constant + 1))
    if hidden.isnan().any():
        assert report.why == "nan-is-not-greater"
    elif hidden.isinf().any():
        assert report.why == "infinity-halved"
    elif hidden.abs().sum().isinf():
        assert report.why == "only-the-sum-overflows"
    else:
        assert report.why == "halves"


def test_the_bound_is_that_of_the_class():
    assert FixedHiddenMLP.most_halvings == MOST_LOOPS


# B5: the layer, the constant


@in_turn("seed", SEEDS)
@pytest.mark.parametrize("rows", [1, 2, 64])
def test_the_gradient_of_a_layer_used_twice_is_one_sum(seed, rows):
    report = answer(TrainShared(seed=seed, rows=rows))

    assert (report.learnable, report.calls, report.constant_size) == (420, 2, 400)
    assert report.actual == "420"
    assert report.has_layer_changed
    assert not report.has_constant_changed
    assert not report.is_constant_listed
    largest = max(abs(share.together) for share in report.shares)
    assert report.difference <= 1e-4 * max(1.0, largest)
    for share in report.shares:
        assert share.together == pytest.approx(share.first + share.second, abs=1e-5)
    assert all(share.second > 0 for share in report.shares)  # d sum / d bias, each example alike


@pytest.mark.parametrize("device", ["cuda:0", "cuda:1"])
def test_an_attribute_stays_and_a_buffer_moves(device):
    attribute = answer(MoveConstant(keeping=Keeping.ATTRIBUTE, device=device))
    buffer = answer(MoveConstant(keeping=Keeping.BUFFER, device=device))

    assert attribute.outcome.error_type == "RuntimeError"
    assert (attribute.layer_device, attribute.constant_device) == (device, "cpu")
    assert (attribute.in_state_dict, attribute.is_fixed) == (False, True)
    assert buffer.outcome.ok
    assert (buffer.layer_device, buffer.constant_device, buffer.result_device) == (device,) * 3
    assert (buffer.in_state_dict, buffer.is_parameter, buffer.is_fixed) == (True, False, False)


def test_on_the_cpu_both_work():
    for keeping in Keeping:
        assert answer(MoveConstant(keeping=keeping, device="cpu")).outcome.ok
