import pytest

from playground.lessons.custom_layers.assignment import Assignment, Line
from playground.lessons.custom_layers.component import Component, Use
from playground.lessons.custom_layers.kinds_of_tensors import Holding, KindsOfTensors
from tests.answers import answer_once


@pytest.mark.parametrize("use", Use)
def test_all_but_text_and_layout_comes_from_module(use):
    answer = answer_once(Component(use=use))

    assert answer.prediction == ("no" if use in (Use.PRINT, Use.SHAPES) else "yes")


def test_what_both_print():
    answer = answer_once(Component(inputs=3, units=2))

    assert answer.facts["own"] == "MyLinear()"
    assert answer.facts["theirs"] == "Linear(in_features=3, out_features=2, bias=True)"
    assert answer.facts["size_bytes"] == 4 * (3 * 2 + 2 + 2 * 1 + 1)


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
@pytest.mark.parametrize(
    ("holding", "knows", "has_gradient", "is_trained"),
    [
        (Holding.ATTRIBUTE, "nobody", False, False),
        (Holding.TRACKED, "nobody", True, False),
        (Holding.PARAMETER, "all", True, True),
        (Holding.BUFFER, "saved_and_moved", False, False),
        (Holding.UNSAVED, "moved", False, False),
    ],
)
def test_who_knows_a_tensor(holding, knows, has_gradient, is_trained, device):
    answer = answer_once(KindsOfTensors(holding=holding, device=device))

    assert answer.prediction == knows
    assert answer.facts["place"] == ("cpu" if knows == "nobody" else device)
    assert answer.facts["has_gradient"] is has_gradient
    assert answer.facts["is_trained"] is is_trained
    assert answer.outcome.ok is (knows != "nobody" or device == "cpu")
    assert answer.is_silent_failure is (knows == "nobody" and device == "cpu")


@pytest.mark.parametrize(
    ("line", "prediction", "type_name"),
    [
        (Line.PARAMETER, "not_trained", "Parameter"),
        (Line.TENSOR, "TypeError", "Parameter"),
        (Line.SCALED, "TypeError", "Parameter"),
        (Line.COPY, "trained", "Parameter"),
        (Line.DATA, "trained", "Parameter"),
        (Line.BUFFER, "KeyError", "Parameter"),
        (Line.NONE, "TypeError", "NoneType"),
        (Line.DELETED, "not_trained", "Tensor"),
    ],
)
def test_what_becomes_of_a_weight_that_is_assigned_to(line, prediction, type_name):
    answer = answer_once(Assignment(line=line))

    assert answer.prediction == prediction
    assert answer.facts["type_name"] == type_name
    assert answer.is_silent_failure is (prediction == "not_trained")
    assert answer.facts["in_parameters"] is (type_name == "Parameter")
