import math

import pytest
import torch

from playground.lessons.initialization.default import Default, Layer, Parameter
from tests.answers import answer_once


def bound_and_answer(**settings: object) -> tuple[float, str]:
    answer = answer_once(Default(**settings))  # type: ignore[arg-type]
    bound = answer.facts["bound"]
    assert isinstance(bound, float)
    return bound, answer.prediction


def test_the_number_of_outputs_has_no_part_in_the_range():
    """The textbook sentence that the lesson refutes: "computed according to input and output"."""
    found = [bound_and_answer(outputs=outputs) for outputs in (50, 500, 1000)]

    assert found == [(pytest.approx(1 / math.sqrt(100)), "same")] * 3
    assert answer_once(Default()).explanation == "outputs-do-not-count"


@pytest.mark.parametrize(
    ("settings", "fan_in", "prediction"),
    [
        ({"inputs": 1000}, 1000, "smaller"),
        ({"inputs": 10}, 10, "larger"),
        ({"parameter": Parameter.BIAS, "inputs": 400}, 400, "smaller"),
        ({"layer": Layer.CONV2D, "inputs": 50}, 450, "smaller"),
    ],
)
def test_the_range_is_that_of_the_inputs(settings, fan_in, prediction):
    assert bound_and_answer(**settings) == (pytest.approx(fan_in**-0.5), prediction)


def test_measured_values_are_those_of_torch():
    torch.manual_seed(0)
    torch.nn.Linear(100, 50)
    weight = torch.nn.Linear(100, 1000).weight

    facts = answer_once(Default()).facts

    assert facts["largest"] == pytest.approx(weight.abs().max().item())
    assert facts["std"] == pytest.approx(weight.std().item())
    assert facts["expected_std"] == pytest.approx(0.1 / math.sqrt(3))


def test_an_embedding_is_normal():
    answer = answer_once(Default(layer=Layer.EMBEDDING))

    assert answer.explanation == "embedding"
    assert answer.facts["std"] == pytest.approx(1.0, abs=0.02)
