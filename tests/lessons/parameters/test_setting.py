import itertools

import pytest
import torch
from torch import nn

from playground.lessons.parameters.setting import Moment, Setting, Way, Weight
from tests.answers import answer_once

CASES = list(itertools.product(Way, Moment, Weight))


def expected(way: Way, moment: Moment, weight: Weight) -> str:
    """By the rules of autograd: leaves are guarded, the first weight is not needed to go back."""
    if way is Way.ITEM:
        return "RuntimeError"
    if moment is Moment.BEFORE_FORWARD or weight is Weight.FIRST:
        return "right"
    return "RuntimeError" if way is Way.NO_GRAD else "wrong"


@pytest.mark.parametrize(("way", "moment", "weight"), CASES)
def test_what_comes_of_every_line(way, moment, weight):
    answer = answer_once(Setting(way=way, moment=moment, weight=weight))

    assert answer.prediction == expected(way, moment, weight)
    assert answer.is_silent_failure == (answer.prediction == "wrong")
    is_fixable = answer.prediction != "right"
    assert (answer.fix is not None) == is_fixable
    if is_fixable:
        step = Setting(way=way, moment=moment, weight=weight, is_fixed=True)
        assert answer_once(step).prediction == "right"


def test_wrong_gradients_are_those_of_the_first_layer():
    """The gradient of a layer needs the weights of the layers behind it, by the chain rule."""
    answer = answer_once(Setting(way=Way.DATA_ITEM, moment=Moment.AFTER_FORWARD))

    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    corner = net.get_parameter("2.weight")[0, 0].item()
    assert answer.facts["wrong_gradients"] == "0.weight, 0.bias"
    assert answer.facts["value_before"] == f"{corner:.4f}"
    assert answer.facts["value_after"] == "42.0000"


def test_a_late_change_that_pytorch_notices_is_not_called_silent():
    late = {"moment": Moment.AFTER_FORWARD, "weight": Weight.FIRST}

    assert answer_once(Setting(way=Way.NO_GRAD, **late)).explanation == "late-and-noticed"
    assert answer_once(Setting(way=Way.DATA_ITEM, **late)).explanation == "not-needed-again"
