import math

import pytest
import torch
from torch import nn

from playground.lessons.initialization.signal_through_depth import (
    Activation,
    Initializer,
    SignalThroughDepth,
)
from tests.answers import answer_once, assert_answer

FUNCTIONS = {
    Activation.IDENTITY: lambda z: z + 0,
    Activation.RELU: torch.relu,
    Activation.LEAKY_RELU: nn.functional.leaky_relu,
    Activation.TANH: torch.tanh,
    Activation.SIGMOID: torch.sigmoid,
    Activation.GELU: nn.functional.gelu,
}
WIDTH = 48


def by_hand(std: float, depth: int, activation: Activation) -> tuple[list[float], list[float]]:
    """The same signal with matrices alone: no layers, no autograd graph over the whole."""
    torch.manual_seed(0)
    h = torch.randn(64, WIDTH)
    weights = [nn.Linear(WIDTH, WIDTH).weight.detach() for _ in range(depth)]
    for weight in weights:
        nn.init.normal_(weight, std=std)
    forward, slopes = [], []
    for weight in weights:
        z = (h @ weight.T).requires_grad_()
        h = FUNCTIONS[activation](z)
        (slope,) = torch.autograd.grad(h.sum(), z)
        h = h.detach()
        forward.append(h.std().item())
        slopes.append(slope)
    gradient = torch.randn(64, WIDTH)
    back = [gradient.std().item()]
    for weight, slope in zip(weights[:0:-1], slopes[:0:-1], strict=True):
        gradient = (gradient * slope) @ weight
        back.append(gradient.std().item())
    return forward, back[::-1]


@pytest.mark.parametrize("activation", Activation)
def test_the_signal_agrees_with_a_loop_of_its_own(activation):
    step = SignalThroughDepth(depth=7, width=WIDTH, std=0.1, activation=activation)

    forward, backward = answer_once(step).data

    expected_forward, expected_backward = by_hand(0.1, 7, activation)
    assert forward.stds == pytest.approx(expected_forward, rel=1e-3)
    assert backward.stds == pytest.approx(expected_backward, rel=1e-3)


@pytest.mark.parametrize(
    ("step", "factor"),
    [
        (SignalThroughDepth(std=0.01), math.sqrt(256 * 1e-4 / 2)),
        (SignalThroughDepth(initializer=Initializer.KAIMING), 1.0),
        (SignalThroughDepth(initializer=Initializer.XAVIER), math.sqrt(0.5)),
        (SignalThroughDepth(initializer=Initializer.DEFAULT), math.sqrt(1 / 6)),
        (
            SignalThroughDepth(
                initializer=Initializer.ORTHOGONAL, gain=1.5, activation=Activation.IDENTITY
            ),
            1.5,
        ),
    ],
)
def test_the_factor_of_a_layer_is_the_closed_form_and_the_signal_follows_it(step, factor):
    answer = assert_answer(step, factor=pytest.approx(factor))

    measured = answer.data[1].stds[0] ** (1 / (step.depth - 1))
    assert measured == pytest.approx(factor, rel=0.05)


@pytest.mark.parametrize(
    ("initializer", "prediction"),
    [
        (Initializer.NORMAL, "vanishes"),
        (Initializer.XAVIER, "vanishes"),
        (Initializer.KAIMING, "keeps"),
        (Initializer.CONSTANT, "grows"),
    ],
)
def test_depth_tells_initializers_apart(initializer, prediction):
    assert answer_once(SignalThroughDepth(initializer=initializer)).prediction == prediction


def test_beyond_float32_there_is_no_number():
    answer = assert_answer(SignalThroughDepth(depth=50, std=1.0), explanation="overflow")
    assert math.isinf(answer.data[0].stds[-1])


def test_a_leaky_relu_passes_a_hundredth_of_the_gradient_on_the_left():
    """The sentence that the gradient passes where the signal passed is for ReLU alone."""
    assert_answer(SignalThroughDepth(activation=Activation.LEAKY_RELU), explanation="leaky-relu")
    assert_answer(SignalThroughDepth(), explanation="relu")
