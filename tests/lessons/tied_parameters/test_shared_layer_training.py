import pytest
import torch
import torch.nn.functional as F
from torch import nn

from playground.lessons.tied_parameters.shared_layer_training import Second, SharedLayerTraining
from tests.answers import assert_answer


def trained(epochs: int) -> list[float]:
    """The tied network written as a function, updated by hand with the summed gradient."""
    torch.manual_seed(0)
    X = torch.randn(64, 4)
    y = torch.sin(X[:, :1] + X[:, 1:2])
    shared, first = nn.Linear(8, 8), nn.Linear(4, 8)
    last = nn.Linear(8, 1)
    parameters = [each for layer in (first, shared, last) for each in layer.parameters()]
    losses = []
    for _ in range(epochs):
        H = torch.tanh(shared(torch.tanh(shared(torch.tanh(first(X))))))
        loss = F.mse_loss(last(H), y)
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for each, gradient in zip(parameters, gradients, strict=True):
                each -= 0.1 * gradient
        losses.append(loss.item())
    return losses


def test_a_shared_layer_is_trained_as_one_weight():
    losses = trained(40)

    answer = assert_answer(SharedLayerTraining(), prediction="True", parameters=40 + 72 + 9)
    assert answer.data.losses == pytest.approx(losses, rel=1e-4)
    assert set(answer.data.gaps) == {0.0}
    assert losses[-1] < losses[0] / 2


def test_a_copy_drifts_apart():
    step = SharedLayerTraining(second=Second.DEEPCOPY)

    answer = assert_answer(step, prediction="False", parameters=40 + 2 * 72 + 9)
    assert 0 < answer.data.gaps[0] < answer.data.gaps[-1]
