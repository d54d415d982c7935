import pytest
import torch
from torch import nn

from playground.lessons.initialization.which_fan import Layer, Mode, WhichFan, real_fans
from tests.answers import answer_once

SIGNAL = "signal"


@pytest.mark.parametrize(
    ("layer", "batch", "fans"),
    [
        (nn.Linear(20, 256, bias=False), (2, 20), (20, 256)),
        (nn.Conv2d(3, 64, 5, bias=False), (2, 3, 24, 24), (3 * 25, 64 * 25)),
        (nn.ConvTranspose2d(3, 64, 5, bias=False), (2, 3, 24, 24), (3 * 25, 64 * 25)),
        (nn.Conv2d(8, 16, 3, groups=4, bias=False), (2, 8, 24, 24), (2 * 9, 4 * 9)),
    ],
)
def test_connections_are_counted(layer, batch, fans):
    found = real_fans(layer, torch.randn(batch))

    assert (found.fan_in, found.fan_out) == fans


def test_my_linear_gets_the_fan_of_its_outputs_and_the_fix_turns_the_weight():
    answer = answer_once(WhichFan())

    assert (answer.prediction, answer.facts["real"]) == ("256", 20)
    assert answer.is_silent_failure
    assert answer.facts[SIGNAL] == pytest.approx(20 / 256, rel=0.1)
    assert answer.fix is not None
    assert "layer.weight.T" in answer.fix[1]
    assert answer_once(WhichFan(is_fixed=True)).facts[SIGNAL] == pytest.approx(1, abs=0.1)


def test_fan_out_of_my_linear_is_a_solution_and_is_explained_as_one():
    """It reads as a fault no more: two swaps cancel."""
    answer = answer_once(WhichFan(mode=Mode.FAN_OUT))

    assert answer.facts[SIGNAL] == pytest.approx(1, abs=0.1)
    assert answer.explanation == "two-swaps-cancel"
    assert not answer.is_silent_failure


def test_groups_are_not_in_the_fan_out_of_torch():
    answer = answer_once(WhichFan(layer=Layer.GROUPED, mode=Mode.FAN_OUT))

    assert (answer.facts["used"], answer.facts["real"]) == (16 * 9, 4 * 9)
