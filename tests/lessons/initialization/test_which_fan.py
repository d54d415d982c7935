import pytest
import torch
from torch import nn

from playground.lessons.initialization.which_fan import Layer, Mode, WhichFan, real_fans
from tests.answers import assert_answer


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
    signal = pytest.approx(20 / 256, rel=0.1)

    answer = assert_answer(WhichFan(), prediction="256", real=20, is_silent=True, signal=signal)
    assert "layer.weight.T" in answer.fix[1]
    assert_answer(WhichFan(is_fixed=True), signal=pytest.approx(1, abs=0.1))


def test_fan_out_of_my_linear_is_a_solution_and_is_explained_as_one():
    """It reads as a fault no more: two swaps cancel."""
    step, expected = WhichFan(mode=Mode.FAN_OUT), {"signal": pytest.approx(1, abs=0.1)}
    assert_answer(step, explanation="two-swaps-cancel", is_silent=False, **expected)


def test_groups_are_not_in_the_fan_out_of_torch():
    assert_answer(WhichFan(layer=Layer.GROUPED, mode=Mode.FAN_OUT), used=16 * 9, real=4 * 9)
