"""Trains a network whose hidden units may start equal."""

import torch
from torch import Tensor, nn

from playground.compute.outcome import Outcome
from playground.lessons.initialization.records import (
    Start,
    SymmetricUnits,
    SymmetricUnitsReport,
    UnitsAfterStep,
)
from playground.lessons.initialization.records.symmetry import (
    CHANGE,
    DECIMALS,
    DROPPED,
    EXAMPLES,
    INPUTS,
    RATE,
)


def symmetric_units(settings: SymmetricUnits) -> SymmetricUnitsReport:
    """Train, and compare the units after every step.

    >>> symmetric_units(SymmetricUnits()).distinct
    1
    """
    torch.manual_seed(settings.seed)
    X = torch.randn(EXAMPLES, INPUTS)
    y = X[:, :1].abs()
    first, last = nn.Linear(INPUTS, settings.units), nn.Linear(settings.units, 1)
    drop = nn.Dropout(DROPPED if settings.dropout else 0.0)
    net = nn.Sequential(first, nn.ReLU(), drop, last)
    _fill(settings, first, last)
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE)
    begun = _units(first, last)
    moments = [_moment(net, X, y)]
    for _ in range(settings.steps):
        optimizer.zero_grad()
        nn.functional.mse_loss(net(X), y).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        moments.append(_moment(net, X, y))
    return SymmetricUnitsReport(
        outcome=Outcome(ok=True),
        start=settings.start,
        has_dropout=settings.dropout,
        moments=tuple(moments),
        has_moved=not torch.equal(begun, _units(first, last)),
    )


def _fill(settings: SymmetricUnits, first: nn.Linear, last: nn.Linear) -> None:
    if settings.constant is None:
        return
    for layer in (first, last):
        nn.init.constant_(layer.weight, settings.constant)
        nn.init.zeros_(layer.bias)
    if settings.start is Start.ONE_CHANGED:
        with torch.no_grad():
            first.weight[0, 0] += CHANGE


@torch.no_grad()
def _moment(net: nn.Sequential, X: Tensor, y: Tensor) -> UnitsAfterStep:  # noqa: N803
    first, activation, _, last = net
    assert isinstance(first, nn.Linear)
    assert isinstance(last, nn.Linear)
    units = _units(first, last).round(decimals=DECIMALS).tolist()
    seen: dict[tuple[float, ...], int] = {}
    loss = nn.functional.mse_loss(last(activation(first(X))), y)
    return UnitsAfterStep(
        groups=tuple(seen.setdefault(tuple(unit), len(seen)) for unit in units),
        weights=tuple(first.weight[:, 0].tolist()),
        loss=loss.item(),
    )


def _units(first: nn.Linear, last: nn.Linear) -> Tensor:
    """A row for each hidden unit: what leads to it, and what leads away."""
    return torch.cat([first.weight, first.bias[:, None], last.weight.T], dim=1).detach().clone()
