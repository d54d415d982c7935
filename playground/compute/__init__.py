"""Experiments run in worker processes; importing this package loads no torch.

``run(settings)`` finds the experiment that belongs to the settings, lets a worker execute it and
returns the report; ``stream(settings)`` does so with its progress. Where the work runs is known
here only.
"""

from collections.abc import Callable
from typing import TypeVar

from playground.compute.inline import running_inline
from playground.compute.outcome import Outcome, attempt
from playground.compute.progress import Progress
from playground.compute.runner import Runner
from playground.compute.settings import (
    Settings,
    check_bounds,
    check_choice,
    check_length,
    check_within,
)
from playground.compute.status import ComputeStatus, LaneStatus
from playground.compute.streaming import Stream, StreamSettings, Tell, tell_nobody

__all__ = [
    "ComputeStatus",
    "LaneStatus",
    "Outcome",
    "Settings",
    "Stream",
    "StreamSettings",
    "Tell",
    "attempt",
    "check_bounds",
    "check_choice",
    "check_length",
    "check_within",
    "count_gpus",
    "run",
    "running_inline",
    "start",
    "status",
    "stop",
    "stream",
    "tell_nobody",
]

ReportT = TypeVar("ReportT")
ProgressT = TypeVar("ProgressT")
_runner = Runner()


def start(cluster_address: str = "", after: Callable[[], object] | None = None) -> None:
    """Begin to start the workers and return at once; a second call does nothing.

    Args:
        cluster_address: ``host:port`` of the head of a Ray cluster, of which this computer is a
            node: then the workers sit on its nodes. Empty: they are processes of this computer.
        after: Waits, in a thread of its own, for the moment to start them. An experiment that is
            run before starts them at once.
    """
    _runner.start(cluster_address, after)


def stop() -> None:
    """End all workers; safe to call twice, and before ``start``."""
    _runner.stop()


def status() -> ComputeStatus:
    """Say what each lane is doing, for pages and a health route."""
    return _runner.status()


def count_gpus() -> int:
    """How many CUDA devices an experiment on the real machine may use; loads no torch.

    Of a cluster's GPUs each experiment has one to itself.
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
            has started), a few times a second while the experiment waits. What it raises leaves the
            queue and comes through.
        on_run: Called likewise while the experiment runs, with the seconds that it has run. What
            it raises ends the experiment and comes through.

    Raises:
        PlaygroundError: Whatever the experiment raised of this family, as it was.
        ExperimentTimedOutError: ``timed_out``: it ran past its limit and was killed.
        ExperimentCrashedError: ``crashed``: its worker died. ``failed``: it raised any other error.
        QueueFullError: ``queue_full``: too many experiments wait already.
        ComputeUnavailableError: ``compute_unavailable``: there are no workers.
    """
    return _runner.run(settings, timeout, Progress(on_wait, on_run))


def stream(
    settings: StreamSettings[ReportT, ProgressT],
    timeout: float | None = None,
    on_wait: Callable[[int], None] | None = None,
    on_run: Callable[[float], None] | None = None,
) -> Stream[ReportT, ProgressT]:
    """Run the experiment that belongs to the settings, and hear how far it is.

    ``for progress in stream: ...`` reads what it tells, ``stream.report`` is its report afterwards.
    A report that is kept from an earlier run comes without progress. To stop the experiment, close
    the stream or leave its ``with``; an iterator that is forgotten is closed, too.

    Args:
        settings: A settings record of a lesson.
        timeout: As in ``run``.
        on_wait: Called from the thread that reads, with the place in the queue, a few times a
            second while the experiment waits. What it raises stops it and comes through.
        on_run: Called likewise while it runs and tells nothing new.

    Raises:
        PlaygroundError: From the iterator: what ``run`` raises.
    """
    return _runner.stream(settings, timeout, Progress(on_wait, on_run))
