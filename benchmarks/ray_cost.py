"""Cost of one small experiment on a Ray cluster, alternating with a local worker pool.

The cluster is one node on loopback: the way through Ray is measured, and no network.
"""

import contextlib
import os
import statistics
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from unittest import mock

import psutil

from playground.compute import start_method
from playground.compute.pool import WorkerPool
from playground.compute.runner import Runner
from playground.errors import ExperimentCrashedError
from tests.compute.cluster.nodes import ENVIRONMENT, LocalCluster, Node
from tests.compute.probe.records import Die, MeasureStep, SeeProcess

RUNS = 300
CRASHES = 10
BOOT_SECONDS = 150.0
MEBIBYTE = 2**20


def measure() -> dict[str, float]:
    """Take all figures, with one worker on each side; none where Ray is not installed.

    Returns:
        Milliseconds (``*_ms``), seconds (``*_s``), MiB (``*_mib``). The experiment is one training
        step of a small perceptron, uncached. Memory is proportional: what several
        processes share is split between them.
    """
    if find_spec("ray") is None:
        print("Ray is not installed (requirements-ray.txt), so its cost is not measured.")
        return {}
    with _cluster() as (head, address), _running(Runner(_one_worker)) as local:
        on_ray = Runner()
        before = _memory(psutil.Process())
        started = time.perf_counter()
        on_ray.start(address)
        with _running(on_ray):
            _wait_for_worker(on_ray)
            figures = {"boot_s": time.perf_counter() - started, **_calls(local, on_ray)}
            figures["local_replacement_ms"] = _replacement(local)
            figures["ray_replacement_ms"] = _replacement(on_ray)
            figures["web_process_growth_mib"] = _memory(psutil.Process()) - before
            return figures | _memories(head, on_ray)


def main() -> None:
    """Print the figures, one to a line."""
    for name, value in measure().items():
        print(f"{name:24}{value:10.2f}")


@contextlib.contextmanager
def _cluster() -> Iterator[tuple[Node, str]]:
    with mock.patch.dict(os.environ, ENVIRONMENT), LocalCluster() as nodes:
        yield nodes.start_head(cpus=1), nodes.address


@contextlib.contextmanager
def _running(runner: Runner) -> Iterator[Runner]:
    try:
        yield runner
    finally:
        runner.stop()


def _one_worker() -> dict[str, WorkerPool]:
    return {
        "cpu": WorkerPool("cpu", workers=1, context=start_method.fastest_context(), hides_cuda=True)
    }


def _wait_for_worker(runner: Runner) -> None:
    latest = time.monotonic() + BOOT_SECONDS
    while not runner.status().is_ready:
        if time.monotonic() > latest:
            raise TimeoutError("the local Ray cluster has no worker")
        time.sleep(0.01)


def _calls(local: Runner, on_ray: Runner) -> dict[str, float]:
    taken: dict[str, list[float]] = {"local": [], "ray": []}
    for seed in range(-10, RUNS):
        for name, runner in (("local", local), ("ray", on_ray)):
            seconds = _seconds(lambda runner=runner, seed=seed: runner.run(MeasureStep(seed=seed)))
            if seed >= 0:  # the first ten warm up
                taken[name].append(seconds * 1e3)
    medians = {f"{name}_median_ms": statistics.median(each) for name, each in taken.items()}
    tails = {f"{name}_p95_ms": statistics.quantiles(each, n=20)[-1] for name, each in taken.items()}
    over = medians["ray_median_ms"] / medians["local_median_ms"]
    return {**medians, **tails, "ray_over_local_ratio": over}


def _replacement(runner: Runner) -> float:
    """From the report of a crash to the next report of the same, only worker."""
    taken = []
    for _ in range(CRASHES):
        with contextlib.suppress(ExperimentCrashedError):
            runner.run(Die(way="kill"), timeout=30)
        taken.append(_seconds(lambda: runner.run(MeasureStep())) * 1e3)
    return statistics.median(taken)


def _memories(head: Node, on_ray: Runner) -> dict[str, float]:
    """The bridge beside the web process, the node without workers, and one worker's three."""
    pid = on_ray.run(SeeProcess()).pid
    worker = psutil.Process(pid)
    actor = next(each for each in worker.parents() if each.name().startswith("ray::"))
    seated = {actor, *actor.children(recursive=True)}
    spawned = [
        child
        for child in psutil.Process().children()
        if "spawn_main" in " ".join(child.cmdline())  # the local worker is a fork
    ]
    node = [each for each in head.processes() if each not in seated]
    return {
        "bridge_mib": sum(map(_memory, spawned)),
        "head_without_monitors_mib": sum(map(_memory, node)),
        "ray_worker_mib": sum(map(_memory, seated)),
    }


def _memory(process: psutil.Process) -> float:
    return process.memory_full_info().pss / MEBIBYTE


def _seconds(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
