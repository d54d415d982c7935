import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from playground import catalog
from playground.lessons.blocks.constant_parameter import Constant, ConstantParameter
from playground.lessons.blocks.five_duties import Call, FiveDuties, Hidden, Last, Start
from playground.lessons.blocks.fixed_hidden_mlp import Again, FixedHiddenMlp
from playground.lessons.blocks.fixed_hidden_mlp import Constant as Matrix
from playground.lessons.blocks.loop_in_forward import MAX_BARS, Infinite, LoopInForward
from tests.answers import answer_once, assert_answer


@pytest.mark.parametrize("rate", [0.1, 0.25])
@pytest.mark.parametrize("constant", Constant)
def test_only_a_parameter_is_changed_by_the_step(constant, rate):
    """f = c w·x with c = 2, w = 1, x = (1, 2, 3): df/dc = 6, df/dw = 2x."""
    answer = answer_once(ConstantParameter(constant=constant, rate=rate))

    after = 2 - 6 * rate if constant is Constant.PARAMETER else 2
    assert float(answer.prediction) == pytest.approx(after)
    assert answer.data[1:] == pytest.approx([1 - rate * 2 * x for x in (1, 2, 3)])
    assert answer.facts["gradient"] == (None if constant is Constant.TENSOR else 6)


@pytest.mark.parametrize("again", Again)
@pytest.mark.parametrize("matrix", Matrix)
def test_a_layer_counts_once_and_a_matrix_if_it_is_a_parameter(matrix, again):
    count = 20 * 20 + 20 + (400 if matrix is Matrix.PARAMETER else 0)
    expected = {"repeats": again is Again.SAME, "is_silent": again is Again.NEW}
    assert_answer(FixedHiddenMlp(constant=matrix, second=again), prediction=str(count), **expected)


def start_of_loop(exponent: int) -> float:
    """The L1 norm before the loop, computed outside of any class."""
    torch.manual_seed(2)
    matrix, layer = torch.rand(20, 20), nn.Linear(20, 20)
    X = torch.rand(2, 20) * float(f"1e{exponent}")
    with torch.no_grad():
        return layer(F.relu(layer(X) @ matrix + 1)).abs().sum().item()


@pytest.mark.parametrize("exponent", [-4, 0, 3, 20, 37])
def test_the_loop_halves_until_the_norm_is_at_most_one(exponent):
    rounds = math.ceil(math.log2(start := start_of_loop(exponent)))
    norms, _ = assert_answer(LoopInForward(exponent=exponent), rounds=rounds).data
    assert (float(norms[0]), float(norms[-1])) == (start, start / 2**rounds)


def test_ten_times_as_much_takes_three_or_four_rounds_more_once_x_is_large():
    """E2: for small X the biases and the + 1 decide, so it is not true there."""
    rounds = [answer_once(LoopInForward(exponent=each)).facts["rounds"] for each in range(-4, 38)]
    more = [after - before for before, after in zip(rounds, rounds[1:], strict=False)]

    assert (set(more[:4]), set(more[5:])) == ({0}, {3, 4})  # below and from an exponent of 1 on


def test_rounds_are_sorted_into_the_answers():
    found = [LoopInForward().prediction(rounds) for rounds in (0, 1, 10, 11)]
    assert found == ["not_once", "up_to_ten", "up_to_ten", "more"]


@pytest.mark.parametrize(
    ("step", "prediction", "explanation", "is_silent", "bars"),
    [
        (LoopInForward(infinite=Infinite.CONSTANT), "endless", "infinity-halved", True, MAX_BARS),
        (LoopInForward(infinite=Infinite.INPUT), "not_once", "nan-is-not-greater", True, 1),
        (LoopInForward(exponent=38), "more", "only-the-sum-overflows", False, MAX_BARS),
    ],
)
def test_infinite_numbers(step, prediction, explanation, is_silent, bars):
    found = assert_answer(step, prediction=prediction, explanation=explanation, is_silent=is_silent)
    assert step.picture(found, {"sum": "L1 norm"}).svg.count("<rect") == bars


@pytest.mark.parametrize(
    ("settings", "missed", "is_silent"),
    [
        ({}, "none_missing", False),
        ({"hidden": Hidden.LIST}, "parameters", True),
        ({"call": Call.FLAT}, "input", False),
        ({"last": Last.NO_RETURN}, "output", False),
        ({"call": Call.DETACHED}, "gradient", True),
        ({"start": Start.ZEROS}, "initialization", True),
        ({"start": Start.ZEROS, "hidden": Hidden.LIST}, "parameters", True),
    ],
)
def test_the_first_missed_duty_counts_and_the_question_says_so(settings, missed, is_silent):
    question = catalog.lesson("blocks").step("five_duties").prediction.question
    assert ("the first" in question.en, "最前面" in question.zh) == (True, True)
    step = FiveDuties(**{"hidden": Hidden.LAYER, **settings})
    assert_answer(step, prediction=missed, is_silent=is_silent)


def test_autograd_agrees_with_difference_quotients():
    deviation = answer_once(FiveDuties(hidden=Hidden.LAYER)).facts["deviation"]
    assert 0 <= deviation < 1e-4  # gradients are of the order of 1
