"""The loop of FixedHiddenMLP, counted over batches of every scale."""

import torch
from torch import Tensor

from playground.compute.outcome import attempt
from playground.lessons.blocks.records import (
    EXPONENTS,
    Counted,
    CountLoops,
    CountLoopsReport,
    Infinite,
)
from playground.modules.custom.fixed_hidden_mlp import FixedHiddenMLP


def count_loops(settings: CountLoops) -> CountLoopsReport:
    """Count the rounds for the chosen batch, and for the same batch at every scale.

    Shape:
        X: (2, 20); output: ().
    """
    torch.manual_seed(settings.seed)
    net = FixedHiddenMLP()
    x = torch.rand(2, 20)
    starts: list[float] = []
    with torch.no_grad():
        curve = tuple(_count(net, x, exponent) for exponent in EXPONENTS)
        batch = x.clone()
        if settings.infinite == Infinite.NOWHERE:
            batch = x * 10.0**settings.exponent
        if settings.infinite == Infinite.INPUT:
            batch[0, 0] = torch.inf
        if settings.infinite == Infinite.CONSTANT:
            net.rand_weight[0, 0] = torch.inf
        noted = net.linear.register_forward_hook(lambda *call: starts.append(_sum_of(call[2])))
        y, outcome = attempt(lambda: net(batch))
        noted.remove()
    loops, has_ended = net.halvings, net.halvings < net.most_halvings
    return CountLoopsReport(
        outcome=outcome,
        infinite=settings.infinite,
        exponent=settings.exponent,
        loops=loops,
        has_ended=has_ended,
        start=f"{starts[-1]:.4g}",
        result=str(y) if has_ended else None,
        curve=curve,
    )


def _count(net: FixedHiddenMLP, x: Tensor, exponent: int) -> Counted:
    net(x * 10.0**exponent)
    return Counted(
        exponent=exponent, loops=net.halvings, has_ended=net.halvings < net.most_halvings
    )


def _sum_of(hidden: Tensor) -> float:
    return hidden.abs().sum().item()
