import math

import pytest
import torch

from playground.lessons.initialization.default import Default, Layer, Parameter
from tests.answers import assert_answer


@pytest.mark.parametrize(
    ("settings", "fan_in", "prediction"),
    [
        # the textbook sentence that the lesson refutes: "computed according to input and output"
        ({"outputs": 50}, 100, "same"),
        ({"outputs": 1000}, 100, "same"),
        ({"inputs": 1000}, 1000, "smaller"),
        ({"inputs": 10}, 10, "larger"),
        ({"parameter": Parameter.BIAS, "inputs": 400}, 400, "smaller"),
        ({"layer": Layer.CONV2D, "inputs": 50}, 450, "smaller"),
    ],
)
def test_the_range_is_that_of_the_inputs(settings, fan_in, prediction):
    assert_answer(Default(**settings), bound=pytest.approx(fan_in**-0.5), prediction=prediction)


def test_measured_values_are_those_of_torch():
    torch.manual_seed(0)
    torch.nn.Linear(100, 50)
    weight = torch.nn.Linear(100, 1000).weight

    assert_answer(
        Default(),
        explanation="outputs-do-not-count",
        largest=pytest.approx(weight.abs().max().item()),
        std=pytest.approx(weight.std().item()),
        expected_std=pytest.approx(0.1 / math.sqrt(3)),
    )


def test_an_embedding_is_normal():
    step = Default(layer=Layer.EMBEDDING)
    assert_answer(step, explanation="embedding", std=pytest.approx(1.0, abs=0.02))
