import pytest
import torch
from torch import nn

from playground.lessons.parameters.same_output import SameOutput
from tests.answers import answer_once, assert_answer


def blocks(count: int) -> nn.Sequential:
    """The network without its names, which change no number."""
    layers = []
    for _ in range(count):
        layers += [nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(4, 1))


@pytest.mark.parametrize("seed", [1, 2, 10])
@pytest.mark.parametrize("count", [1, 4])
def test_the_spread_is_the_standard_deviation_over_the_examples(count, seed):
    answer = answer_once(SameOutput(blocks=count, seed=seed))

    torch.manual_seed(seed)
    net = blocks(count)
    X = torch.randn(10, 4)
    means, outputs = X.double(), net(X).double()
    spread_in = ((means - means.mean(0)) ** 2).sum(0).div(9).sqrt().mean().item()
    spread_out = ((outputs - outputs.mean()) ** 2).sum().div(9).sqrt().item()
    assert answer.data[0].spread == pytest.approx(spread_in)
    assert answer.data[-1].spread == pytest.approx(spread_out, rel=1e-3)
    assert answer.prediction == ("closer" if count == 1 else "nearly_equal")


def test_what_is_left_is_said_of_the_output_and_not_of_the_spread():
    """Biases give every example the same output, and no spread at all (E18)."""
    torch.manual_seed(1)
    net = blocks(4)
    X = torch.randn(10, 4)
    with torch.no_grad():
        mean, from_biases = net(X).mean(), net(torch.zeros(1, 4))
        for layer in net:
            if isinstance(layer, nn.Linear):
                layer.bias.zero_()
        without_biases = net(X).abs().mean()
    means = {"output_mean": f"{mean:.4g}", "from_biases": f"{from_biases.item():.4g}"}
    assert_answer(SameOutput(), explanation="biases-remain", **means)
    assert without_biases < 0.1 * mean.abs()
