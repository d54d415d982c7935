import pytest
import torch
from torch import nn

from playground.lessons.lazy_layers.timeline import Dtype, First, Last, Timeline
from playground.machines import Machine, MachineKind
from tests.answers import answer_once


@pytest.mark.parametrize("width", [1, 20, 100])
def test_the_batch_decides_the_inputs(width):
    layer = nn.LazyLinear(256)
    layer(torch.ones(2, width))

    answer = answer_once(Timeline(width=width))

    assert answer.prediction == str(tuple(layer.weight.shape)) == f"(256, {width})"
    assert answer.facts["device_now"] == "cuda:0"
    assert [each.shape for each in answer.data[-1].boxes] == [f"256 × {width}", "10 × 256"]


def test_a_second_number_is_no_input_size():
    answer = answer_once(Timeline(first=First.TWO_NUMBERS))
    refused = answer_once(Timeline(first=First.TWO_NUMBERS, last=Last.EAGER))

    assert answer.prediction == "(20, 20)"
    assert answer.is_silent_failure
    assert refused.outcome.error_type == "RuntimeError"
    assert not refused.is_silent_failure


def test_a_forward_pass_that_fails_leaves_a_shape():
    answer = answer_once(Timeline(dtype=Dtype.INT64, device="cpu"))

    assert not answer.outcome.ok
    assert answer.prediction == "(256, 20)"
    assert answer.facts["last_now"] == "LazyLinear"


def test_without_the_device_there_is_no_batch_and_no_shape():
    step = Timeline(machine=Machine(kind=MachineKind.REAL), device="cuda:7")

    assert answer_once(step).prediction == "none"
