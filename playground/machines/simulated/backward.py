"""Entrances of the autograd engine: gradients are checked for their device, as the engine does.

The engine compares with the device that it noted in the forward pass, which is here the CPU's.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated import texts
from playground.machines.simulated.gradients import copied_to
from playground.machines.simulated.host import SimulatedHost
from playground.machines.simulated.moving import plain_index
from playground.machines.simulated.tag import CPU, device_named

Gradients = tuple[Tensor | None, ...]


def make_grads(
    host: SimulatedHost,
    original: Callable[..., Gradients],
    outputs: Sequence[Any],
    grads: Sequence[Tensor | None],
    is_grads_batched: bool,
) -> Gradients:
    """Stand in for ``torch.autograd._make_grads``: gradients that the caller gives."""
    made = original(outputs, grads, is_grads_batched)
    places = [plain_index(one) if isinstance(one, Tensor) else None for one in outputs]
    return validated(host, made, places, "")


def run(host: SimulatedHost, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Stand in for ``torch.autograd._engine_run_backward``: name a GPU's tensor by its type."""
    try:
        return original(*args, **kwargs)
    except RuntimeError as error:
        text = str(error)
        if IN_PLACE not in text or host.last_index == CPU:
            raise
        raise RuntimeError(text.replace(IN_PLACE, IN_PLACE + "cuda.")) from None


def apply_function(
    host: SimulatedHost, original: Callable[..., Any], cls: Any, *args: Any, **kwargs: Any
) -> Any:
    """Stand in for ``torch.autograd.Function.apply``: remember where the arguments were."""
    result = original(cls, *args, **kwargs)
    node: Any = next((part.grad_fn for part in _parts(result) if part.grad_fn is not None), None)
    if not issubclass(type(node), torch.autograd.function.BackwardCFunction):
        return result
    places = [plain_index(value) for value in args if isinstance(value, Tensor)]

    def check(gradients: Gradients, _: object) -> Gradients:
        return validated(host, gradients, places, f"Function {node_name} returned an ")

    node_name = node.name()
    node.register_hook(check)
    return result


def validated(
    host: SimulatedHost, gradients: Gradients, places: Sequence[int | None], who: str
) -> Gradients:
    """Apply the rule of torch/csrc/autograd/engine.cpp, validate_outputs.

    Raises:
        RuntimeError: A gradient is on another device; one without dimensions is moved instead.
    """
    checked = list(gradients)
    for position, (gradient, place) in enumerate(zip(gradients, places, strict=False)):
        if gradient is None or place is None or plain_index(gradient) == place:
            continue
        if gradient.dim() > 0:
            here, there = device_named(plain_index(gradient)), device_named(place)
            raise texts.invalid_gradient(who, position, here, there)
        checked[position] = copied_to(host, gradient, place)
    return tuple(checked)


def _parts(result: object) -> list[Tensor]:
    parts = result if isinstance(result, tuple) else (result,)
    return [part for part in parts if isinstance(part, Tensor)]


IN_PLACE = "modified by an inplace operation: [torch."
