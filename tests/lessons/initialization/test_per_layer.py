import pytest
import torch
from torch import nn

from playground.lessons.initialization.per_layer import PerLayer, Target, Way
from tests.answers import answer_once, assert_answer


def test_the_last_bias_is_what_the_layer_drew():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
    answer = answer_once(PerLayer())
    means = {each.label: each.mean for each in answer.data}

    assert answer.prediction == "default"
    assert means["2.weight"] == pytest.approx(42)
    assert means["2.bias"] == pytest.approx(net[2].bias.mean().item())
    assert means["0.weight"] == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(
    ("pattern", "changed", "prediction"),
    [
        ("2.", "2.weight, 2.bias", "value"),
        ("bias", "0.bias, 2.bias", "value"),
        ("weight", "0.weight, 2.weight", "default"),
        ("wieght", None, "default"),
    ],
)
def test_names_decide(pattern, changed, prediction):
    step = PerLayer(way=Way.NAME, pattern=pattern)
    assert_answer(step, changed=changed, prediction=prediction, is_silent=changed is None)


def test_the_second_rule_may_overwrite_the_first():
    answer = assert_answer(PerLayer(target=Target.WHOLE), is_silent=True)
    assert [each.mean for each in answer.data if "weight" in each.label] == [42, 42]
