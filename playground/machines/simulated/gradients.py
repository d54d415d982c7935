"""Where a gradient lives: with its owner, also where the computation crossed devices.

In a backward pass every operation gives its result a place, as in a forward pass. Two edges lead
to another device: a move, and a 0-dim CPU tensor that met tensors on a GPU. There the CPU engine
hands the same gradient on, where CUDA copies it; a hook on the edge makes that copy.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated.host import SimulatedHost
from playground.machines.simulated.tag import CPU, index_of


def copied_to(host: SimulatedHost, gradient: Tensor, index: int) -> Tensor:
    """Copy a gradient to a device; differentiable, for graphs of higher order."""
    outer, host.target = host.target, index
    try:
        return gradient.clone()
    finally:
        host.target = outer


def return_to(host: SimulatedHost, node: Any, index: int) -> None:
    """Let what flows back through a node (a move) arrive on the device it came from."""

    def bring_back(inputs: tuple[Tensor | None, ...], _: object) -> tuple[Tensor | None, ...]:
        return tuple(None if grad is None else copied_to(host, grad, index) for grad in inputs)

    node.register_hook(bring_back)


def return_scalars(host: SimulatedHost, result: Any, args: Iterable[Any]) -> None:
    """Let the gradients of 0-dim CPU arguments arrive on the CPU."""
    node = result.grad_fn if isinstance(result, Tensor) else None
    if node is None:
        return
    scalars = [
        value
        for value in args
        if isinstance(value, Tensor) and value.requires_grad and value.dim() == 0
    ]
    with torch._C.DisableTorchFunction():
        scalars = [value for value in scalars if index_of(value) == CPU]
    edges = {
        position
        for position, (before, _) in enumerate(node.next_functions)
        for value in scalars
        if before is not None
        and (getattr(before, "variable", None) is value or before is value.grad_fn)
    }
    if not edges:
        return

    def bring_back(inputs: tuple[Tensor | None, ...], _: object) -> tuple[Tensor | None, ...]:
        return tuple(
            copied_to(host, grad, CPU) if grad is not None and position in edges else grad
            for position, grad in enumerate(inputs)
        )

    node.register_hook(bring_back)
