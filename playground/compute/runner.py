"""Decides where an experiment runs: in a pool of workers, from the cache, or in this process."""

import importlib
import logging
import math
import os
import pickle
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from playground.compute import gpu_quota, start_method
from playground.compute.cache import ReportCache, cache_key
from playground.compute.fair_queue import FairQueue
from playground.compute.settings import Settings
from playground.compute.status import UNAVAILABLE, ComputeStatus
from playground.compute.streaming import NO_CALLBACKS, Callbacks, Stream, StreamSettings
from playground.errors import (
    ComputeUnavailableError,
    ExperimentCrashedError,
    Failure,
    PlaygroundError,
)
from playground.machines import Machine, MachineKind, gpu_detection

if TYPE_CHECKING:
    from playground.compute.pool import WorkerPool

MAX_CPU_WORKERS = 4
MAX_WAITING_MEASUREMENTS = 64
WORKER_MODULE = "playground.compute.worker"
ReportT = TypeVar("ReportT")
ProgressT = TypeVar("ProgressT")
Pools: TypeAlias = "Mapping[str, WorkerPool]"  # by name, "cpu" and "gpu"
_count_local_gpus = cache(gpu_detection.count_cuda_gpus)
_log = logging.getLogger(__name__)


def build_pools() -> Pools:
    """Return the pools of this host, not yet started."""
    from playground.compute.gpu_pool import GpuPool  # a first page needs none of it
    from playground.compute.pool import WorkerPool

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pools = {
        "cpu": WorkerPool(
            "cpu",
            workers=min(cores or 1, MAX_CPU_WORKERS),
            context=start_method.fastest_context(),
            hides_cuda=True,
        )
    }
    if gpu_quota.is_wanted():
        pools["gpu"] = GpuPool(start_method.Spawn())
    return pools


def build_cluster_pools(address: str) -> Pools:
    """Return the pools of a Ray cluster, not yet started."""
    from playground.compute import cluster  # optional, and needs Ray: docs/decisions/0021

    return cluster.build_pools(address)


class Runner:
    """The pools, and before them the cache and the queue of measurements.

    Args:
        build: Makes the pools.
    """

    def __init__(self, build: Callable[[], Pools] = build_pools) -> None:
        self._build = build
        self._is_on_cluster = False
        self._lock = threading.Lock()
        self._pools: dict[str, WorkerPool] = {}
        self._cache = ReportCache()
        # One measurement at a time, in whatever pool: two at once would time each other.
        self._measurements = FairQueue(range(1), max_waiting=MAX_WAITING_MEASUREMENTS)
        self._is_wanted = False
        # Also when a hot reload drops this module: otherwise the workers would stay.
        self._finalizer = weakref.finalize(self, _stop_pools, self._pools)

    def start(self, cluster_address: str = "") -> None:
        """Start the pools in the background; see ``compute.start``."""
        if cluster_address:
            self._is_on_cluster = True
            self._build = partial(build_cluster_pools, cluster_address)
        self._is_wanted = True
        threading.Thread(target=self._start_pools, name="compute-start", daemon=True).start()

    def stop(self) -> None:
        """End all workers and their fork server; a later run starts them again."""
        self._is_wanted = False
        with self._lock:
            _stop_pools(self._pools)
            self._cache = ReportCache()

    def status(self) -> ComputeStatus:
        """Return what each pool is doing."""
        pools = tuple(self._pools.values())
        return ComputeStatus(
            pools=tuple(pool.status() for pool in pools if pool.exists),
            is_awaited=self._is_wanted and not pools,
        )

    def count_gpus(self) -> int:
        """Return how many CUDA devices an experiment on the real machine may use."""
        if self._is_on_cluster:
            return int("gpu" in self._pools and self._pools["gpu"].exists)
        if not (found := _count_local_gpus()) and self._has_gpu():
            _count_local_gpus.cache_clear()  # its driver did not answer when this was first asked
        return found

    def run(
        self,
        settings: Settings[ReportT],
        timeout: float | None = None,
        callbacks: Callbacks = NO_CALLBACKS,
    ) -> ReportT:
        """Run an experiment; see ``compute.run``."""
        check_call(settings, timeout)
        if is_inline():
            inline_report: ReportT = run_inline(settings)
            return inline_report
        report: ReportT = pickle.loads(  # noqa: S301 - written by our own worker
            self._fetch(settings, timeout, callbacks)
        )
        return report

    def stream(
        self,
        settings: StreamSettings[ReportT, ProgressT],
        timeout: float | None = None,
        callbacks: Callbacks = NO_CALLBACKS,
    ) -> Stream[ReportT, ProgressT]:
        """Run an experiment that reports its progress; see ``compute.stream``."""
        check_call(settings, timeout)

        def work(callbacks: Callbacks) -> bytes:
            return self._fetch(settings, timeout, callbacks)

        def work_inline(callbacks: Callbacks) -> bytes:
            def report_progress(record: object) -> None:
                callbacks.report_progress(pickle.dumps(record))

            return pickle.dumps(run_inline(settings, report_progress))

        if is_inline():
            return Stream(work_inline, callbacks, is_lossless=True)
        return Stream(work, callbacks)

    def _fetch(self, settings: Settings[Any], timeout: float | None, callbacks: Callbacks) -> bytes:
        """Return the pickled report, from the cache or from a worker."""
        limit = settings.timeout_seconds if timeout is None else timeout

        def compute(callbacks: Callbacks) -> bytes:
            if not settings.measures:
                return self._compute(settings, limit, callbacks)
            with self._measurements.turn(callbacks.report_wait):
                return self._compute(settings, limit, callbacks)

        if settings.deterministic:
            # A report that the CPU made while the GPU was away is not kept for when it is back.
            return self._cache.fetch((cache_key(settings), self._has_gpu()), compute, callbacks)
        return compute(callbacks)

    def _compute(self, settings: Settings[Any], limit: float, callbacks: Callbacks) -> bytes:
        self._is_wanted = True
        self._start_pools()
        name = pool_name(settings, has_gpu_pool=self._has_gpu())
        pool = self._pools.get(name)
        if pool is None:  # stopped in this very moment
            raise ComputeUnavailableError(UNAVAILABLE, pool=name)
        result = pool.run(pickle.dumps(settings), limit, callbacks)
        if isinstance(result, PlaygroundError):
            raise result
        if isinstance(result, Failure):
            details = (result.experiment, result.error_type, result.traceback)
            _log.error("experiment %s failed: %s at\n%s", *details)
            raise ExperimentCrashedError(
                "failed", experiment=result.experiment, error_type=result.error_type
            )
        return result

    def _has_gpu(self) -> bool:
        return "gpu" in self._pools and self._pools["gpu"].is_open

    def _start_pools(self) -> None:
        with self._lock:  # also against a stop: pools that it ends do not come back
            if self._is_wanted and not self._pools:
                start_method.hold_fork_server()
                self._pools.update(self._build())
                for pool in self._pools.values():
                    pool.start()


