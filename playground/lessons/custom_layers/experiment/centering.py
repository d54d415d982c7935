"""A layer that subtracts the mean, alone and at the end of a network."""

import math

import torch
from torch import Tensor, nn

from playground.compute.outcome import Outcome, attempt
from playground.lessons.custom_layers.records import (
    CenterValues,
    CenterValuesReport,
    MeasureMean,
    MeasureMeanReport,
    Precision,
    Values,
)
from playground.modules.custom.centered_layer import CenteredLayer

SEEDS = 40  # how many networks are looked at beside the chosen one, that one included
FEATURES = 8
TYPES = {
    Precision.FLOAT64: torch.float64,
    Precision.FLOAT32: torch.float32,
    Precision.FLOAT16: torch.float16,
}


def make_values(values: Values) -> Tensor:
    """The values that go in."""
    match values:
        case Values.RANGE:
            return torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
        case Values.ROWS:
            return torch.tensor([[1.0, 2.0, 3.0], [11.0, 12.0, 13.0]])
        case Values.INTEGERS:
            return torch.tensor([1, 2, 3, 4, 5])


def center_values(settings: CenterValues) -> CenterValuesReport:
    """Send values through the layer, and count what it has to learn: nothing."""
    layer = CenteredLayer()
    x = make_values(settings.values)
    y, outcome = attempt(lambda: layer(x))
    return CenterValuesReport(
        outcome=outcome,
        values=settings.values,
        before=rows_of(x),
        after=() if y is None else rows_of(y),
        parameters=len(list(layer.parameters())),
        keys=len(layer.state_dict()),
    )


def rows_of(values: Tensor) -> tuple[tuple[float, ...], ...]:
    """The rows of a matrix, or the only row of a vector."""
    return tuple(
        tuple(float(each) for each in row)
        for row in (values if values.dim() > 1 else values[None]).tolist()
    )


def measure_mean(settings: MeasureMean) -> MeasureMeanReport:
    """Run one network, and others that differ in their seed, and look at the mean of each."""
    x, y = _run(settings, settings.seed)
    subtracted = x.mean()
    others = [_run(settings, settings.seed + ahead)[1].mean().item() for ahead in range(1, SEEDS)]
    mean = y.mean().item()
    return MeasureMeanReport(
        outcome=Outcome(ok=True),
        precision=settings.precision,
        batch=settings.batch,
        units=settings.units,
        seed=settings.seed,
        mean=mean,
        exact_mean=_exact_mean(y),
        subtracted=subtracted.item(),
        mean_error=subtracted.item() - _exact_mean(x),
        unit=torch.finfo(y.dtype).eps,
        size=y.abs().double().mean().item(),
        others=(mean, *others),
    )


@torch.no_grad()
def _run(settings: MeasureMean, seed: int) -> tuple[Tensor, Tensor]:
    """What goes into the last layer, and what comes out."""
    kind = TYPES[settings.precision]
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(FEATURES, settings.units), CenteredLayer()).to(kind)
    x = net[0](torch.rand(settings.batch, FEATURES, dtype=kind))
    return x, net[1](x)


def _exact_mean(values: Tensor) -> float:
    """The mean without the rounding of sums: exact, then rounded once."""
    return math.fsum(values.flatten().tolist()) / values.numel()
