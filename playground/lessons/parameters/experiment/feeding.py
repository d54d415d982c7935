"""How far apart different inputs still are behind every layer."""

from typing import Any

from torch import Tensor, nn

from playground.compute.outcome import attempt
from playground.lessons.parameters.records import FeedNetwork, FeedNetworkReport, Stop
from playground.modules.build import build, draw_inputs

MOST_STOPS = 60


def feed_network(settings: FeedNetwork) -> FeedNetworkReport:
    """Send different inputs through the network, and measure behind every layer.

    Shape:
        X: (examples, …), as the network's input says.
    """
    network = settings.spec
    net = build(network, settings.seed)
    inputs = [
        each * settings.scale if each.is_floating_point() else each
        for each in draw_inputs(network.input)
    ]
    stops: list[Stop] = []

    def note(path: str, module: nn.Module, values: object) -> None:
        is_batch = isinstance(values, Tensor) and values.dim() and len(values) > 1
        if isinstance(values, Tensor) and is_batch and len(stops) < MOST_STOPS:
            stops.append(_stop(path, type(module).__name__, values))

    note("", net, inputs[0])
    for path, module in net.named_modules():
        if not list(module.children()):
            module.register_forward_hook(lambda m, _, out, path=path: note(path, m, out))
    output, outcome = attempt(lambda: net(*inputs))
    before = len(stops)
    note("Y", net, output)
    if len(stops) > before > 1 and _agree(stops[-1], stops[-2]):
        stops.pop()  # the last layer says the same
    return FeedNetworkReport(
        outcome=outcome,
        stops=tuple(stops),
        outputs=_outputs(output),
        examples=settings.examples,
    )


def _agree(left: Stop, right: Stop) -> bool:
    return (left.spread, left.size) == (right.spread, right.size)


def _stop(path: str, type_name: str, values: Tensor) -> Stop:
    rows = values.detach().double().reshape(len(values), -1)
    return Stop(
        path=path,
        type_name=type_name,
        spread=rows.std(dim=0).mean().item(),
        size=rows.abs().mean().item(),
    )


def _outputs(output: Any) -> tuple[float, ...]:
    if not isinstance(output, Tensor) or not output.numel() or not output.dim():
        return ()
    return tuple(output.detach().double().reshape(len(output), -1)[:, 0].tolist())
