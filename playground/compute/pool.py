"""Pool of workers with one bounded queue before it. It carries bytes and knows no settings."""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from multiprocessing.context import BaseContext
from typing import Protocol

from playground.compute.fair_queue import FairQueue
from playground.compute.gpu_quota import CONTEXT_LOST, GpuQuota
from playground.compute.status import UNAVAILABLE, PoolStatus
from playground.compute.streaming import Callbacks
from playground.compute.worker_process import Result
from playground.compute.worker_supervisor import (
    CallerLeftError,
    SupervisorClosedError,
    WorkerDiedError,
    WorkerSupervisor,
    WorkerTimedOutError,
)
from playground.errors import (
    ComputeUnavailableError,
    ExperimentCrashedError,
    ExperimentTimedOutError,
)

MAX_WAITING = 256
BOOT_SECONDS = 120.0  # torch from a cold disk, on a busy computer
RETRY_SECONDS = 15.0  # between attempts to start workers that did not start
_log = logging.getLogger(__name__)


class Supervisor(Protocol):
    """Interface of a worker's supervisor, wherever the worker runs; see ``WorkerSupervisor``."""

    def open(self) -> bool:
        """Make sure that a worker answers; return False if none does."""

    def run(self, pickled_settings: bytes, timeout: float, callbacks: Callbacks) -> Result:
        """Execute an experiment."""

    def close(self) -> None:
        """End the worker; the supervisor cannot be used again."""


