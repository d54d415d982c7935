import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from playground.modules.custom import MLP, FixedHiddenMLP, MyLinear, MyLinearWithData


def test_the_mlp_computes_what_a_sequential_of_the_same_weights_does():
    net, inputs = MLP(4, 5, 3), torch.randn(2, 4)
    assert torch.equal(net(inputs), nn.Sequential(net.hidden, nn.ReLU(), net.out)(inputs))


def test_the_fixed_constant_and_the_layer_used_twice_make_the_sum():
    net, inputs = FixedHiddenMLP(4), torch.randn(2, 4)
    weight, bias = net.linear.weight, net.linear.bias

    hidden = F.relu(F.linear(inputs, weight, bias) @ net.rand_weight + 1)
    expected = F.linear(hidden, weight, bias)
    halvings = max(0, math.ceil(math.log2(expected.abs().sum().item())))
    torch.testing.assert_close(net(inputs), expected.sum() / 2**halvings)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1e38])
def test_the_loop_ends_on_every_input(value):
    answer = FixedHiddenMLP(4)(torch.full((2, 4), value))
    assert not answer.abs() > 1 or answer.isinf()


def test_the_constant_is_neither_saved_nor_moved():
    net = FixedHiddenMLP(4)
    assert "rand_weight" not in net.state_dict()
    assert net.double().rand_weight.dtype == torch.float32


def test_my_linear_is_torch_s_with_the_weight_turned_round():
    layer, inputs = MyLinear(5, 3), torch.randn(2, 5)
    expected = F.relu(F.linear(inputs, layer.weight.T, layer.bias))

    torch.testing.assert_close(layer(inputs), expected)
    layer(inputs).sum().backward()
    assert layer.weight.grad is not None


def test_data_in_forward_computes_the_same_and_never_learns():
    layer, twin = MyLinearWithData(5, 3), MyLinear(5, 3)
    twin.load_state_dict(layer.state_dict())
    inputs = torch.randn(2, 5)

    assert torch.equal(layer(inputs), twin(inputs))
    assert not layer(inputs).requires_grad
