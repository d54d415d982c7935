import itertools

import pytest
import torch
from torch import nn

from playground.lessons.parameters.setting import Moment, Setting, Way, Weight
from tests.answers import assert_answer


def expected(way: Way, moment: Moment, weight: Weight) -> str:
    """By the rules of autograd: leaves are guarded, the first weight is not needed to go back."""
    if way is Way.ITEM:
        return "RuntimeError"
    if moment is Moment.BEFORE_FORWARD or weight is Weight.FIRST:
        return "right"
    return "RuntimeError" if way is Way.NO_GRAD else "wrong"


@pytest.mark.parametrize(("way", "moment", "weight"), list(itertools.product(Way, Moment, Weight)))
def test_what_comes_of_every_line(way, moment, weight):
    step, comes = Setting(way=way, moment=moment, weight=weight), expected(way, moment, weight)

    assert_answer(step, prediction=comes, is_silent=comes == "wrong", has_fix=comes != "right")
    if comes != "right":
        assert_answer(step.replaced(is_fixed=True), prediction="right")


def test_wrong_gradients_are_those_of_the_first_layer():
    """The gradient of a layer needs the weights of the layers behind it, by the chain rule."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    values = {"value_before": f"{net[2].weight[0, 0].item():.4f}", "value_after": "42.0000"}

    step = Setting(way=Way.DATA_ITEM, moment=Moment.AFTER_FORWARD)
    assert_answer(step, wrong_gradients="0.weight, 0.bias", **values)


def test_a_late_change_that_pytorch_notices_is_not_called_silent():
    late = {"moment": Moment.AFTER_FORWARD, "weight": Weight.FIRST}

    assert_answer(Setting(way=Way.NO_GRAD, **late), explanation="late-and-noticed")
    assert_answer(Setting(way=Way.DATA_ITEM, **late), explanation="not-needed-again")
