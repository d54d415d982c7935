"""Random number generators of simulated GPUs, and the functions of ``torch.cuda.random``.

Each device has a generator state of its own, as each GPU has. The numbers come from the CPU's
generator, so they differ from those of a GPU; but seeding, saving and restoring one state leaves
all others unchanged.
"""

from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from playground.machines.simulated import error_messages
from playground.machines.simulated.cuda_devices import Device, resolve_index
from playground.machines.simulated.host import Arguments, Function, Options, SimulatedHost

GPU_SEED_MASK = 0x51B0A7ED  # with one seed, a GPU and the CPU draw different numbers


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
