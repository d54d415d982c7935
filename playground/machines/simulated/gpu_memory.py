"""The memory figures of ``torch.cuda`` and ``torch.accelerator``, for simulated GPUs."""

from collections.abc import Callable
from typing import Any, NoReturn

from playground.machines.simulated.allocator import CachingAllocator
from playground.machines.simulated.gpu_properties import Device, Original, index_of_device
from playground.machines.simulated.host import SimulatedHost, refuse


class Statistics(dict[str, Any]):
    """The figures that are kept; another one is refused instead of read as 0."""

    def __missing__(self, name: str) -> NoReturn:
        """Refuse a figure that is not kept."""
        raise refuse(f"torch.cuda.memory_stats()['{name}']")

    def get(self, name: str, default: object = None) -> Any:
        """Like ``[]``: there is no default for what is not kept."""
        del default
        return self[name]


def _allocator(host: SimulatedHost, device: Device) -> CachingAllocator | None:
    """Find a device's memory; before CUDA has started there is none, and every figure is 0."""
    if not host.is_initialised:
        return None
    return host.allocator(host.check(index_of_device(host, device)))


def figure(name: str) -> Callable[..., int]:
    """Answer with one figure of the allocator."""

    def answer(host: SimulatedHost, _: Original, device: Device = None) -> int:
        allocator = _allocator(host, device)
        return 0 if allocator is None else int(getattr(allocator, name))

    return answer


def memory_stats(host: SimulatedHost, _: Original, device: Device = None) -> Statistics:
    """Stand in for ``torch.cuda.memory_stats``."""
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


def mem_get_info(host: SimulatedHost, _: Original, device: Device = None) -> tuple[int, int]:
    """Stand in for ``torch.cuda.mem_get_info``; CUDA's own context takes nothing here."""
    host.initialise()
    allocator = host.allocator(host.check(index_of_device(host, device)))
    return allocator.capacity - allocator.reserved, allocator.capacity


def reset_peak_memory_stats(host: SimulatedHost, _: Original, device: Device = None) -> None:
    """Stand in for ``torch.cuda.reset_peak_memory_stats``."""
    host.initialise()
    host.allocator(host.check(index_of_device(host, device))).reset_peaks()


def empty_cache(host: SimulatedHost, _: Original) -> None:
    """Stand in for ``torch.cuda.empty_cache``."""
    if host.is_initialised:
        for index in range(len(host.start_driver())):
            host.allocator(index).empty_cache()
