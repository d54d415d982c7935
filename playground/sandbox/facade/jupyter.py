"""Functions behind the Jupyter lines of a cell: timed loops, ``nvidia-smi`` of simulated GPUs."""

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from playground.units import MEBIBYTE

RUNS = 5
MIN_RUN_SECONDS = 0.02  # of the loop of one run
MAX_SECONDS = 0.3  # of all runs, unless one call takes longer
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))


def timeit(function: Callable[[], Any]) -> None:
    """Measure a call in a loop, and print the mean of a few runs as ``%timeit`` does."""
    loops, seconds = 1, _seconds(function, 1)
    while seconds < MIN_RUN_SECONDS:
        loops *= 2 if seconds > MIN_RUN_SECONDS / 10 else 10
        seconds = _seconds(function, loops)
    runs = max(1, min(RUNS, int(MAX_SECONDS / seconds)))
    measured = [seconds / loops, *(_seconds(function, loops) / loops for _ in range(runs - 1))]
    mean, deviation = statistics.fmean(measured), statistics.pstdev(measured)
    sys.stdout.write(
        f"{_written(mean)} ± {_written(deviation)} per loop"
        f" (mean ± std. dev. of {len(measured)} runs, {loops:,} loops each)\n"
    )


def time_once(function: Callable[[], Any]) -> Any:
    """Call a function, print how long it took as ``%time`` does, and return its result."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = function()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    sys.stdout.write(f"CPU times: total: {_written(cpu)}\nWall time: {_written(wall)}\n")
    return result


def nvidia_smi() -> None:
    """Print the simulated GPUs of the run as a table with the columns of ``nvidia-smi``."""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        sys.stdout.write("nvidia-smi: command not found (this run has no GPU)\n")
        return
    rule = f"+{'-' * 40}+{'-' * 24}+"
    title = "Simulated GPUs of this run; no driver, no temperature, no utilization"
    lines = [title, rule, f"| {'GPU  Name':38} | {'Memory-Usage':>22} |", rule]
    for index in range(count):
        used = torch.cuda.memory_reserved(index) // MEBIBYTE
        total = torch.cuda.get_device_properties(index).total_memory // MEBIBYTE
        name = f"{index:3}  {torch.cuda.get_device_name(index)}"
        lines += [f"| {name:38} | {f'{used}MiB / {total}MiB':>22} |", rule]
    sys.stdout.write("\n".join(lines) + "\n")


def _seconds(function: Callable[[], Any], loops: int) -> float:
    start = time.perf_counter()
    for _ in range(loops):
        function()
    return time.perf_counter() - start


def _written(seconds: float) -> str:
    """Write a time with three digits.

    >>> _written(0.00123)
    '1.23 ms'
    """
    scale, unit = next((scale, unit) for scale, unit in UNITS if seconds >= scale)
    return f"{seconds / (scale or 1e-9):.3g} {unit}"
