"""Simulated GPUs: plain PyTorch code uses CUDA devices that are computed on the CPU.

``simulated_gpus`` enters a host with simulated GPUs, and restores torch on exit.

Two of torch's own modes do most of the work. The function mode (``function_mode``) sees every call
of the Python interface and answers those whose result depends on the device: attributes
(``tensor_attributes``), transfers and factories (``device_transfer``), ``.grad`` (``gradients``),
conversion to NumPy, printing. The dispatch mode (``dispatch_mode``) sees every ATen operation below
autograd, in the forward and the backward pass. It compares the devices as CUDA's kernels do
(``same_device``, ``error_messages``), computes on the CPU, and records the device on
the storage of the result (``storages``), which takes memory from the device's ``allocator``.
Memory that this computer does not have is committed on first use (``storages``).

Code that reaches CUDA in other ways is patched: functions (``patches``, ``cuda_interface`` with
``cuda_devices`` and ``streams``) and classes (``class_patches``). Patches and modes read
``host.this_thread``, and do what torch does if the calling thread is not inside a simulator.
``streams`` also derives from a program's calls what a GPU would run asynchronously.

Differences from a GPU that are not refused: random numbers are not those of a GPU; a device's
memory has no CUDA context, no workspaces of cuBLAS and cuDNN, and no temporary memory of kernels;
an index out of range is an IndexError, not a device-side assertion; a float tensor on a GPU is also
an instance of ``torch.FloatTensor``; ``torch.version.cuda`` and ``torch.backends`` describe the
installed torch. Everything else that would give a wrong result raises ``NotSimulatedError``.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch
from torch._C import DisableTorchFunction
from torch.utils._python_dispatch import _disable_current_modes

from playground.errors import InvalidSettingError
from playground.machines.machine import Machine
from playground.machines.simulated import patches
from playground.machines.simulated.class_patches import patch_classes
from playground.machines.simulated.dispatch_mode import SimulatedDispatchMode
from playground.machines.simulated.function_mode import SimulatedFunctionMode
from playground.machines.simulated.host import SimulatedHost, use_host
from playground.units import GIBIBYTE

__all__ = ["outside_simulation", "simulated_gpus"]
VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES"


@contextmanager
def simulated_gpus(count: int = 2, memory_gib: float = 8.0) -> Iterator[None]:
    """Give plain PyTorch code in this thread ``count`` CUDA devices, simulated on the CPU.

    Values, autograd and errors are those of PyTorch on CUDA; speed is not. Tensors made inside are
    plain CPU tensors after the block.

    Args:
        count: The number of GPUs; with 0, torch behaves as it does without GPUs.
        memory_gib: The memory of each, GiB.

    Raises:
        InvalidSettingError: ``count`` or ``memory_gib`` is out of bounds.

    >>> with simulated_gpus(2):
    ...     str(torch.ones(2).cuda(1).device)
    'cuda:1'
    """
    _check("count", count, 0, Machine.MAX_GPUS)
    if isinstance(count, float):
        raise InvalidSettingError(
            "bounds", field="count", given=count, least=0, most=Machine.MAX_GPUS
        )
    _check("memory_gib", memory_gib, Machine.MIN_MEMORY_GIB, Machine.MAX_MEMORY_GIB)
    patches.install()
    with ExitStack() as stack:
        if count == 0 and not patches.real_gpus_are_available():
            stack.enter_context(use_host(None))  # torch itself gives the errors without GPUs
        else:
            host = SimulatedHost(count, int(memory_gib * GIBIBYTE))
            stack.enter_context(_variable_restored())
            stack.enter_context(_default_device_restored())
            stack.enter_context(patch_classes())
            stack.enter_context(use_host(host))
            stack.enter_context(SimulatedFunctionMode(host))
            stack.enter_context(SimulatedDispatchMode(host))
        yield


@contextmanager
def outside_simulation() -> Iterator[None]:
    """Suspend ``simulated_gpus``: compute as fast as torch alone, without any GPU.

    Values are the same: a tensor on a simulated device is a CPU tensor here.

    >>> with simulated_gpus(2):
    ...     X = torch.ones(2).cuda(1)
    ...     with outside_simulation():
    ...         str(X.device)
    'cpu'
    """
    with use_host(None), DisableTorchFunction(), _disable_current_modes():
        yield


def _check(field: str, given: float, least: float, most: float) -> None:
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        raise InvalidSettingError("bounds", field=field, given=given, least=least, most=most)


@contextmanager
def _variable_restored() -> Iterator[None]:
    """Unset CUDA_VISIBLE_DEVICES inside: the server hides its own GPUs with it."""
    outer = os.environ.pop(VISIBLE_DEVICES, None)
    try:
        yield
    finally:
        os.environ.pop(VISIBLE_DEVICES, None)
        if outer is not None:
            os.environ[VISIBLE_DEVICES] = outer


@contextmanager
def _default_device_restored() -> Iterator[None]:
    """Undo ``torch.set_default_device`` on exit."""
    local = torch._GLOBAL_DEVICE_CONTEXT
    outer = getattr(local, "device_context", None)
    try:
        yield
    finally:
        if getattr(local, "device_context", None) is not outer:
            torch.set_default_device(None if outer is None else outer.device)
