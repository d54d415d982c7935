"""The functions of ``torch.cuda``, ``torch.accelerator`` and ``torch._C`` that are replaced.

A replacement gets the host that the calling thread is inside, the function that it replaces, and
that function's arguments. ``REPLACEMENTS`` lists them all; those of memory and of optimizers are in
this module, those of devices and of random numbers in ``cuda_devices``, of streams in ``streams``.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import torch
from torch import Tensor

from playground.machines.simulated import cuda_devices, error_messages, streams
from playground.machines.simulated.allocator import CachingAllocator
from playground.machines.simulated.cuda_devices import Device, resolve_index
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.host import Function, SimulatedHost
from playground.machines.simulated.storages import CPU, device_index, torch_device

SUMMARY_WIDTH = 49  # of the first columns of PyTorch's table
SUMMARY_LIMIT = 768 * 1024  # from this number on, a size has the next larger unit


class Statistics(dict[str, Any]):
    """The figures that are simulated; any other is refused instead of 0."""

    def __missing__(self, name: str) -> NoReturn:
        raise not_simulated(f"torch.cuda.memory_stats()['{name}']")

    def get(self, name: str, default: object = None) -> Any:
        """Return the figure, or refuse it: there is no default."""
        del default
        return self[name]


def _allocator(host: SimulatedHost, device: Device) -> CachingAllocator | None:
    """Return a device's memory; None before CUDA is initialised, when every figure is 0."""
    if not host.is_initialised:
        return None
    return host.allocator(host.check(resolve_index(host, device)))


def figure(name: str) -> Callable[..., int]:
    """Make a replacement that returns one figure of the allocator."""

    def answer(host: SimulatedHost, _: Function, device: Device = None) -> int:
        allocator = _allocator(host, device)
        return 0 if allocator is None else int(getattr(allocator, name))

    return answer


def memory_stats(host: SimulatedHost, _: Function, device: Device = None) -> Statistics:
    """Replace ``torch.cuda.memory_stats``."""
    allocator = _allocator(host, device)
    if allocator is None:
        return Statistics()
    return Statistics(
        {
            "allocated_bytes.all.current": allocator.allocated,
            "allocated_bytes.all.peak": allocator.peak_allocated,
            "reserved_bytes.all.current": allocator.reserved,
            "reserved_bytes.all.peak": allocator.peak_reserved,
        }
    )


def memory_summary(
    host: SimulatedHost, _: Function, device: Device = None, abbreviated: bool = False
) -> str:
    """Replace ``torch.cuda.memory_summary``: the rows and columns whose figures are simulated."""
    del abbreviated  # it leaves out the pools, whose figures are not simulated
    host.initialise()
    index = host.check(resolve_index(host, device))
    allocator = host.allocator(index)
    rows = [
        ("Allocated memory", allocator.allocated, allocator.peak_allocated),
        ("GPU reserved memory", allocator.reserved, allocator.peak_reserved),
    ]
    lines = [
        "=" * SUMMARY_WIDTH,
        f" PyTorch CUDA memory summary, device ID {index}".ljust(SUMMARY_WIDTH),
        " simulated: other figures are left out".ljust(SUMMARY_WIDTH),
        "=" * SUMMARY_WIDTH,
        f" {'       Metric':<21} | Cur Usage  | Peak Usage ",
    ]
    for name, current, peak in rows:
        lines.append("-" * SUMMARY_WIDTH)
        lines.append(f" {name:<21} | {_column(current)} | {_column(peak)} ")
    lines.append("=" * SUMMARY_WIDTH)
    return "".join(f"|{line}|\n" for line in lines)


def _column(size_bytes: int) -> str:
    """Format a size as ``torch.cuda.memory_summary`` does.

    >>> _column(4 * 2**20)
    '  4096 KiB'
    """
    unit, shown = "B  ", float(size_bytes)
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if shown < SUMMARY_LIMIT:
            break
        unit, size_bytes, shown = larger, size_bytes // 1024, shown / 1024
    return f"{size_bytes:6d} {unit}"


def mem_get_info(host: SimulatedHost, _: Function, device: Device = None) -> tuple[int, int]:
    """Replace ``torch.cuda.mem_get_info``; there is no CUDA context."""
    host.initialise()
    allocator = host.allocator(host.check(resolve_index(host, device)))
    return allocator.capacity - allocator.reserved, allocator.capacity


def reset_peak_memory_stats(host: SimulatedHost, _: Function, device: Device = None) -> None:
    """Replace ``torch.cuda.reset_peak_memory_stats``."""
    host.initialise()
    host.allocator(host.check(resolve_index(host, device))).reset_peaks()


def empty_cache(host: SimulatedHost, _: Function) -> None:
    """Replace ``torch.cuda.empty_cache``."""
    if host.is_initialised:
        for index in range(len(host.start_driver())):
            host.allocator(index).empty_cache()


Columns = list[list[Any]]  # parameters, gradients and each kind of state; some are empty