class WorkerPool:
    """Runs experiments on several workers, in the order of their arrival.

    Args:
        name: ``"cpu"`` or ``"gpu"``.
        workers: How many.
        context: How their processes are started.
        hides_cuda: They must see no GPU.
        max_waiting: How many experiments may wait.
        boot_seconds: How long a worker may take to start.
    """

    def __init__(
        self,
        name: str,
        *,
        workers: int,
        context: BaseContext,
        hides_cuda: bool,
        max_waiting: int = MAX_WAITING,
        boot_seconds: float = BOOT_SECONDS,
    ) -> None:
        self.name = name
        self.unavailable = UNAVAILABLE
        self._context = context
        self._boot_seconds = boot_seconds
        self._hides_cuda = hides_cuda
        self._queue: FairQueue[Supervisor] = FairQueue(max_waiting=max_waiting)
        self._lock = self._queue.changed
        self._supervisors: list[Supervisor] = [self._make_supervisor() for _ in range(workers)]
        self._without_worker: list[Supervisor] = []  # their workers did not start
        self._opening = self._crashes = self._timeouts = self._losses = 0
        self._problem = ""
        self._failed_at = self._idle_since = time.monotonic()
        self._is_stopped = False

    def start(self) -> None:
        """Start the workers, each from a thread of its own, and return at once."""
        self._idle_since = time.monotonic()
        for supervisor in self._supervisors:
            self._open(supervisor)

    def stop(self) -> None:
        """End the workers; experiments that wait fail as unavailable."""
        with self._lock:
            self._is_stopped = True
            supervisors = {*self._supervisors, *self._queue.busy}
            self._queue.free.clear()
        for thread in close_all(supervisors):
            thread.join()

    def run(self, pickled_settings: bytes, timeout: float, callbacks: Callbacks) -> Result:
        """Wait for a worker and let it execute an experiment.

        Raises:
            PlaygroundError: See ``compute.run``; the experiment's own errors are returned.
        """
        supervisor = self._acquire(callbacks, is_exclusive=self._is_exclusive(pickled_settings))
        is_usable = False
        try:
            result = supervisor.run(pickled_settings, timeout, callbacks)
            is_usable = True
        except WorkerTimedOutError:
            with self._lock:
                self._timeouts += 1
            raise ExperimentTimedOutError("timed_out", seconds=timeout) from None
        except WorkerDiedError as error:
            self._note_death(is_loss=error.exit_code == CONTEXT_LOST)
            _log.error("a worker of the %s pool died, exit code %s", self.name, error.exit_code)
            key = "gpu_lost" if error.exit_code == CONTEXT_LOST else "crashed"
            raise ExperimentCrashedError(key, exit_code=error.exit_code) from None
        except SupervisorClosedError:
            raise ComputeUnavailableError(self.unavailable, pool=self.name) from None
        except CallerLeftError as left:
            is_usable = left.is_worker_free
            raise left.reason from None
        else:
            return result
        finally:
            self._release(supervisor, is_usable=is_usable)

    def status(self) -> PoolStatus:
        """Return what the pool is doing."""
        with self._lock:
            problem = self._find_problem()
            workers = len(self._queue.free) + len(self._queue.busy)
            return PoolStatus(
                name=self.name,
                workers=workers,
                is_ready=bool(workers) and not problem,
                waiting=self._queue.waiting,
                running=len(self._queue.busy),
                crashes=self._crashes,
                timeouts=self._timeouts,
                losses=self._losses,
                problem=problem,
                retry_seconds=self._retry_seconds(),
            )

    @property
    def exists(self) -> bool:
        """True if there is hardware for the pool, as far as is known by now."""
        return True

    @property
    def is_open(self) -> bool:
        """True if it takes experiments, or will once it has started."""
        with self._lock:
            return not self._find_problem()

    # -- for subclasses ---------------------------------------------------------------------------

    def _make_supervisor(self, quota: GpuQuota | None = None) -> Supervisor:
        return WorkerSupervisor(
            self._context,
            hides_cuda=self._hides_cuda,
            boot_seconds=self._boot_seconds,
            quota=quota,
        )

    def _is_exclusive(self, pickled_settings: bytes) -> bool:  # noqa: ARG002 - subclasses read it
        """Return whether no other worker of the pool may run beside this experiment."""
        return False

    def _retry_seconds(self) -> float | None:
        """Return how long until a pool with a problem is tried again, if that is known."""
        return None

    def _note_death(self, *, is_loss: bool) -> None:
        """Count a worker that died; ``is_loss``: of a CUDA context that was lost."""
        with self._lock:
            self._crashes += 1
            self._losses += is_loss

    def _find_problem(self) -> str:
        """Return the text key of what keeps the pool from working; call it with the lock."""
        return self._problem or (self.unavailable if self._is_overdue() else "")

    def _fail(self) -> None:
        """Note that there is no worker; call it with the lock."""
        _log.error("the %s pool has no worker", self.name)
        self._problem = self.unavailable

    def _revive(self) -> None:
        """Retry workers that did not start, after a while; call it with the lock."""
        if self._without_worker and time.monotonic() - self._failed_at > RETRY_SECONDS:
            self._problem = ""
            self._idle_since = time.monotonic()
            supervisors, self._without_worker = self._without_worker, []
            for supervisor in supervisors:
                self._open(supervisor)

    def _release(self, supervisor: Supervisor, *, is_usable: bool) -> None:
        with self._lock:
            self._idle_since = time.monotonic()
            is_retired = supervisor not in self._supervisors
            is_reusable = is_usable and not (is_retired or self._is_stopped)
            self._queue.release(supervisor, is_reusable=is_reusable)
        if is_retired:
            close_all([supervisor])
        elif not is_usable:
            self._open(supervisor)

    def _reopen_free(self, choose: Callable[[list[Supervisor]], list[Supervisor]]) -> None:
        """Take some of the free supervisors out of service until their workers have answered."""
        with self._lock:
            chosen = choose(self._queue.free)
            for supervisor in chosen:
                self._queue.free.remove(supervisor)
                self._idle_since = time.monotonic()  # until now there was a worker
        for supervisor in chosen:
            self._open(supervisor)

    # -- the rest is private ----------------------------------------------------------------------

    def _acquire(self, callbacks: Callbacks, *, is_exclusive: bool) -> Supervisor:
        def on_wait(place: int) -> None:
            with self._lock:
                self._check_open()
                is_starting = not (self._queue.free or self._queue.busy)
            callbacks.report_wait(0 if is_starting else place)

        with self._lock:
            self._revive()
            self._check_open()
        return self._queue.acquire(on_wait, is_exclusive=is_exclusive)

    def _check_open(self) -> None:
        if self._is_stopped or self._find_problem():
            raise ComputeUnavailableError(self.unavailable, pool=self.name)

    def _is_overdue(self) -> bool:
        """Return whether workers have been starting for so long that waiting makes no sense."""
        if self._queue.free or self._queue.busy:
            self._idle_since = time.monotonic()
        return time.monotonic() - self._idle_since > self._boot_seconds

    def _open(self, supervisor: Supervisor) -> None:
        """Let the supervisor start its worker, in a thread of its own."""
        with self._lock:
            if self._is_stopped:
                return
            self._opening += 1
        threading.Thread(
            target=self._finish_opening, args=(supervisor,), name="worker-opening", daemon=True
        ).start()

    def _finish_opening(self, supervisor: Supervisor) -> None:
        is_open = supervisor.open()
        with self._lock:
            self._opening -= 1
            is_retired = supervisor not in self._supervisors
            if is_retired or self._is_stopped:
                pass
            elif is_open:
                self._queue.add(supervisor)
                self._problem = ""
            else:
                self._without_worker.append(supervisor)
                self._failed_at = time.monotonic()
                if not (self._opening or self._queue.free or self._queue.busy):
                    self._fail()
        if is_retired:
            supervisor.close()


def close_all(supervisors: Iterable[Supervisor]) -> list[threading.Thread]:
    """Begin to end the workers of some supervisors, all at once."""
    closing = [
        threading.Thread(target=supervisor.close, name="worker-closing")
        for supervisor in supervisors
    ]
    for thread in closing:
        thread.start()
    return closing
