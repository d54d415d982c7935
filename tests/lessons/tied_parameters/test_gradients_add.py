import copy

import pytest
import torch
from torch import nn

from playground.lessons.tied_parameters.gradients_add import GradientsAdd
from playground.steps import Labels
from tests.answers import answer_once


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, 9999])
def test_two_gradients_are_added_bit_for_bit(seed):
    """a + b = b + a holds for floats, so no rounding is to be explained (E1)."""
    answer = answer_once(GradientsAdd(seed=seed))

    torch.manual_seed(seed)
    first, shared, last = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)
    a, b = copy.deepcopy(shared), copy.deepcopy(shared)
    X = torch.randn(8, 3)
    for one, other in ((shared, shared), (a, b)):
        last(torch.tanh(other(torch.tanh(one(torch.tanh(first(X))))))).sum().backward()
    assert torch.equal(shared.weight.grad, b.weight.grad + a.weight.grad)
    assert answer.prediction == "sum"
    assert answer.explanation == "equal-bit-for-bit"
    assert answer.facts["difference"] == "0"
    corner = shared.weight.grad[0, 0].item()
    assert str(answer.placeholders["addition"]).endswith(f"= {corner:.4f}")


@pytest.mark.parametrize("uses", [3, 4, 5])
def test_with_more_uses_the_order_of_the_addition_shows(uses):
    answer = answer_once(GradientsAdd(uses=uses))

    assert answer.prediction == "sum"
    assert answer.explanation == "in-another-order"
    assert 0 < float(str(answer.facts["difference"])) < 1e-5
    assert answer.facts["difference_backward"] == "0"


def test_no_gradient_is_shown_before_the_answer():
    assert GradientsAdd().picture(None, Labels({})).svg.count(">?<") == 3 * 4
