"""One layer in two places, and a number written through one of them."""

import copy

import torch
from torch import Tensor, nn

from playground.compute.outcome import Outcome
from playground.lessons.tied_parameters.records import (
    Matrix,
    ShareLayer,
    ShareLayerReport,
    Sharing,
)


@torch.no_grad()
def share_layer(settings: ShareLayer) -> ShareLayerReport:
    """Put a layer, or one like it, in the second place; write, and compare both."""
    torch.manual_seed(settings.seed)
    shared = nn.Linear(8, 8)
    second = _second(shared, settings.sharing)
    net = nn.Sequential(
        nn.Linear(4, 8), nn.ReLU(), shared, nn.ReLU(), second, nn.ReLU(), nn.Linear(8, 1)
    )
    equal_before = torch.equal(shared.weight, second.weight)
    old_value = shared.weight[0, 0].item()
    net.get_parameter(f"{settings.position.number}.weight")[0, 0] = settings.value
    return ShareLayerReport(
        outcome=Outcome(ok=True),
        sharing=settings.sharing,
        position=settings.position,
        value=settings.value,
        is_same_layer=net[2] is net[4],
        equal_before=equal_before,
        equal_after=torch.equal(shared.weight, second.weight),
        old_value=old_value,
        first=matrix(shared.weight),
        second=matrix(second.weight),
        length=len(net),
        modules=len(list(net.children())),
        parameters=sum(each.numel() for each in net.parameters()),
    )


def _second(shared: nn.Linear, sharing: Sharing) -> nn.Linear:
    match sharing:
        case Sharing.LAYER:
            return shared
        case Sharing.DEEPCOPY:
            return copy.deepcopy(shared)
        case Sharing.COPIED:
            other = nn.Linear(8, 8)
            other.load_state_dict(shared.state_dict())
            return other


def matrix(values: Tensor) -> Matrix:
    """A matrix as plain numbers."""
    return tuple(tuple(row) for row in values.tolist())
