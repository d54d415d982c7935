"""Experiments run in worker processes; importing this package loads no torch.

``run(settings)`` calls ``settings.experiment()`` in a worker and returns its report;
``stream(settings)`` also passes on its progress. A ``Runner`` takes each call through the
``ReportCache``, the queue of measurements and a ``WorkerPool`` with its ``FairQueue`` to a
``WorkerSupervisor``, whose worker, a process, executes it and puts torch's global state back.

There are two pools. The CPU pool's workers are forked from a server that has torch loaded; the GPU
pool's are spawned, each with a ``GpuQuota``. Where the operator names a Ray cluster, the runner
uses the pools of the optional package ``compute.cluster`` instead.
"""

from collections.abc import Callable
from typing import TypeVar

from playground.compute.runner import Runner, running_inline
from playground.compute.settings import (
    Settings,
    check_bounds,
    check_choice,
    check_length,
    check_within,
)
from playground.compute.status import ComputeStatus, PoolStatus
from playground.compute.streaming import (
    Callbacks,
    ProgressCallback,
    Stream,
    StreamSettings,
    ignore_progress,
)

__all__ = [
    "ComputeStatus",
    "PoolStatus",
    "ProgressCallback",
    "Settings",
    "Stream",
    "StreamSettings",
    "check_bounds",
    "check_choice",
    "check_length",
    "check_within",
    "count_gpus",
    "ignore_progress",
    "run",
    "running_inline",
    "start",
    "status",
    "stop",
    "stream",
]

ReportT = TypeVar("ReportT")
ProgressT = TypeVar("ProgressT")
_runner = Runner()


def start(cluster_address: str = "") -> None:
    """Begin to start the workers and return at once; a second call does nothing.

    Args:
        cluster_address: ``host:port`` of the head of a Ray cluster, of which this computer is a
            node: then the workers run on its nodes. Empty: they are processes of this computer.
    """
    _runner.start(cluster_address)


def stop() -> None:
    """End all workers; safe to call twice, and before ``start``."""
    _runner.stop()


def status() -> ComputeStatus:
    """Return what each pool is doing, for pages and a health route."""
    return _runner.status()


def count_gpus() -> int:
    """Return how many CUDA devices an experiment on the real machine may use; loads no torch.

    On a cluster each experiment has one GPU to itself.
    """
    return _runner.count_gpus()


def run(
    settings: Settings[ReportT],
    timeout: float | None = None,
    on_wait: Callable[[int], None] | None = None,
    on_run: Callable[[float], None] | None = None,
) -> ReportT:
    """Run the experiment that belongs to the settings, and return its report.

    Args:
        settings: A settings record of a lesson.
        timeout: Seconds that the experiment may take once it runs; waiting in the queue does not
            count. ``settings.timeout_seconds`` unless given.
        on_wait: Called from this thread with the place in the queue (1 is next, 0 while no worker
            has started), a few times a second while the experiment waits. An exception that it
            raises leaves the queue and propagates.
        on_run: Called likewise while the experiment runs, with the seconds that it has run. An
            exception that it raises ends the experiment and propagates.

    Raises:
        PlaygroundError: Errors of this family that the experiment raised, unchanged.
        ExperimentTimedOutError: ``timed_out``: it ran past its limit and was killed.
        ExperimentCrashedError: ``crashed``: its worker died. ``failed``: it raised any other error.
        QueueFullError: ``queue_full``: too many experiments wait already.
        ComputeUnavailableError: ``compute_unavailable``: there are no workers.
    """
    return _runner.run(settings, timeout, Callbacks(on_wait, on_run))


def stream(
    settings: StreamSettings[ReportT, ProgressT],
    timeout: float | None = None,
    on_wait: Callable[[int], None] | None = None,
    on_run: Callable[[float], None] | None = None,
) -> Stream[ReportT, ProgressT]:
    """Run the experiment that belongs to the settings, and read its progress.

    ``for progress in stream: ...`` reads the progress, ``stream.report`` is the report afterwards.
    A cached report comes without progress. To stop the experiment, close the stream or leave its
    ``with``; an unreferenced stream is closed, too.

    Args:
        settings: A settings record of a lesson.
        timeout: As in ``run``.
        on_wait: Called from the thread that reads, with the place in the queue, a few times a
            second while the experiment waits. An exception stops it and propagates.
        on_run: Called likewise while it runs and reports nothing new.

    Raises:
        PlaygroundError: From the iterator: what ``run`` raises.
    """
    return _runner.stream(settings, timeout, Callbacks(on_wait, on_run))
