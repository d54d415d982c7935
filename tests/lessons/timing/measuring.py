"""Run a measurement in this process; give it GPUs that compute on the CPU; make up its numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playground.compute import torch_state
from playground.compute.dispatch import find_experiment
from playground.machines import Machine
from playground.machines.machine import MachineKind

REAL = Machine(kind=MachineKind.REAL)


def measure(settings: Any) -> tuple[Any, list[Any]]:
    """The report of a measurement, and what it told on the way."""
    told: list[Any] = []
    with torch_state.restored():
        return find_experiment(type(settings))(settings, told.append), told


@contextmanager
def stand_in_gpus(count: int) -> Iterator[None]:
    """Within it the experiments take simulated GPUs for real ones: every line of theirs runs.

    The lesson itself never does this. What is timed here is the CPU, so no test looks at times.
    """
    from playground.machines.simulated import simulated_gpus

    with simulated_gpus(count, 8.0):
        yield
