"""One layer used twice: a training step, and the gradient from each use."""

import copy

import torch
from torch import Tensor, nn
from torch.autograd import backward
from torch.nn import functional

from playground.compute.outcome import attempt
from playground.lessons.blocks.records import Share, TrainShared, TrainSharedReport
from playground.modules.custom.fixed_hidden_mlp import FixedHiddenMLP

SHOWN = 8  # numbers of the bias


def train_shared(settings: TrainShared) -> TrainSharedReport:
    """Take a step with the block, and once more with two copies of its layer in the two places.

    Shape:
        X: (rows, 20); output: ().
    """
    torch.manual_seed(settings.seed)
    net = FixedHiddenMLP()
    x = torch.rand(settings.rows, 20)
    first, second = copy.deepcopy(net.linear), copy.deepcopy(net.linear)
    calls: list[str] = []
    net.linear.register_forward_hook(lambda *_: calls.append("linear"))
    old_weight, old_constant = net.linear.weight.detach().clone(), net.rand_weight.clone()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    backward(net(x))
    backward(_with_two_layers(net, first, second, x))
    _, outcome = attempt(lambda: optimizer.step())
    uses = zip(
        _gradient(first.bias), _gradient(second.bias), _gradient(net.linear.bias), strict=True
    )
    distances = [
        (together.grad - one.grad - other.grad).abs().max().item()
        for together, one, other in zip(
            net.linear.parameters(), first.parameters(), second.parameters(), strict=True
        )
        if together.grad is not None and one.grad is not None and other.grad is not None
    ]
    return TrainSharedReport(
        outcome=outcome,
        learnable=sum(each.numel() for each in net.parameters()),
        calls=len(calls),
        constant_size=net.rand_weight.numel(),
        is_constant_listed=any(each is net.rand_weight for each in net.parameters()),
        has_layer_changed=not torch.equal(old_weight, net.linear.weight),
        has_constant_changed=not torch.equal(old_constant, net.rand_weight),
        shares=tuple(Share(first=one, second=other, together=both) for one, other, both in uses)[
            :SHOWN
        ],
        difference=max(distances),
    )


def _with_two_layers(net: FixedHiddenMLP, first: nn.Linear, second: nn.Linear, x: Tensor) -> Tensor:
    """What the block computes, with a layer of its own in each place."""
    hidden = second(functional.relu(first(x) @ net.rand_weight + 1))
    total: Tensor = (hidden / 2**net.halvings).sum()
    return total


def _gradient(tensor: Tensor) -> list[float]:
    assert tensor.grad is not None
    numbers: list[float] = tensor.grad.tolist()
    return numbers