def check_call(settings: object, timeout: float | None) -> None:
    """Refuse arguments that are no settings record, or no time limit.

    Raises:
        TypeError: The first one is no settings record.
        ValueError: The timeout is not a finite number above 0; for pebble, 0 and NaN mean that a
            task may take forever.
    """
    if not isinstance(settings, Settings):
        raise TypeError(f"settings must be a settings record, not {settings!r:.80}")
    seconds = settings.timeout_seconds if timeout is None else timeout
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds < math.inf:
        raise ValueError(f"timeout must be a finite number above 0, not {seconds!r:.80}")


def pool_name(settings: Settings[Any], *, has_gpu_pool: bool) -> str:
    """Choose the pool: ``"gpu"`` for settings that touch the devices of a real machine."""
    machine = getattr(settings, "machine", None)
    is_real = isinstance(machine, Machine) and machine.kind == MachineKind.REAL
    return "gpu" if has_gpu_pool and is_real and settings.uses_hardware else "cpu"


def _stop_pools(pools: "dict[str, WorkerPool]") -> None:
    if not pools:
        return
    stopping = [threading.Thread(target=pool.stop, name="pool-stopping") for pool in pools.values()]
    for thread in stopping:
        thread.start()
    for thread in stopping:
        thread.join()
    pools.clear()
    start_method.release_fork_server()


# -- in this process, for tests -------------------------------------------------------------------

_inline_lock = threading.RLock()  # one at a time, as in a worker: they share torch's global state
_inline_depth = 0


@contextmanager
def running_inline() -> Iterator[None]:
    """Within it ``compute.run`` executes in this process: no worker, no queue, no cache, no limit.

    It holds for all threads, since a page under test runs in a thread of its own.
    """
    global _inline_depth
    with _inline_lock:
        _inline_depth += 1
    try:
        yield
    finally:
        with _inline_lock:
            _inline_depth -= 1


def is_inline() -> bool:
    """Return whether experiments run in this process now."""
    return _inline_depth > 0


def run_inline(settings: Settings[Any], report: Callable[[Any], None] | None = None) -> Any:
    """Execute an experiment here and put torch's global state back; its errors are not wrapped.

    Args:
        settings: The experiment's.
        report: Takes its progress, where it has any.
    """
    worker = importlib.import_module(WORKER_MODULE)
    with _inline_lock:
        return worker.run_preserved(settings, report)
