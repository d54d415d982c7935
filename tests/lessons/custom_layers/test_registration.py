import pytest

from playground.lessons.custom_layers.assignment import Assignment, Line
from playground.lessons.custom_layers.component import Component, Use
from playground.lessons.custom_layers.kinds_of_tensors import Holding, KindsOfTensors
from tests.answers import assert_answer


@pytest.mark.parametrize("use", Use)
def test_all_but_text_and_layout_comes_from_module(use):
    is_written = use in (Use.PRINT, Use.SHAPES)
    assert_answer(Component(use=use), prediction="no" if is_written else "yes")


def test_what_both_print():
    theirs, size = "Linear(in_features=3, out_features=2, bias=True)", 4 * (3 * 2 + 2 + 2 * 1 + 1)

    assert_answer(Component(inputs=3, units=2), own="MyLinear()", theirs=theirs, size_bytes=size)


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
    assert_answer(
        KindsOfTensors(holding=holding, device=device),
        prediction=knows,
        place="cpu" if knows == "nobody" else device,
        has_gradient=has_gradient,
        is_trained=is_trained,
        ok=knows != "nobody" or device == "cpu",
        is_silent=knows == "nobody" and device == "cpu",
    )


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
    expected = {"is_silent": prediction == "not_trained", "type_name": type_name}
    expected["in_parameters"] = type_name == "Parameter"
    found = assert_answer(Assignment(line=line), prediction=prediction, **expected)
    *_, is_changed_by_the_step = found.data  # as the checklist says
    assert is_changed_by_the_step is (prediction == "trained")
