"""A batch on its way through many layers, and a gradient on the way back."""

import math

import torch
from torch import Tensor, nn

from playground.compute.outcome import Outcome
from playground.lessons.initialization.records import (
    Scheme,
    Signal,
    SignalThroughDepth,
    SignalThroughDepthReport,
    Theory,
)
from playground.lessons.initialization.records.depth import BATCH
from playground.modules.initialisers import expected

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def signal_through_depth(settings: SignalThroughDepth) -> SignalThroughDepthReport:
    """Forward, backward, and a look at every layer.

    >>> signal_through_depth(SignalThroughDepth()).actual
    'fades'
    """
    torch.manual_seed(settings.seed)
    H = torch.randn(BATCH, settings.width)
    layers = [nn.Linear(settings.width, settings.width) for _ in range(settings.depth)]
    function = getattr(nn, settings.activation.type_name)()
    if settings.initializer is not Scheme.DEFAULT:
        fill = getattr(nn.init, settings.initializer)
        for layer in layers:
            fill(layer.weight, **dict(settings.arguments))
            nn.init.zeros_(layer.bias)
    outputs = []
    for layer in layers:
        H = function(layer(H))
        H.retain_grad()
        outputs.append(H)
    H.backward(torch.randn_like(H))  # type: ignore[no-untyped-call]
    return SignalThroughDepthReport(
        outcome=Outcome(ok=True),
        initializer=settings.initializer,
        activation=settings.activation,
        width=settings.width,
        activations=tuple(_signal(each.detach()) for each in outputs),
        gradients=tuple(_signal(_gradient(each)) for each in outputs),
        weight_gradient_stds=tuple(_std(_gradient(layer.weight)) for layer in layers),
        theory=_theory(settings),
    )


def _theory(settings: SignalThroughDepth) -> Theory | None:
    """The recursion, for weights of mean 0 and a function of two straight lines."""
    slope = settings.activation.slope
    if slope is None or settings.initializer is Scheme.CONSTANT:
        return None
    shape = (settings.width, settings.width)
    name, given = str(settings.initializer), dict(settings.arguments)
    bias_std = 0.0
    if settings.initializer is Scheme.DEFAULT:
        name, given = "kaiming_uniform_", {"a": math.sqrt(5)}
        bias_std = 1 / math.sqrt(3 * settings.width)
    distribution = expected(name, given, shape).distribution
    if distribution is None:
        return None
    return Theory(width=settings.width, weight_std=distribution.std, bias_std=bias_std, slope=slope)


def _gradient(tensor: Tensor) -> Tensor:
    return torch.zeros_like(tensor) if tensor.grad is None else tensor.grad


def _signal(values: Tensor) -> Signal:
    sizes = values.abs().flatten()
    sizes = sizes[sizes != 0]
    is_told = sizes.numel() > 0 and bool(sizes.isfinite().all())
    return Signal(
        std=_std(values),
        quantiles=_quantiles(sizes) if is_told else (),
        zero_fraction=1 - sizes.numel() / values.numel(),
    )


def _quantiles(sizes: Tensor) -> tuple[float, ...]:
    ordered = sizes.sort().values
    places = [round(share * (ordered.numel() - 1)) for share in QUANTILES]
    return tuple(float(each) for each in ordered[places])


def _std(values: Tensor) -> float:
    """As torch has it; a sum of squares beyond float32 is no overflow of the values."""
    std = values.std().item()
    if not math.isfinite(std):
        std = values.double().std().item()
    return std if math.isfinite(std) else math.inf
