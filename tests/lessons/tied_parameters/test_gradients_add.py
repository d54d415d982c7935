import copy

import pytest
import torch
from torch import nn

from playground.lessons.tied_parameters.gradients_add import GradientsAdd
from playground.steps import Labels
from tests.answers import assert_answer


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, 9999])
def test_two_gradients_are_added_bit_for_bit(seed):
    """a + b = b + a holds for floats, so no rounding is to be explained (E1)."""
    torch.manual_seed(seed)
    first, shared, last = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)
    a, b = copy.deepcopy(shared), copy.deepcopy(shared)
    X = torch.randn(8, 3)
    for one, other in ((shared, shared), (a, b)):
        last(torch.tanh(other(torch.tanh(one(torch.tanh(first(X))))))).sum().backward()
    assert torch.equal(shared.weight.grad, b.weight.grad + a.weight.grad)
    expected = {"prediction": "sum", "explanation": "equal-bit-for-bit", "difference": "0"}
    answer = assert_answer(GradientsAdd(seed=seed), **expected)
    corner = shared.weight.grad[0, 0].item()
    assert answer.placeholders["addition"].endswith(f"= {corner:.4f}")


@pytest.mark.parametrize("uses", [3, 4, 5])
def test_with_more_uses_the_order_of_the_addition_shows(uses):
    expected = {"explanation": "in-another-order", "difference_backward": "0"}

    answer = assert_answer(GradientsAdd(uses=uses), prediction="sum", **expected)
    assert 0 < float(answer.facts["difference"]) < 1e-5


def test_no_gradient_is_shown_before_the_answer():
    assert GradientsAdd().picture(None, Labels({})).svg.count(">?<") == 3 * 4
