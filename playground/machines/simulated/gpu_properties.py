"""What a simulated GPU tells of itself: name and memory; what it has not, it does not tell."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import torch

from playground.machines.simulated.host import SimulatedHost, refuse
from playground.machines.simulated.visible import uuid_of
from playground.units import MEBIBYTE

Original = Callable[..., Any]
Device = Any  # what torch.cuda takes: None, a number, a string, a torch.device

CAPABILITY = (8, 0)
INVALID = "Invalid device id"  # torch/cuda/__init__.py, get_device_properties


@dataclass(frozen=True, kw_only=True)
class SimulatedProperties:
    """What ``torch.cuda.get_device_properties`` tells of a simulated GPU."""

    name: str
    major: int
    minor: int
    total_memory: int
    uuid: str

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse what only hardware has, as multiprocessors and caches."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise refuse(f"torch.cuda.get_device_properties().{name}")

    def __repr__(self) -> str:
        """Write it as torch does, as far as it goes."""
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // MEBIBYTE}MB, uuid={self.uuid})"
        )


def index_of_device(host: SimulatedHost, device: Device) -> int:
    """Tell the index an optional device argument means; torch's own function words refusals."""
    index: int = torch.cuda._utils._get_device_index(device, optional=True)
    return host.current if index is None or index < 0 else index


def get_device_properties(
    host: SimulatedHost, _: Original, device: Device = None
) -> SimulatedProperties:
    """Stand in for ``torch.cuda.get_device_properties``."""
    host.initialise()
    index, visible = index_of_device(host, device), host.start_driver()
    if not 0 <= index < len(visible):
        raise AssertionError(INVALID)
    return SimulatedProperties(
        name=f"Simulated GPU {visible[index]}",
        major=CAPABILITY[0],
        minor=CAPABILITY[1],
        total_memory=host.memory_bytes,
        uuid=uuid_of(visible[index]).removeprefix("GPU-"),
    )


def get_device_name(host: SimulatedHost, original: Original, device: Device = None) -> str:
    """Stand in for ``torch.cuda.get_device_name``."""
    return get_device_properties(host, original, device).name


def get_device_capability(
    host: SimulatedHost, original: Original, device: Device = None
) -> tuple[int, int]:
    """Stand in for ``torch.cuda.get_device_capability``."""
    properties = get_device_properties(host, original, device)
    return properties.major, properties.minor


def can_device_access_peer(
    host: SimulatedHost, _: Original, device: Device, peer: Device
) -> NoReturn:
    """Refuse: whether GPUs reach each other's memory is a matter of hardware."""
    host.check(index_of_device(host, device))
    host.check(index_of_device(host, peer))
    raise refuse("torch.cuda.can_device_access_peer")
