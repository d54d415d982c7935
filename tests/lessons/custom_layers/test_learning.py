import math

import pytest
import torch

from playground.lessons.custom_layers.centered_layer import CenteredLayer, Mean, Values
from playground.lessons.custom_layers.data_trap import DataTrap, Layers
from playground.lessons.custom_layers.mean_in_a_net import MeanInANet, Precision
from playground.lessons.custom_layers.my_linear import MyLinear, Sum
from playground.lessons.custom_layers.two_layouts import Source, TwoLayouts
from tests.answers import answer_once, assert_answer


@pytest.mark.parametrize(
    ("values", "mean", "row_means"),
    [
        (Values.ROWS, Mean.ALL, "-5, 5"),
        (Values.ROWS, Mean.ROW, "0, 0"),
        (Values.RANGE, Mean.ALL, "0"),
        (Values.INTEGERS, Mean.ALL, None),
    ],
)
def test_one_mean_is_subtracted_from_all_rows_or_one_from_each(values, mean, row_means):
    prediction = row_means.split(",")[0] if row_means else "RuntimeError"
    expected = {"row_means": row_means, "parameters": 0, "has_fix": row_means is None}

    assert_answer(CenteredLayer(values=values, mean=mean), prediction=prediction, **expected)


@pytest.mark.parametrize("precision", [Precision.FLOAT32, Precision.FLOAT64])
def test_the_mean_is_0_up_to_rounding_and_its_own_rounding_is_reported(precision):
    """E17: `Y.mean()` differs from the exact mean of the same `Y`."""
    answer = answer_once(MeanInANet(precision=precision))
    eps = torch.finfo(getattr(torch, precision.value.removeprefix("torch."))).eps

    assert answer.prediction == "False"
    assert 0 < abs(answer.data[0]) < eps
    assert answer.data[0] != answer.data[1]
    assert f"{answer.data[1]:.3g}" == answer.facts["exact_mean"]


def test_the_exact_mean_is_that_of_the_values_and_a_single_value_is_its_own():
    torch.manual_seed(1)
    net = torch.nn.Linear(8, 128)
    H = net(torch.rand(4, 8)).detach()
    Y = (H - H.mean()).double().flatten().tolist()

    assert answer_once(MeanInANet()).data[1] == math.fsum(Y) / len(Y)
    assert_answer(MeanInANet(units=1, batch=1), prediction="True")


@pytest.mark.parametrize(
    ("total", "prediction", "is_silent"),
    [
        (Sum.DATA, "RuntimeError", False),
        (Sum.MIXED, "None", True),
        (Sum.PARAMETERS, "numbers", False),
    ],
)
def test_the_gradient_arrives_where_no_data_is_read(total, prediction, is_silent):
    expected = {"prediction": prediction, "is_silent": is_silent, "names": "weight, bias"}

    answer = assert_answer(MyLinear(sum=total), **expected)
    if prediction == "numbers":  # of a sum of ReLUs: the inputs whose unit is above 0, added up
        torch.manual_seed(0)
        weight, bias = torch.randn(5, 3), torch.randn(3)
        X = torch.rand(2, 5)
        expected = X.T @ ((X @ weight + bias) > 0).float()
        assert torch.allclose(torch.tensor(answer.data), expected)


@pytest.mark.parametrize("layers", Layers)
def test_in_a_network_the_mistake_is_silent_while_another_layer_learns(layers):
    answer = answer_once(DataTrap(layers=layers, steps=20))

    still = {name for name, distance, _ in answer.data if distance == 0}
    own = {name for name, _, is_own in answer.data if is_own}
    if layers is Layers.EVERYWHERE:
        assert "does not require grad" in answer.outcome.message
        assert not answer.is_silent_failure
    else:
        assert still == own
        assert answer.prediction == "own"
        assert answer.is_silent_failure
    assert ".data" not in answer.fix[1]


def test_without_the_mistake_everything_moves():
    assert all(distance for _, distance, _ in answer_once(DataTrap(is_fixed=True)).data)


@pytest.mark.parametrize(("inputs", "units"), [(1, 1), (2, 2), (3, 3), (6, 6), (5, 3), (1, 4)])
@pytest.mark.parametrize("source", Source)
def test_a_square_weight_fits_either_way_and_is_right_only_transposed(inputs, units, source):
    step = TwoLayouts(inputs=inputs, units=units, source=source)

    if source is Source.TRANSPOSED or inputs == units == 1:
        assert_answer(step, prediction="True")
    else:
        is_square, prediction = inputs == units, "False" if inputs == units else "RuntimeError"
        assert_answer(step, prediction=prediction, is_silent=is_square, has_fix=True)
