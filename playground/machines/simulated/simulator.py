"""``simulated_gpus``: enter a host with simulated GPUs, and leave everything as it was."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch
from torch._C import DisableTorchFunction
from torch.utils._python_dispatch import _disable_current_modes

from playground.errors import InvalidSettingError
from playground.machines.machine import Machine
from playground.machines.simulated import entrances
from playground.machines.simulated.active import entered
from playground.machines.simulated.host import SimulatedHost
from playground.machines.simulated.operations import Operations
from playground.machines.simulated.stand_ins import standing_in
from playground.machines.simulated.surface import Surface
from playground.machines.simulated.visible import VARIABLE
from playground.units import GIBIBYTE


@contextmanager
def simulated_gpus(count: int = 2, memory_gib: float = 8.0) -> Iterator[None]:
    """Let plain PyTorch code in this thread meet ``count`` CUDA devices, simulated on the CPU.

    Values, autograd and errors are PyTorch's; nothing about speed is. Tensors made inside are plain
    CPU tensors again once the block is left.

    Args:
        count: How many GPUs the host has; none means the installed torch as it is without GPUs.
        memory_gib: The memory of each, GiB.

    Raises:
        InvalidSettingError: ``count`` or ``memory_gib`` is out of bounds.

    >>> with simulated_gpus(2):
    ...     str(torch.ones(2).cuda(1).device)
    'cuda:1'
    """
    _check("count", count, 0, Machine.MOST_GPUS)
    if isinstance(count, float):
        raise InvalidSettingError(
            "bounds", field="count", given=count, least=0, most=Machine.MOST_GPUS
        )
    _check("memory_gib", memory_gib, Machine.LEAST_MEMORY_GIB, Machine.MOST_MEMORY_GIB)
    entrances.install()
    with ExitStack() as stack:
        if count == 0 and not entrances.real_gpus_are_available():
            stack.enter_context(entered(None))  # torch itself knows best what it says without GPUs
        else:
            host = SimulatedHost(count, int(memory_gib * GIBIBYTE))
            stack.enter_context(_variable_restored())
            stack.enter_context(_default_device_restored())
            stack.enter_context(standing_in())
            stack.enter_context(entered(host))
            stack.enter_context(Surface(host))
            stack.enter_context(Operations(host))
        yield


@contextmanager
def outside_simulation() -> Iterator[None]:
    """Inside ``simulated_gpus``, compute as fast as torch alone does, and find no GPU meanwhile.

    Values are the same: a tensor on a simulated device is one of the CPU here.

    >>> with simulated_gpus(2):
    ...     X = torch.ones(2).cuda(1)
    ...     with outside_simulation():
    ...         str(X.device)
    'cpu'
    """
    with entered(None), DisableTorchFunction(), _disable_current_modes():
        yield


def _check(field: str, given: float, least: float, most: float) -> None:
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        raise InvalidSettingError("bounds", field=field, given=given, least=least, most=most)


@contextmanager
def _variable_restored() -> Iterator[None]:
    """Start without CUDA_VISIBLE_DEVICES: the server hides its own GPUs with it."""
    outer = os.environ.pop(VARIABLE, None)
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)
        if outer is not None:
            os.environ[VARIABLE] = outer


@contextmanager
def _default_device_restored() -> Iterator[None]:
    """Take back what ``torch.set_default_device`` did inside."""
    local = torch._GLOBAL_DEVICE_CONTEXT
    outer = getattr(local, "device_context", None)
    try:
        yield
    finally:
        if getattr(local, "device_context", None) is not outer:
            torch.set_default_device(None if outer is None else outer.device)
