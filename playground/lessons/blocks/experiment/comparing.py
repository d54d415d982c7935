"""The MLP class beside a Sequential of the same layers."""

import torch
from torch import nn

from playground.compute.outcome import attempt
from playground.lessons.blocks.records import (
    CompareWithSequential,
    CompareWithSequentialReport,
    Copying,
)
from playground.modules.custom.mlp import MLP


def compare_with_sequential(settings: CompareWithSequential) -> CompareWithSequentialReport:
    """Feed both with one batch, after the weights were brought over, or not.

    Shape:
        X: (2, 20); each output: (2, 10).
    """
    torch.manual_seed(settings.seed)
    net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
    if settings.copying == Copying.SEED:
        torch.manual_seed(settings.seed)
    mlp = MLP()
    _, outcome = attempt(lambda: _bring_over(net, mlp, settings.copying))
    x = torch.rand(2, 20, generator=torch.Generator().manual_seed(settings.seed))
    with torch.no_grad():
        theirs, mine = net(x), mlp(x)
    pairs = list(zip(net.state_dict().items(), mlp.state_dict().items(), strict=True))
    return CompareWithSequentialReport(
        outcome=outcome,
        copying=settings.copying,
        mine=tuple(mine[0].tolist()) if outcome.ok else (),
        theirs=tuple(theirs[0].tolist()) if outcome.ok else (),
        is_equal=torch.equal(mine, theirs) if outcome.ok else None,
        difference=(mine - theirs).abs().max().item() if outcome.ok else None,
        my_names=tuple(name for _, (name, _) in pairs),
        their_names=tuple(name for (name, _), _ in pairs),
        same_weights=tuple(torch.equal(theirs, mine) for (_, theirs), (_, mine) in pairs),
        parameters=sum(each.numel() for each in mlp.parameters()),
    )


def _bring_over(net: nn.Sequential, mlp: MLP, copying: Copying) -> None:
    if copying == Copying.STATE_DICT:
        mlp.load_state_dict(net.state_dict())
    if copying == Copying.LAYERS:
        mlp.hidden.load_state_dict(net[0].state_dict())
        mlp.out.load_state_dict(net[2].state_dict())
