"""Sends a batch through a network and its gradient back; each tensor becomes a small picture."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from playground.modules.build import build, draw_inputs
from playground.modules.digits import digits
from playground.modules.graph import graph_of
from playground.modules.graph_types import Graph
from playground.modules.spec.network import InputKind, Network
from playground.modules.trace import trace_forward
from playground.modules.workbench_types import Flow, Thumbnail

MAX_MAPS = 8
MAX_SIDE = 16
MAX_BARS = 32
IMAGE_DIMS = 4


def run_network(text: str, data: str, seed: int) -> Flow:
    """Build a network, send a batch through it, and the gradient of its output back.

    Args:
        text: The network as JSON.
        data: ``digits``, where the network takes images, or ``noise``.
        seed: Of torch's generator.

    Raises:
        InvalidSpecError: It cannot be built, or is too large.
    """
    network = Network.from_json(text)
    return flow_through(network, build(network, seed), _batch(network, data))


def flow_through(network: Network, net: nn.Module, batch: Iterable[Tensor]) -> Flow:
    """Send a batch through a network that was built, and the gradient of its output back.

    Args:
        network: What was built, for the keys of the pictures.
        net: Its gradients are overwritten, and layers that count batches count this one.
        batch: One tensor for each input.
    """
    inputs = [_requiring(each) for each in batch]
    net.zero_grad()
    trace = trace_forward(net, *inputs)
    outputs: dict[str, Tensor] = {}
    with _recording(net, outputs):
        try:
            last: Any = net(*inputs)
        except Exception:  # noqa: BLE001 - a forward may refuse in any way; the trace reports it
            last = None
    for number, each in enumerate(inputs, start=1):
        outputs[f"input{number}"] = each
    gradients = dict(_gradients(outputs, last))
    named = dict(_by_card(graph_of(network, trace), outputs))
    trained = [each for each in net.parameters() if each.requires_grad]
    return Flow(
        values=tuple((key, thumbnail(each)) for key, each in named.items()),
        gradients=tuple(
            (key, gradients[id(each)]) for key, each in named.items() if id(each) in gradients
        ),
        is_backward_complete=bool(trained) and all(each.grad is not None for each in trained),
    )


def _requiring(tensor: Tensor) -> Tensor:
    return tensor.requires_grad_() if tensor.is_floating_point() else tensor


def _batch(network: Network, data: str) -> tuple[Tensor, ...]:
    """Draw the inputs; images of digits take the place of noise in the size that is asked for."""
    drawn = draw_inputs(network.input)
    first = network.input[0]
    if data != "digits" or first.kind is InputKind.TOKENS or len(first.shape) != IMAGE_DIMS:
        return drawn
    count, channels, height, width = first.shape
    images = digits(count).unsqueeze(1)
    sized = nn.functional.interpolate(images, size=(height, width), mode="bilinear")
    return (sized.expand(count, channels, height, width).contiguous(), *drawn[1:])


class _recording:  # noqa: N801 - used as a function
    """Keeps the last output of each module while it is called."""

    def __init__(self, net: nn.Module, outputs: dict[str, Tensor]) -> None:
        self.net, self.outputs = net, outputs
        self.handles: list[Any] = []

    def __enter__(self) -> None:
        for path, module in self.net.named_modules():
            self.handles.append(module.register_forward_hook(self._keeper(path)))

    def __exit__(self, *_: object) -> None:
        for handle in self.handles:
            handle.remove()

    def _keeper(self, path: str) -> Any:
        def keep(_module: nn.Module, _given: object, output: Any) -> None:
            tensor = next(_tensors(output), None)
            if tensor is not None:
                self.outputs[path] = tensor

        return keep


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _tensors(each)


def _gradients(outputs: dict[str, Tensor], last: Any) -> Iterator[tuple[int, float]]:
    """Yield the norm of the gradient of each output, for half the sum of squares of the last."""
    end = next(_tensors(last), None)
    if end is None or not end.requires_grad:
        return
    kept = [each for each in outputs.values() if each.requires_grad]
    for each in kept:
        each.retain_grad()
    torch.autograd.backward([0.5 * end.square().sum()])
    for each in kept:
        if each.grad is not None:
            norm = float(each.grad.norm())
            yield id(each), norm if math.isfinite(norm) else 0.0


def _by_card(graph: Graph, outputs: dict[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensor that leaves each card, or folded frame, by the card's id."""
    for card in graph.cards:
        found = outputs.get(card.id if card.kind == "input" else card.path)
        if card.kind == "layer" and card.times > 1:
            found = outputs.get(card.id, found)
        if found is not None:
            yield card.id, found
    for frame in graph.frames:
        if frame.path in outputs:
            yield frame.path, outputs[frame.path]


def thumbnail(tensor: Tensor) -> Thumbnail:
    """Make the first sample of a tensor small; the numbers are those of the whole tensor.

    >>> thumbnail(torch.tensor([[0.0, 1.0, 2.0]])).pixels.hex()
    '007fff'
    """
    values = tensor.detach().float()
    finite = values[values.isfinite()]
    numbers = finite if finite.numel() else torch.zeros(1)
    first = values[0] if values.dim() > 1 else values
    kind = "maps" if values.dim() == IMAGE_DIMS else "bars" if first.dim() == 1 else "grid"
    if kind == "maps":
        small = nn.functional.adaptive_avg_pool2d(first[:MAX_MAPS], _sides(first))
    elif kind == "bars":
        small = first[:MAX_BARS].reshape(1, 1, -1)
    else:
        flat = first.reshape(first.shape[0], -1) if first.dim() else first.reshape(1, 1)
        small = flat[: MAX_SIDE * 2, : MAX_SIDE * 2].unsqueeze(0)
    least, most = float(small.min()), float(small.max())
    if not math.isfinite(least) or not math.isfinite(most):
        small, least, most = torch.zeros_like(small), 0.0, 0.0
    shades = ((small - least) / max(most - least, 1e-12) * 255).to(torch.uint8)
    return Thumbnail(
        kind=kind,
        width=small.shape[2],
        height=small.shape[1],
        pixels=bytes(shades.flatten().tolist()),
        least=least,
        most=most,
        mean=float(numbers.mean()),
        std=float(numbers.std(unbiased=False)),
        zeros=float((values == 0).float().mean()),
    )


def _sides(maps: Tensor) -> tuple[int, int]:
    return min(MAX_SIDE, maps.shape[-2]), min(MAX_SIDE, maps.shape[-1])
