"""The functions of ``torch.cuda`` about devices: count, current device, properties.

A property that only hardware has is refused.
"""

from dataclasses import dataclass
from typing import Any, NoReturn

import torch

from playground.machines.simulated.host import (
    Function,
    SimulatedHost,
    not_simulated,
    read_visible_gpus,
)
from playground.machines.visible_devices import simulated_uuids
from playground.units import MEBIBYTE

Device = Any  # as torch.cuda accepts it: None, a number, a string, a torch.device

COMPUTE_CAPABILITY = (8, 0)
INVALID_DEVICE = "Invalid device id"  # torch/cuda/__init__.py, get_device_properties


@dataclass(frozen=True, kw_only=True)
class SimulatedProperties:
    """The result of ``torch.cuda.get_device_properties``."""

    name: str
    major: int
    minor: int
    total_memory: int
    uuid: str

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise not_simulated(f"torch.cuda.get_device_properties().{name}")

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // MEBIBYTE}MB, uuid={self.uuid})"
        )


def resolve_index(host: SimulatedHost, device: Device) -> int:
    """Return the index that an optional device argument means; torch raises its own errors."""
    index: int = torch.cuda._utils._get_device_index(device, optional=True)
    return host.current_index if index is None or index < 0 else index


def get_device_properties(
    host: SimulatedHost, _: Function, device: Device = None
) -> SimulatedProperties:
    """Replace ``torch.cuda.get_device_properties``."""
    host.initialise()
    index, visible = resolve_index(host, device), host.start_driver()
    if not 0 <= index < len(visible):
        raise AssertionError(INVALID_DEVICE)
    return SimulatedProperties(
        name=f"Simulated GPU {visible[index]}",
        major=COMPUTE_CAPABILITY[0],
        minor=COMPUTE_CAPABILITY[1],
        total_memory=host.memory_bytes,
        uuid=simulated_uuids(host.count)[visible[index]].removeprefix("GPU-"),
    )


def get_device_name(host: SimulatedHost, original: Function, device: Device = None) -> str:
    """Replace ``torch.cuda.get_device_name``."""
    return get_device_properties(host, original, device).name


def get_device_capability(
    host: SimulatedHost, original: Function, device: Device = None
) -> tuple[int, int]:
    """Replace ``torch.cuda.get_device_capability``."""
    properties = get_device_properties(host, original, device)
    return properties.major, properties.minor


def can_device_access_peer(
    host: SimulatedHost, _: Function, device: Device, peer: Device
) -> NoReturn:
    """Refuse ``torch.cuda.can_device_access_peer``, which depends on the hardware."""
    host.check(resolve_index(host, device))
    host.check(resolve_index(host, peer))
    raise not_simulated("torch.cuda.can_device_access_peer")


def is_available(host: SimulatedHost, _: Function) -> bool:
    """Replace ``torch.cuda.is_available``; as in CUDA, this starts the driver."""
    return len(host.start_driver()) > 0


def device_count(host: SimulatedHost, _: Function) -> int:
    """Replace ``torch.cuda.device_count``.

    torch asks NVML and reads the environment each time, until the first call after CUDA was
    initialised; that count is cached (torch/cuda/__init__.py).
    """
    if host.cached_count is not None:
        return host.cached_count
    count = len(read_visible_gpus(host.count))
    if host.is_initialised:
        host.cached_count = count
    return count


def driver_count(host: SimulatedHost, _: Function) -> int:
    """Replace ``torch.accelerator.device_count``, which asks the driver."""
    return len(host.start_driver())


def current_device(host: SimulatedHost, _: Function) -> int:
    """Replace ``torch.cuda.current_device``."""
    host.initialise()
    return host.current_index


def set_device(host: SimulatedHost, _: Function, device: Device) -> None:
    """Replace ``torch.cuda.set_device``; a negative index changes nothing."""
    index = torch.cuda._utils._get_device_index(device, optional=True)
    if index >= 0:
        host.current_index = host.check(index)


def exchange_device(host: SimulatedHost, _: Function, index: int) -> int:
    """Replace the function behind ``with torch.cuda.device(i)``; returns the index before."""
    if index < 0:
        return -1
    host.check(index)
    before, host.current_index = host.current_index, index
    return before


def initialise(host: SimulatedHost, _: Function) -> None:
    """Replace ``torch.cuda.init``."""
    host.initialise()


def is_initialized(host: SimulatedHost, _: Function) -> bool:
    """Replace ``torch.cuda.is_initialized``."""
    return host.is_initialised


def is_in_bad_fork(host: SimulatedHost, _: Function) -> bool:
    """Replace ``torch.cuda._is_in_bad_fork``."""
    return host.was_forked()


def synchronize(host: SimulatedHost, _: Function, device: Device = None) -> None:
    """Replace ``torch.cuda.synchronize``: no work is ever pending."""
    host.check(resolve_index(host, device))


def current_accelerator(
    host: SimulatedHost, _: Function, check_available: bool = False
) -> torch.device | None:
    """Replace ``torch.accelerator.current_accelerator``."""
    if check_available and not host.start_driver():
        return None
    return torch.device("cuda")