def group_by_device_and_dtype(
    _host: SimulatedHost, _: Function, columns: Columns, with_indices: bool = False
) -> dict[tuple[torch.device, torch.dtype], tuple[Columns, list[int]]]:
    """Replace ``torch._C._group_tensors_by_device_and_dtype``.

    Raises:
        RuntimeError: A state is not on its parameter's device (``step`` may be on the CPU).
    """
    groups: dict[tuple[torch.device, torch.dtype], tuple[Columns, list[int]]] = {}
    with torch._C.DisableTorchFunction():
        for position, first in enumerate(columns[0]):
            here = device_index(first)
            together = [column[position] if column else None for column in columns]
            if not all(_is_compatible(tensor, first, here) for tensor in together):
                raise error_messages.optimizer_state_on_other_device()
            gathered, positions = groups.setdefault(
                (torch_device(here), first.dtype), ([[] for _ in columns], [])
            )
            for column, part, tensor in zip(columns, gathered, together, strict=True):
                if column:
                    part.append(tensor)
            if with_indices:
                positions.append(position)
    return groups


def _is_compatible(tensor: Tensor | None, first: Tensor, here: int) -> bool:
    if tensor is None:
        return True
    index = device_index(tensor)
    if index == CPU and tensor.dim() == 0 and tensor.dtype in (torch.float32, torch.float64):
        return True  # ``step``
    return index == here and tensor.dtype in (first.dtype, torch.bfloat16)


Replacements = dict[str, Callable[..., Any]]


def _refused(what: str) -> Callable[..., NoReturn]:
    def answer(_host: SimulatedHost, *_: object, **__: object) -> NoReturn:
        raise not_simulated(what)

    return answer


CUDA: Replacements = {
    "is_available": cuda_devices.is_available,
    "device_count": cuda_devices.device_count,
    "current_device": cuda_devices.current_device,
    "set_device": cuda_devices.set_device,
    "_exchange_device": cuda_devices.exchange_device,
    "_maybe_exchange_device": cuda_devices.exchange_device,
    "init": cuda_devices.initialise,
    "_lazy_init": cuda_devices.initialise,
    "is_initialized": cuda_devices.is_initialized,
    "_is_in_bad_fork": cuda_devices.is_in_bad_fork,
    "synchronize": cuda_devices.synchronize,
    "current_stream": streams.current_stream,
    "default_stream": streams.default_stream,
    "stream": streams.use_stream,
    "set_stream": streams.set_stream,
    "is_current_stream_capturing": lambda *_: False,
    "get_device_properties": cuda_devices.get_device_properties,
    "get_device_name": cuda_devices.get_device_name,
    "get_device_capability": cuda_devices.get_device_capability,
    "can_device_access_peer": cuda_devices.can_device_access_peer,
    "memory_allocated": figure("allocated"),
    "max_memory_allocated": figure("peak_allocated"),
    "memory_reserved": figure("reserved"),
    "max_memory_reserved": figure("peak_reserved"),
    "memory_stats": memory_stats,
    "memory_summary": memory_summary,
    "mem_get_info": mem_get_info,
    "reset_peak_memory_stats": reset_peak_memory_stats,
    "reset_max_memory_allocated": reset_peak_memory_stats,
    "empty_cache": empty_cache,
    "manual_seed": cuda_devices.manual_seed,
    "manual_seed_all": cuda_devices.manual_seed_all,
    "initial_seed": cuda_devices.initial_seed,
    "get_rng_state": cuda_devices.get_rng_state,
    "set_rng_state": cuda_devices.set_rng_state,
    "get_rng_state_all": cuda_devices.get_rng_state_all,
    "set_rng_state_all": cuda_devices.set_rng_state_all,
}
for _name in (
    "memory_snapshot",
    "memory_usage",
    "utilization",
    "temperature",
    "power_draw",
    "clock_rate",
    "device_memory_used",
    "list_gpu_processes",
    "set_per_process_memory_fraction",
    "get_per_process_memory_fraction",
    "caching_allocator_alloc",
    "cudart",
    "ipc_collect",
    "seed",
    "seed_all",
):
    CUDA[_name] = _refused(f"torch.cuda.{_name}")

ACCELERATOR: Replacements = {
    "is_available": cuda_devices.is_available,
    "device_count": cuda_devices.driver_count,
    "current_accelerator": cuda_devices.current_accelerator,
    "current_device_index": cuda_devices.current_device,
    "current_device_idx": cuda_devices.current_device,
    "set_device_index": cuda_devices.set_device,
    "set_device_idx": cuda_devices.set_device,
    "synchronize": cuda_devices.synchronize,
    "current_stream": streams.current_stream,
    "set_stream": streams.set_stream,
    "get_device_capability": _refused("torch.accelerator.get_device_capability"),
    "memory_allocated": figure("allocated"),
    "max_memory_allocated": figure("peak_allocated"),
    "memory_reserved": figure("reserved"),
    "max_memory_reserved": figure("peak_reserved"),
    "memory_stats": memory_stats,
    "get_memory_info": mem_get_info,
    "reset_peak_memory_stats": reset_peak_memory_stats,
    "empty_cache": empty_cache,
    "empty_host_cache": _refused("torch.accelerator.empty_host_cache"),
}

INTERNALS: Replacements = {
    "_group_tensors_by_device_and_dtype": group_by_device_and_dtype,
    "_accelerator_getAccelerator": lambda *_: torch.device("cuda"),
    "_accelerator_exchangeDevice": cuda_devices.exchange_device,
    "_accelerator_maybeExchangeDevice": cuda_devices.exchange_device,
}

REPLACEMENTS = (
    (torch.cuda, CUDA),
    (torch.cuda.memory, CUDA),
    (torch.cuda.random, CUDA),
    (torch.accelerator, ACCELERATOR),
    (torch.accelerator.memory, ACCELERATOR),
    (torch._C, INTERNALS),
)
