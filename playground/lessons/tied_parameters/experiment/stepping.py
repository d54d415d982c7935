"""One step of SGD on a tied weight, handed over in every way."""

import warnings
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import backward

from playground.compute.outcome import attempt
from playground.lessons.tied_parameters.records import (
    LR,
    Handed,
    Stepped,
    StepTied,
    StepTiedReport,
)


def step_tied(settings: StepTied) -> StepTiedReport:
    """Step once for every way, each time from the same seed."""
    every = tuple(_step(handed, settings.seed) for handed in Handed)
    chosen = next(each for each in every if each.handed is settings.handed)
    return StepTiedReport(
        outcome=chosen.outcome, handed=settings.handed, seed=settings.seed, every=every
    )


def _step(handed: Handed, seed: int) -> Stepped:
    torch.manual_seed(seed)
    shared = nn.Linear(4, 4)
    net = nn.Sequential(shared, nn.Tanh(), shared)
    backward(net(torch.randn(8, 4)).sum())
    weights, grads = shared.weight.detach().flatten(), _gradient(shared.weight).flatten()
    place = int(grads.abs().argmax())  # where rounding matters least
    before = weights[place].item()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        optimizer, outcome = attempt(lambda: torch.optim.SGD(_given(handed, net), lr=LR))
    entries, moved = None, None
    if optimizer is not None:
        entries = sum(len(group["params"]) for group in optimizer.param_groups)
        optimizer.step()
        moved = weights[place].item() - before
    return Stepped(
        handed=handed,
        outcome=outcome,
        entries=entries,
        warning="\n".join(f"{each.category.__name__}: {each.message}" for each in heard),
        moved=moved,
        once=-LR * grads[place].item(),
    )


def _gradient(parameter: Tensor) -> Tensor:
    if parameter.grad is None:
        raise ValueError("the backward pass did not come to this parameter")
    return parameter.grad


def _given(handed: Handed, net: nn.Sequential) -> Iterable[Any]:
    match handed:
        case Handed.PARAMETERS:
            return net.parameters()
        case Handed.EVERY_NAME:
            return [each for _, each in net.named_parameters(remove_duplicate=False)]
        case Handed.TWO_GROUPS:
            return [{"params": net[0].parameters()}, {"params": net[2].parameters()}]
