"""The functions of ``torch.cuda`` about devices, and those of ``torch.cuda.random``.

A property that only hardware has is refused. Each device has a generator state of its own, as each
GPU has. The numbers come from the CPU's generator, so they differ from those of a GPU; but seeding,
saving and restoring one state leaves all others unchanged.
"""

from dataclasses import dataclass
from typing import Any, NoReturn

import torch
from torch import Tensor
from torch._ops import OpOverload

from playground.machines.simulated import error_messages
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.host import (
    Arguments,
    Function,
    Options,
    SimulatedHost,
    read_visible_gpus,
)
from playground.machines.visible_devices import simulated_uuids
from playground.units import MEBIBYTE

Device = Any  # as torch.cuda accepts it: None, a number, a string, a torch.device
COMPUTE_CAPABILITY = (8, 0)
INVALID_DEVICE = "Invalid device id"  # torch/cuda/__init__.py, get_device_properties
GPU_SEED_MASK = 0x51B0A7ED  # with one seed, a GPU and the CPU draw different numbers


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


def draw(
    host: SimulatedHost,
    index: int,
    operation: OpOverload,
    args: Arguments,
    kwargs: Options,
) -> Any:
    """Run an operation that draws random numbers with the state of ``cuda:index``.

    Raises:
        RuntimeError: It was given a generator, which can only be a CPU generator.
    """
    if kwargs.get("generator") is not None:
        raise error_messages.cpu_generator()
    generator = torch.default_generator
    cpu_state = generator.get_state()
    generator.set_state(device_state(host, index))
    try:
        return operation(*args, **kwargs)
    finally:
        host.seeds[index] = generator.get_state()
        generator.set_state(cpu_state)


def device_state(host: SimulatedHost, index: int) -> Tensor:
    """Return a device's state, which is first seeded with the default seed."""
    if index not in host.seeds:
        seed_device(host, index, host.default_seed)
    return host.seeds[index]


def seed_device(host: SimulatedHost, index: int, seed: int) -> None:
    """Seed one device."""
    host.initial_seeds[index] = seed
    with torch._C.DisableTorchFunction():
        host.seeds[index] = torch.Generator().manual_seed(seed ^ GPU_SEED_MASK).get_state()


def seed_all(host: SimulatedHost, seed: int) -> None:
    """Seed all devices, as ``torch.manual_seed`` does."""
    host.seeds.clear()
    host.initial_seeds.clear()
    host.default_seed = seed


def manual_seed(host: SimulatedHost, _: Function, seed: int) -> None:
    """Replace ``torch.cuda.manual_seed``."""
    seed_device(host, host.current_index, int(seed))


def manual_seed_all(host: SimulatedHost, _: Function, seed: int) -> None:
    """Replace ``torch.cuda.manual_seed_all``, which ``torch.manual_seed`` calls."""
    seed_all(host, int(seed))


def initial_seed(host: SimulatedHost, _: Function) -> int:
    """Replace ``torch.cuda.initial_seed``."""
    host.initialise()
    return host.initial_seeds.get(host.current_index, host.default_seed)


def get_rng_state(host: SimulatedHost, _: Function, device: Device = "cuda") -> Tensor:
    """Replace ``torch.cuda.get_rng_state``; a real GPU's state is shorter."""
    host.initialise()
    index = host.check(resolve_index(host, device))
    return device_state(host, index).clone()


def set_rng_state(
    host: SimulatedHost, _: Function, new_state: Tensor, device: Device = "cuda"
) -> None:
    """Replace ``torch.cuda.set_rng_state``."""
    host.seeds[host.check(resolve_index(host, device))] = new_state.clone()


def get_rng_state_all(host: SimulatedHost, _: Function) -> list[Tensor]:
    """Replace ``torch.cuda.get_rng_state_all``."""
    host.initialise()
    indices = range(len(host.start_driver()))
    return [device_state(host, index).clone() for index in indices]


def set_rng_state_all(host: SimulatedHost, _: Function, new_states: list[Tensor]) -> None:
    """Replace ``torch.cuda.set_rng_state_all``."""
    for index, state in enumerate(new_states):
        host.seeds[host.check(index)] = state.clone()
