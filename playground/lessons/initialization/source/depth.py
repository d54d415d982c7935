"""The programs about depth: a signal through many layers."""

from playground.lessons.initialization.records import Scheme, SignalThroughDepth
from playground.lessons.initialization.records.arguments import written
from playground.lessons.initialization.records.depth import BATCH


def signal_through_depth(settings: SignalThroughDepth) -> str:
    """Forward, backward, and the std of every layer."""
    width = settings.width
    if settings.initializer is Scheme.DEFAULT:
        fill = ""
    else:
        fill = f"""for layer in layers:
    nn.init.{settings.initializer}({_arguments(settings)})
    nn.init.zeros_(layer.bias)
"""
    return f"""import torch
from torch import nn

torch.manual_seed({settings.seed})
H = torch.randn({BATCH}, {width})
layers = [nn.Linear({width}, {width}) for _ in range({settings.depth})]
function = nn.{settings.activation.type_name}()
{fill}
outputs = []
for layer in layers:
    H = function(layer(H))
    H.retain_grad()
    outputs.append(H)
H.backward(torch.randn_like(H))  # instead of a loss

for number, each in enumerate(outputs, 1):
    print(f"{{number:3}} {{each.std():10.3g}} {{each.grad.std():10.3g}}")

result = [(each.std().item(), each.grad.std().item()) for each in outputs]
"""


def _arguments(settings: SignalThroughDepth) -> str:
    given = written(settings.arguments)
    return f"layer.weight, {given}" if given else "layer.weight"
