"""The program about units that start equal."""

from playground.lessons.initialization.records import Start, SymmetricUnits
from playground.lessons.initialization.records.symmetry import (
    CHANGE,
    DECIMALS,
    DROPPED,
    EXAMPLES,
    INPUTS,
    RATE,
)


def symmetric_units(settings: SymmetricUnits) -> str:
    """Train, and count the units that are different."""
    dropout = f"nn.Dropout({DROPPED}), " if settings.dropout else ""
    return f"""import torch
from torch import nn

torch.manual_seed({settings.seed})
X = torch.randn({EXAMPLES}, {INPUTS})
y = X[:, :1].abs()
first, last = nn.Linear({INPUTS}, {settings.units}), nn.Linear({settings.units}, 1)
net = nn.Sequential(first, nn.ReLU(), {dropout}last)
{_filling(settings)}optimizer = torch.optim.SGD(net.parameters(), lr={RATE})


def count_distinct():
    units = torch.cat([first.weight, first.bias[:, None], last.weight.T], dim=1)
    return len(torch.unique(units.detach().round(decimals={DECIMALS}), dim=0))


result = [count_distinct()]
for step in range({settings.steps}):
    optimizer.zero_grad()
    nn.functional.mse_loss(net(X), y).backward()
    optimizer.step()
    result.append(count_distinct())
"""


def _filling(settings: SymmetricUnits) -> str:
    if settings.constant is None:
        return ""
    change = ""
    if settings.start is Start.ONE_CHANGED:
        change = f"with torch.no_grad():\n    first.weight[0, 0] += {CHANGE}\n"
    return f"""for layer in (first, last):
    nn.init.constant_(layer.weight, {settings.constant})
    nn.init.zeros_(layer.bias)
{change}"""
