"""One product under four clocks: cold, without waiting, with waiting, and torch's benchmark."""

import time
from collections.abc import Sequence

import torch
from torch.utils import benchmark

from playground.compute import Tell, tell_nobody
from playground.lessons.timing.experiment.clock import (
    LEAST_REPEATS,
    Budget,
    cpu_threads,
    take_times,
    timed_devices,
    wait_for,
)
from playground.lessons.timing.records import (
    Clock,
    ClockProgress,
    ClockReading,
    CompareClocks,
    CompareClocksReport,
)
from playground.machines.machine import DeviceName


def compare_clocks(
    settings: CompareClocks, tell: Tell[ClockProgress] = tell_nobody
) -> CompareClocksReport:
    """Read every clock on every device."""
    devices = timed_devices(settings.machine)
    readings: list[ClockReading] = []

    def say(device: DeviceName) -> None:
        total = len(devices) * len(Clock)
        tell(ClockProgress(done=len(readings), total=total, device=device))

    with cpu_threads(uses_all=False) as threads:
        for device in devices:
            left = torch.rand(settings.size, settings.size, device=device)
            right = torch.rand(settings.size, settings.size, device=device)
            say(device)
            first = _time_first(left, right, device)  # before anything else: it must be cold
            readings.append(ClockReading.of(first, device=device, clock=Clock.FIRST))
            say(device)
            for clock, seconds in _time_in_turns(left, right, device, settings).items():
                readings.append(ClockReading.of(seconds, device=device, clock=clock))
            say(device)
            blocks, products = _benchmark(left, right, settings.BENCHMARK_SECONDS)
            readings.append(
                ClockReading.of(blocks, device=device, clock=Clock.BENCHMARK, repeats=products)
            )
    return CompareClocksReport(
        machine=settings.machine,
        devices=devices,
        threads=threads,
        size=settings.size,
        readings=tuple(readings),
    )


def _time_in_turns(
    left: torch.Tensor, right: torch.Tensor, device: DeviceName, settings: CompareClocks
) -> dict[Clock, list[float]]:
    """Read the clock without and with waiting, in turns: a disturbance meets both alike."""
    taken: dict[Clock, list[float]] = {Clock.NAIVE: [], Clock.SYNCHRONISED: []}
    budget = Budget(settings.CLOCK_SECONDS)
    while len(taken[Clock.NAIVE]) < settings.REPEATS:
        if len(taken[Clock.NAIVE]) >= LEAST_REPEATS and budget.is_used_up:
            break
        for clock, seconds in taken.items():
            seconds += take_times(
                lambda: left @ right,
                device,
                repeats=1,
                seconds=0,
                waits=clock == Clock.SYNCHRONISED,
            )
    return taken


def _time_first(left: torch.Tensor, right: torch.Tensor, device: DeviceName) -> list[float]:
    wait_for(device)  # the matrices are there; nothing has multiplied yet
    begin = time.perf_counter()
    left @ right
    wait_for(device)
    return [time.perf_counter() - begin]


def _benchmark(
    left: torch.Tensor, right: torch.Tensor, seconds: float
) -> tuple[Sequence[float], int]:
    """Seconds for one product in every block, and the number of products in all blocks."""
    timer = benchmark.Timer(
        "left @ right",
        globals={"left": left, "right": right},
        num_threads=torch.get_num_threads(),
    )
    measured = timer.blocked_autorange(min_run_time=seconds)
    return measured.times, len(measured.times) * measured.number_per_run
