"""Pinned memory: host memory that a GPU can read by itself; here a mark on the storage."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated import texts
from playground.machines.simulated.host import SimulatedHost
from playground.machines.simulated.same_device import type_name
from playground.machines.simulated.tag import CPU, index_of

PINNED = "_simulated_pinned"


def pin_memory(
    host: SimulatedHost, func: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """``Tensor.pin_memory``: a copy that remembers being pinned."""
    del func, kwargs
    return pinned(host, args[0])


def is_pinned(
    host: SimulatedHost, func: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
) -> bool:
    """``Tensor.is_pinned``."""
    del host, func, kwargs
    with torch._C.DisableTorchFunction():
        return bool(getattr(args[0].untyped_storage(), PINNED, False))


def pinned(host: SimulatedHost, tensor: Tensor) -> Tensor:
    """Return the tensor itself if it is pinned, else a pinned copy.

    Raises:
        RuntimeError: It is on a GPU.
    """
    host.initialise()
    with torch._C.DisableTorchFunction():
        if index_of(tensor) != CPU:
            raise texts.pin_on_gpu(type_name(tensor))
        if getattr(tensor.untyped_storage(), PINNED, False):
            return tensor
    copy = tensor.clone()
    with torch._C.DisableTorchFunction():
        setattr(copy.untyped_storage(), PINNED, True)
    return copy
