"""Three layers in a row, called in two ways."""

from typing import Any

import torch
from torch import nn

from playground.compute.outcome import attempt
from playground.lessons.blocks.records import Call, Called, CallSequential, CallSequentialReport


def call_sequential(settings: CallSequential) -> CallSequentialReport:
    """Send a batch through the network, and let a hook on every module note that it was called.

    Shape:
        X: (batch, width); output: (batch, 10), if the width is 20.
    """
    torch.manual_seed(settings.seed)
    net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
    x = torch.rand(settings.batch, settings.width)
    called: list[Called] = []
    for name, module in net.named_modules():
        module.register_forward_hook(_noting(name, called))
    run: Any = net if settings.call == Call.NET else net.forward
    y, outcome = attempt(lambda: run(x))
    return CallSequentialReport(
        outcome=outcome,
        call=settings.call,
        input_shape=tuple(x.shape),
        output_shape=None if y is None else tuple(y.shape),
        called=tuple(called),
        parameters=sum(each.numel() for each in net.parameters()),
    )


def _noting(name: str, called: list[Called]) -> Any:
    def note(module: nn.Module, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        called.append(
            Called(
                name=name,
                type_name=type(module).__name__,
                input_shape=tuple(inputs[0].shape),
                output_shape=tuple(output.shape),
            )
        )

    return note
