"""How many GPUs there are and which one is current, as ``torch.cuda`` answers it."""

import torch

from playground.machines.simulated.gpu_properties import Device, Original, index_of_device
from playground.machines.simulated.host import SimulatedHost
from playground.machines.simulated.stream import SimulatedStream


def is_available(host: SimulatedHost, _: Original) -> bool:
    """Stand in for ``torch.cuda.is_available``; asking starts the driver, as it does in CUDA."""
    return len(host.start_driver()) > 0


def device_count(host: SimulatedHost, _: Original) -> int:
    """Stand in for ``torch.cuda.device_count``.

    Torch asks NVML, for which the environment is read again until the count is kept; it is kept at
    the first question after CUDA was initialised (torch/cuda/__init__.py).
    """
    if host.kept_count is not None:
        return host.kept_count
    count = len(host.visible_now())
    if host.is_initialised:
        host.kept_count = count
    return count


def driver_count(host: SimulatedHost, _: Original) -> int:
    """Stand in for ``torch.accelerator.device_count``, which asks the driver."""
    return len(host.start_driver())


def current_device(host: SimulatedHost, _: Original) -> int:
    """Stand in for ``torch.cuda.current_device``."""
    host.initialise()
    return host.current


def set_device(host: SimulatedHost, _: Original, device: Device) -> None:
    """Stand in for ``torch.cuda.set_device``; a negative index changes nothing."""
    index = torch.cuda._utils._get_device_index(device, optional=True)
    if index >= 0:
        host.current = host.check(index)


def exchange_device(host: SimulatedHost, _: Original, index: int) -> int:
    """Do what ``with torch.cuda.device(i)`` does; a negative index changes nothing."""
    if index < 0:
        return -1
    host.check(index)
    before, host.current = host.current, index
    return before


def initialise(host: SimulatedHost, _: Original) -> None:
    """Stand in for ``torch.cuda.init``."""
    host.initialise()


def is_initialized(host: SimulatedHost, _: Original) -> bool:
    """Stand in for ``torch.cuda.is_initialized``."""
    return host.is_initialised


def is_in_bad_fork(host: SimulatedHost, _: Original) -> bool:
    """Whether this process was forked after CUDA had started."""
    return host.was_forked()


def synchronize(host: SimulatedHost, _: Original, device: Device = None) -> None:
    """Stand in for ``torch.cuda.synchronize``: nothing runs behind the program's back here."""
    host.check(index_of_device(host, device))


def current_stream(host: SimulatedHost, _: Original, device: Device = None) -> SimulatedStream:
    """Stand in for ``torch.cuda.current_stream`` and ``default_stream``."""
    return SimulatedStream(host, index_of_device(host, device))


def current_accelerator(
    host: SimulatedHost, _: Original, check_available: bool = False
) -> torch.device | None:
    """Stand in for ``torch.accelerator.current_accelerator``."""
    if check_available and not host.start_driver():
        return None
    return torch.device("cuda")
