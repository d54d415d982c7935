"""Runs plain PyTorch code on a ``Machine``; loads torch, unlike ``machine``."""

from collections.abc import Iterator
from contextlib import contextmanager

from playground.machines.machine import Machine
from playground.machines.simulated import simulated_gpus


@contextmanager
def running_on(machine: Machine) -> Iterator[None]:
    """Give torch the machine's devices: simulated ones, or this computer's own.

    >>> import torch
    >>> with running_on(Machine(gpus=2)):
    ...     torch.cuda.device_count()
    2
    """
    if machine.is_simulated:
        with simulated_gpus(machine.gpus, machine.memory_gib):
            yield
    else:
        yield
