"""The gradient of a tied weight, beside the gradients of untied copies."""

import copy

import torch
from torch import Tensor, nn
from torch.autograd import backward

from playground.compute.outcome import Outcome
from playground.lessons.tied_parameters.experiment.sharing import matrix
from playground.lessons.tied_parameters.records import TiedGradient, TiedGradientReport


def tied_gradient(settings: TiedGradient) -> TiedGradientReport:
    """Go back through one layer in several places, then through a copy in each place."""
    torch.manual_seed(settings.seed)
    first, shared, last = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)
    x = torch.randn(8, 3)
    copies = [copy.deepcopy(shared) for _ in range(settings.uses)]
    tied_loss = _go_back(x, first, [shared] * settings.uses, last)
    untied_loss = _go_back(x, first, copies, last)
    return TiedGradientReport(
        outcome=Outcome(ok=True),
        seed=settings.seed,
        places=tuple(2 + 2 * use for use in range(settings.uses)),
        tied=_gradient(shared),
        parts=tuple(_gradient(each) for each in copies),
        losses=(tied_loss, untied_loss),
    )


def _go_back(x: Tensor, first: nn.Module, inner: list[nn.Linear], last: nn.Module) -> float:
    layers = [module for each in inner for module in (each, nn.Tanh())]
    net = nn.Sequential(first, nn.Tanh(), *layers, last)
    loss = net(x).sum()
    backward(loss)
    return float(loss.item())


def _gradient(layer: nn.Linear) -> tuple[tuple[float, ...], ...]:
    grad = layer.weight.grad
    if grad is None:
        raise ValueError("the backward pass did not come to this layer")
    return matrix(grad)
