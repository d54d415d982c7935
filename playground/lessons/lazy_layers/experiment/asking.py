"""Asks a single lazy layer, before and after its first batch."""

from collections.abc import Callable, Mapping

import torch
from torch import nn

from playground.lessons.lazy_layers.experiment.answering import asked, brief
from playground.lessons.lazy_layers.records import (
    AskTooEarly,
    AskTooEarlyReport,
    Question,
    Written,
)

MAKING: Mapping[Written, Callable[[], nn.Module]] = {
    Written.OUT: lambda: nn.LazyLinear(256),
    Written.TWO_NUMBERS: lambda: nn.LazyLinear(20, 256),  # type: ignore[arg-type]
    Written.NO_BIAS: lambda: nn.LazyLinear(256, bias=False),
    Written.CONV: lambda: nn.LazyConv2d(16, 3),
}
ASKING: Mapping[Question, Callable[[nn.Module], object]] = {
    Question.SHAPE: lambda layer: weight_of(layer).shape,
    Question.SIZE: lambda layer: weight_of(layer).size(),
    Question.NUMEL: lambda layer: weight_of(layer).numel(),
    Question.LEN: lambda layer: len(weight_of(layer)),
    Question.WEIGHT: lambda layer: weight_of(layer),
    Question.DATA: lambda layer: weight_of(layer).data,
    Question.NDIM: lambda layer: weight_of(layer).ndim,
    Question.DTYPE: lambda layer: weight_of(layer).dtype,
    Question.DEVICE: lambda layer: weight_of(layer).device,
    Question.GRAD: lambda layer: weight_of(layer).grad,
    Question.NORM: lambda layer: weight_of(layer).norm(),
    Question.LAYER: lambda layer: layer,
    Question.BIAS: lambda layer: layer.bias,
    Question.IS_PARAMETER: lambda layer: isinstance(weight_of(layer), nn.Parameter),
}


def ask_too_early(settings: AskTooEarly) -> AskTooEarlyReport:
    """Make the layer, ask it everything, feed it, and ask again."""
    torch.manual_seed(0)
    layer = MAKING[settings.written]()
    before = tuple(asked(lambda ask=ask: ask(layer)) for ask in ASKING.values())  # type: ignore[misc]
    layer(torch.ones(settings.written.batch))
    after = tuple(asked(lambda ask=ask: ask(layer), brief) for ask in ASKING.values())  # type: ignore[misc]
    weight = weight_of(layer)
    return AskTooEarlyReport(
        outcome=before[list(Question).index(settings.question)].outcome,
        written=settings.written,
        question=settings.question,
        before=before,
        after=after,
        out=weight.shape[0],
        has_bias=layer.bias is not None,
        shape=tuple(weight.shape),
    )


def weight_of(layer: nn.Module) -> torch.Tensor:
    """The layer's weight, with or without a shape."""
    return layer.get_parameter("weight")
