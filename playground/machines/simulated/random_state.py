"""Random numbers of simulated devices: each has a stream of its own, as each GPU has.

The numbers themselves come from the CPU's generator, so they are not the ones that a GPU draws;
what holds is that seeding, saving and restoring one stream leaves every other one alone.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from playground.machines.simulated import texts

if TYPE_CHECKING:
    from playground.machines.simulated.host import SimulatedHost


OTHER_STREAM = 0x51B0A7ED  # a GPU and the CPU draw different numbers from one seed


def draw(
    host: "SimulatedHost",
    index: int,
    operation: OpOverload,
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> Any:
    """Carry out an operation that draws, from the stream of ``cuda:index`` instead of the CPU's.

    Raises:
        RuntimeError: It was given a generator, which is one of the CPU.
    """
    if kwargs.get("generator") is not None:
        raise texts.cpu_generator()
    generator = torch.default_generator
    cpu_state = generator.get_state()
    generator.set_state(device_state(host, index))
    try:
        return operation(*args, **kwargs)
    finally:
        host.seeds[index] = generator.get_state()
        generator.set_state(cpu_state)


def device_state(host: "SimulatedHost", index: int) -> Tensor:
    """The state of a device's stream, which starts from the seed that all devices were given."""
    if index not in host.seeds:
        seed_device(host, index, host.default_seed)
    return host.seeds[index]


def seed_device(host: "SimulatedHost", index: int, seed: int) -> None:
    """Start a device's stream anew."""
    host.initial_seeds[index] = seed
    with torch._C.DisableTorchFunction():
        host.seeds[index] = torch.Generator().manual_seed(seed ^ OTHER_STREAM).get_state()


def seed_all(host: "SimulatedHost", seed: int) -> None:
    """Start the streams of all devices anew, as ``torch.manual_seed`` does."""
    host.seeds.clear()
    host.initial_seeds.clear()
    host.default_seed = seed
