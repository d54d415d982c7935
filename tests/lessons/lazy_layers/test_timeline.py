import pytest
import torch
from torch import nn

from playground.lessons.lazy_layers.timeline import Dtype, First, Last, Timeline
from playground.machines import Machine, MachineKind
from tests.answers import assert_answer


@pytest.mark.parametrize("width", [1, 20, 100])
def test_the_batch_decides_the_inputs(width):
    layer = nn.LazyLinear(256)
    layer(torch.ones(2, width))
    shape = str(tuple(layer.weight.shape))

    answer = assert_answer(Timeline(width=width), prediction=shape, device_now="cuda:0")
    assert [each.shape for each in answer.data[-1].boxes] == [f"256 × {width}", "10 × 256"]


def test_a_second_number_is_no_input_size():
    step = Timeline(first=First.TWO_NUMBERS)

    assert_answer(step, prediction="(20, 20)", is_silent=True)
    assert_answer(step.replaced(last=Last.EAGER), error="RuntimeError", is_silent=False)


def test_a_forward_pass_that_fails_leaves_a_shape():
    step = Timeline(dtype=Dtype.INT64, device="cpu")
    assert_answer(step, ok=False, prediction="(256, 20)", last_now="LazyLinear")


def test_without_the_device_there_is_no_batch_and_no_shape():
    step = Timeline(machine=Machine(kind=MachineKind.REAL), device="cuda:7")
    assert_answer(step, prediction="none")
