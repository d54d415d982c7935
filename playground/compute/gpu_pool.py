"""Pool of workers that share the GPUs, and that closes for a while when the GPUs fail.

Its size follows the GPUs' memory. While it is closed, the runner sends its experiments to the CPU.
"""

import logging
import pickle
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.context import BaseContext

from playground.compute import gpu_quota
from playground.compute.gpu_quota import GpuQuota
from playground.compute.pool import BOOT_SECONDS, Supervisor, WorkerPool, close_all
from playground.compute.status import GPU

UNAVAILABLE = "gpu_unavailable"
MAX_LOSSES = 3  # lost contexts without a good experiment between them: the GPU is to blame
CHECK_SECONDS = 15.0  # interval at which an idle worker is asked whether its GPUs still compute
MIN_BACKOFF_SECONDS = 30.0
MAX_BACKOFF_SECONDS = 600.0
_log = logging.getLogger(__name__)


class Backoff:
    """Exponential backoff between retries.

    Args:
        min_seconds: The first delay.
        max_seconds: Each further delay is twice as long, up to this.
        clock: Returns the time in seconds.
    """

    def __init__(
        self,
        min_seconds: float,
        max_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._min_seconds = min_seconds
        self._max_seconds = max_seconds
        self._clock = clock
        self._until = 0.0
        self._next_seconds = min_seconds

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._until - self._clock())

    def begin(self) -> None:
        """Begin a delay after a failure."""
        self._until = self._clock() + self._next_seconds
        self._next_seconds = min(2 * self._next_seconds, self._max_seconds)

    def reset(self) -> None:
        """Make the next delay a short one again, after a success."""
        self._next_seconds = self._min_seconds


class GpuPool(WorkerPool):
    """Workers that share the GPUs.

    Args:
        context: How their processes are started; CUDA does not allow a fork of a process that has
            used it.
        plan: Returns the quota of each worker, and so their number. Called at each start.
        backoff: Between a failure and the next attempt.
        check_seconds: How often idle workers are checked, and the end of the backoff.
        boot_seconds: How long a worker may take to start.
    """

    def __init__(
        self,
        context: BaseContext,
        *,
        plan: Callable[[], Sequence[GpuQuota]] = gpu_quota.plan_quotas,
        backoff: Backoff | None = None,
        check_seconds: float = CHECK_SECONDS,
        boot_seconds: float = BOOT_SECONDS,
    ) -> None:
        super().__init__(
            GPU, workers=0, context=context, hides_cuda=False, boot_seconds=boot_seconds
        )
        self.unavailable = UNAVAILABLE
        self._plan = plan
        self._backoff = backoff or Backoff(MIN_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS)
        self._check_seconds = check_seconds
        self._losses_in_a_row = 0
        self._stop_event = threading.Event()

    def start(self) -> None:
        """Plan and start the workers from a thread of its own, and return at once."""
        super().start()
        threading.Thread(target=self._watch, name="gpu-pool", daemon=True).start()

    def stop(self) -> None:
        """End all workers."""
        self._stop_event.set()
        super().stop()

    def check(self) -> None:
        """Retry after the backoff; otherwise let the GPUs of an idle worker compute once."""
        with self._lock:
            if self._is_stopped or self._queue.is_exclusive or self._queue.waiting:
                return
            has_problem = bool(self._problem)
            is_due = has_problem and not self._opening and not self._backoff.seconds_left
            if not has_problem:
                self._reopen_free(lambda free: free[:1])
        if is_due:
            self._start_workers()

    def _watch(self) -> None:
        self._start_workers()
        while not self._stop_event.wait(self._check_seconds):
            self.check()

    def _start_workers(self) -> None:
        """Start as many workers as the GPUs have room for now."""
        try:
            quotas = self._plan()
        except Exception:  # noqa: BLE001 - without this thread they would never be tried again
            _log.exception("the GPUs cannot be read")
            quotas = ()
        with self._lock:
            if self._is_stopped:
                return
            self._without_worker.clear()
            self._supervisors = [self._make_supervisor(quota) for quota in quotas]
            for supervisor in self._supervisors:
                self._open(supervisor)
            if not self._supervisors:
                self._fail()

    def _fail(self) -> None:
        super()._fail()
        self._backoff.begin()
        _log.error("the GPUs are tried again in %.0f s", self._backoff.seconds_left)

    def _revive(self) -> None:
        if not self._problem:  # otherwise ``check`` does it, and no experiment waits for that
            super()._revive()

    def _is_exclusive(self, pickled_settings: bytes) -> bool:
        """Return whether it is a measurement: its neighbours would use the same GPU."""
        return bool(pickle.loads(pickled_settings).measures)  # noqa: S301 - this process wrote it

    def _retry_seconds(self) -> float | None:
        return self._backoff.seconds_left if self._problem else None

    def _note_death(self, *, is_loss: bool) -> None:
        super()._note_death(is_loss=is_loss)
        with self._lock:
            self._losses_in_a_row += is_loss
            if self._losses_in_a_row >= MAX_LOSSES and not self._problem:
                self._losses_in_a_row = 0
                self._retire()

    def _release(self, supervisor: Supervisor, *, is_usable: bool) -> None:
        if is_usable:
            self._losses_in_a_row = 0
            self._backoff.reset()
        super()._release(supervisor, is_usable=is_usable)

    def _retire(self) -> None:
        """End the workers, those that run an experiment after it; call it with the lock."""
        idle = list(self._queue.free)
        self._queue.free.clear()
        self._supervisors = []
        self._without_worker.clear()
        self._fail()
        close_all(idle)
