"""The fans that torch takes, beside those that the layer has."""

from typing import Any

import torch
from torch import nn

from playground.compute.outcome import Outcome
from playground.lessons.initialization.records import CountFans, CountFansReport, Layout
from playground.modules.build import build
from playground.modules.distributions import Normal
from playground.modules.initialiser_types import Fans
from playground.modules.initialisers import expected, fans, sample


def count_fans(settings: CountFans) -> CountFansReport:
    """Fill the weight, run the layer, and count.

    >>> report = count_fans(CountFans(layout=Layout.MY_LINEAR))
    >>> report.fan_in, report.real_fans.fan_in
    (256, 20)
    """
    layout = settings.layout
    layer: Any = build(layout.layer, settings.seed)
    real = real_fans(layer, layout)
    torch.manual_seed(settings.seed)
    weight = layer.weight.T if layout is Layout.TRANSPOSED else layer.weight
    nn.init.kaiming_normal_(weight, mode=settings.mode.value, nonlinearity="relu")
    nn.init.zeros_(layer.bias)
    given = {"mode": settings.mode.value, "nonlinearity": "relu"}
    should = expected("kaiming_normal_", given, tuple(weight.shape))
    x = torch.randn(layout.input_shape)
    with torch.no_grad():
        signal = torch.relu(layer(x)).square().mean().item()
    fan = real.fan_in if settings.mode == "fan_in" else real.fan_out
    return CountFansReport(
        outcome=Outcome(ok=True),
        layout=layout,
        mode=settings.mode,
        shape=tuple(weight.shape),
        fans=fans(tuple(weight.shape)),
        gain=should.gain,
        distribution=should.distribution,
        sample=sample(weight),
        real_fans=real,
        right=Normal(0.0, (should.gain or 1.0) / fan**0.5),
        signal=signal,
    )


def real_fans(layer: Any, layout: Layout) -> Fans:
    """Count products in an output, and outputs that an input reaches, with ones everywhere."""
    with torch.no_grad():
        layer.weight.fill_(1.0)
        layer.bias.zero_()
    x = torch.ones(1, *layout.input_shape[1:], requires_grad=True)
    y = layer(x)
    y.sum().backward()
    layer.zero_grad()
    assert x.grad is not None
    return Fans(int(y.max()), int(x.grad.max()))
