"""Cost of the workers over the bare torch code, and times of start and replacement."""

import contextlib
import statistics
import time
from collections.abc import Callable

import psutil
import torch

from playground.compute import start_method
from playground.compute.pool import WorkerPool
from playground.compute.runner import Runner
from playground.errors import ExperimentCrashedError
from tests.compute.probe.experiment import measure_step
from tests.compute.probe.records import Die, MeasureStep, SeeProcess

RUNS = 300
CRASHES = 10
MEBIBYTE = 2**20


def measure() -> dict[str, float]:
    """Take all figures on one CPU worker.

    Returns:
        Milliseconds (``*_ms``), seconds (``*_s``) and MiB (``*_mib``). The overhead is that of an
        uncached experiment (one training step of a small perceptron) over the same call in this
        process with one thread, alternating with it.
    """
    runner = Runner(_one_worker)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        boot = _seconds(lambda: runner.run(SeeProcess()))
        figures = {"boot_s": boot, **_overhead(runner), "replacement_ms": _replacement(runner)}
        worker = psutil.Process(runner.run(SeeProcess()).pid)
        figures["worker_rss_mib"] = worker.memory_info().rss / MEBIBYTE
        figures["worker_unshared_mib"] = worker.memory_full_info().uss / MEBIBYTE
        return figures
    finally:
        runner.stop()
        torch.set_num_threads(threads)


def main() -> None:
    """Print the figures, one to a line."""
    for name, value in measure().items():
        print(f"{name:24}{value:10.2f}")


def _one_worker() -> dict[str, WorkerPool]:
    return {
        "cpu": WorkerPool("cpu", workers=1, context=start_method.fastest_context(), hides_cuda=True)
    }


def _overhead(runner: Runner) -> dict[str, float]:
    for _ in range(10):
        measure_step(MeasureStep())
        runner.run(MeasureStep())
    bare, pooled = [], []
    for seed in range(RUNS):
        settings = MeasureStep(seed=seed)
        bare.append(_seconds(lambda settings=settings: measure_step(settings)) * 1e3)
        pooled.append(_seconds(lambda settings=settings: runner.run(settings)) * 1e3)
    over = [through - direct for through, direct in zip(pooled, bare, strict=True)]
    return {
        "bare_median_ms": statistics.median(bare),
        "pooled_median_ms": statistics.median(pooled),
        "overhead_median_ms": statistics.median(over),
        "overhead_p95_ms": statistics.quantiles(over, n=20)[-1],
    }


def _replacement(runner: Runner) -> float:
    """From the report of a crash to the next report of the same, only worker."""
    taken = []
    for _ in range(CRASHES):
        with contextlib.suppress(ExperimentCrashedError):
            runner.run(Die(way="kill"), timeout=30)
        taken.append(_seconds(lambda: runner.run(MeasureStep())) * 1e3)
    return statistics.median(taken)


def _seconds(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
