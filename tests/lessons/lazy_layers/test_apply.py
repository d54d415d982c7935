import pytest
import torch
from torch import nn

from playground.lessons.lazy_layers.apply import Apply, Check
from tests.answers import answer_once, assert_answer


def test_a_lazy_layer_is_of_another_class_and_derived():
    assert type(nn.LazyLinear(2)) is not nn.Linear
    assert isinstance(nn.LazyLinear(2), nn.Linear)

    silent, refused = (Apply(check=check) for check in Check)
    assert_answer(silent, prediction="untouched", is_silent=True)
    assert_answer(refused, prediction="ValueError", is_silent=False)


def test_the_values_are_those_of_the_default():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
    notes = [each.note for each in answer_once(Apply()).data[0].boxes]

    expected = [1 / (3 * fan_in) ** 0.5 for fan_in in (20, 256)]
    stds = [float(note.removeprefix("std ")) for note in notes]
    assert stds == pytest.approx(expected, rel=0.05)
    assert [net[i].weight.std().item() for i in (0, 2)] == pytest.approx(expected, rel=0.05)
