"""Seeds and random states of simulated GPUs, as ``torch.cuda`` sets and gives them."""

from torch import Tensor

from playground.machines.simulated import random_state
from playground.machines.simulated.gpu_properties import Device, Original, index_of_device
from playground.machines.simulated.host import SimulatedHost


def manual_seed(host: SimulatedHost, _: Original, seed: int) -> None:
    """Stand in for ``torch.cuda.manual_seed``."""
    random_state.seed_device(host, host.current, int(seed))


def manual_seed_all(host: SimulatedHost, _: Original, seed: int) -> None:
    """Stand in for ``torch.cuda.manual_seed_all``, which ``torch.manual_seed`` calls."""
    random_state.seed_all(host, int(seed))


def initial_seed(host: SimulatedHost, _: Original) -> int:
    """Stand in for ``torch.cuda.initial_seed``."""
    host.initialise()
    return host.initial_seeds.get(host.current, host.default_seed)


def get_rng_state(host: SimulatedHost, _: Original, device: Device = "cuda") -> Tensor:
    """Stand in for ``torch.cuda.get_rng_state``; the state is longer than a real GPU's."""
    host.initialise()
    index = host.check(index_of_device(host, device))
    return random_state.device_state(host, index).clone()


def set_rng_state(
    host: SimulatedHost, _: Original, new_state: Tensor, device: Device = "cuda"
) -> None:
    """Stand in for ``torch.cuda.set_rng_state``."""
    host.seeds[host.check(index_of_device(host, device))] = new_state.clone()


def get_rng_state_all(host: SimulatedHost, _: Original) -> list[Tensor]:
    """Stand in for ``torch.cuda.get_rng_state_all``."""
    host.initialise()
    indices = range(len(host.start_driver()))
    return [random_state.device_state(host, index).clone() for index in indices]


def set_rng_state_all(host: SimulatedHost, _: Original, new_states: list[Tensor]) -> None:
    """Stand in for ``torch.cuda.set_rng_state_all``."""
    for index, state in enumerate(new_states):
        host.seeds[host.check(index)] = state.clone()
