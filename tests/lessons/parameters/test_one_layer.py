import pytest

from playground.lessons.parameters.one_layer import Moment, OneLayer
from tests.answers import assert_answer


@pytest.mark.parametrize("batch", [1, 2, 8])
@pytest.mark.parametrize(
    ("moment", "per_example"),
    [
        (Moment.FORWARD, None),
        (Moment.BACKWARD, 1),
        (Moment.TWICE, 2),
        (Moment.ZERO_GRAD, None),
        (Moment.SET_TO_ZERO, 0),
    ],
)
def test_the_last_gradient_counts_examples_and_backward_passes(moment, per_example, batch):
    step = OneLayer(moment=moment, batch=batch)
    expected = "None" if per_example is None else f"tensor([{per_example * batch}.])"

    answer = assert_answer(step, prediction=expected)
    assert expected in step.choices(())
    assert answer.printed.endswith(f"{expected}\n")


def test_a_parameter_is_a_parameter_and_its_data_is_a_tensor():
    types = {"parameter_type": "torch.nn.parameter.Parameter", "data_type": "torch.Tensor"}
    assert_answer(OneLayer(), requires_grad=True, **types)
