"""Supervisor of one worker, which runs in a pebble pool of one, replaced whole when it breaks.

One pool per worker, since the workers of one pool share a pipe and its lock: a worker that dies
while it holds the lock, or that dies idle, breaks the pool for all of them.
"""

import itertools
import logging
import threading
import time
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from typing import Any, TypeVar

from pebble import CONSTS, ProcessExpired, ProcessPool

from playground.compute import worker_process
from playground.compute.gpu_quota import GpuQuota, GpuUnusableError
from playground.compute.streaming import NO_CALLBACKS, Callbacks
from playground.compute.worker_process import Result, ServerChannel

T = TypeVar("T")
CHECK_SECONDS = 0.25  # between two checks for a lost worker or a closed supervisor
RECEIVE_SECONDS = 0.05  # the same, where the worker reports progress
STOP_TIMEOUT_SECONDS = 0.4  # for a worker that was asked to stop a run
KILL_TIMEOUT_SECONDS = 10.0  # pebble kills a late task itself; after this the pool counts as broken
MAX_ATTEMPTS = 3
CONSTS.term_timeout = 0.5  # pebble waits so long before SIGKILL; our workers obey SIGTERM at once
_log = logging.getLogger(__name__)


class WorkerTimedOutError(Exception):
    """The task ran past its limit, and its worker was killed."""


class WorkerDiedError(Exception):
    """The worker ended in the middle of a task; ``exit_code`` is negative for a signal."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


class CallerLeftError(Exception):
    """Wraps an exception of the caller's own callback, so that it is not taken for pebble's.

    Attributes:
        reason: The exception.
        is_worker_free: The worker obeyed, stopped the task, and can take the next one.
    """

    def __init__(self, reason: BaseException, *, is_worker_free: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_worker_free = is_worker_free


class SupervisorClosedError(Exception):
    """The supervisor was closed while a task waited for its result."""


# ImportError: a system without semaphores.
_START_FAILURES = (OSError, RuntimeError, ImportError, WorkerTimedOutError, WorkerDiedError)


class WorkerSupervisor:
    """Keeps one worker alive and gives it one task at a time.

    Args:
        context: How its process is started.
        hides_cuda: The process must see no GPU.
        boot_seconds: How long a worker may take until it answers.
        quota: Its share of the GPUs, where it sees them.
    """

    def __init__(
        self,
        context: BaseContext,
        *,
        hides_cuda: bool,
        boot_seconds: float,
        quota: GpuQuota | None = None,
    ) -> None:
        self._context = context
        self._quota = None if hides_cuda else quota or GpuQuota()
        self._boot_seconds = boot_seconds
        self._lock = threading.Lock()
        self._pool: ProcessPool | None = None
        self._worker: worker_process.PoolWorker | None = None
        self._channel: ServerChannel | None = None
        self._runs = itertools.count(1)
        self._is_closed = False
        self._pid = 0
        self._task = 0
        self._latest_task: Any = None  # shared with the worker: the task it began last

    def open(self) -> bool:
        """Make sure that a worker answers; replace the pool if it does not.

        Returns:
            Whether one does. False also when the supervisor was closed meanwhile.
        """
        for _ in range(MAX_ATTEMPTS):
            is_fresh = self._pool is None
            try:
                self._pid = 0
                self._pid = self._wait_for(
                    self._schedule(worker_process.check_ready, (), None),
                    self._boot_seconds,
                    NO_CALLBACKS,
                )
            except SupervisorClosedError:
                return False
            except _START_FAILURES as error:
                _log.warning("a worker did not start: %r", error)
                self._discard()
                if is_fresh and isinstance(error, GpuUnusableError):
                    return False  # the next process would meet the same GPU
            else:
                return True
        return False

    def run(self, pickled_settings: bytes, timeout: float, callbacks: Callbacks) -> Result:
        """Let the worker execute an experiment. Only a task that never began is tried again.

        Raises:
            WorkerTimedOutError: The worker was killed after ``timeout`` seconds.
            WorkerDiedError: The worker died.
            SupervisorClosedError: The supervisor was closed.
            CallerLeftError: A callback raised.
        """
        for is_last in (False, True):
            run = next(self._runs) if callbacks.on_progress else 0
            if self._channel is not None:
                self._channel.discard_unread()
            self._task += 1
            if worker := self._worker:
                worker.hold()
                self._pid = worker.pid or self._pid  # pebble may have replaced an idle one
            try:
                work = (pickled_settings, run, self._task)
                future = self._schedule(worker_process.execute, work, timeout)
                result: Result = self._wait_for(
                    future, timeout + KILL_TIMEOUT_SECONDS, callbacks, run
                )
            except (BrokenProcessPool, RuntimeError, OSError) as error:
                self._recover(error, is_last=is_last)
            except (WorkerTimedOutError, WorkerDiedError, SupervisorClosedError, CallerLeftError):
                raise
            except BaseException:  # Ctrl-C
                self._discard()
                raise
            else:
                return result
        raise AssertionError("unreachable")

    def close(self) -> None:
        """End the worker; the supervisor cannot be used again."""
        with self._lock:
            self._is_closed = True
        self._discard(waits=True)

    def _recover(self, error: Exception, *, is_last: bool) -> None:
        """Get another worker for a task that never began, or raise ``WorkerDiedError``."""
        if self._is_closed:
            raise SupervisorClosedError from None
        if isinstance(error, ProcessExpired):
            exit_code, is_replaced = error.exitcode, True
        else:  # Pebble gives none where it sees a death before it has read that the task began.
            exit_code, is_replaced = self._worker.exit_code if self._worker else None, False
        if not is_replaced or not self._has_begun():
            self._discard(waits=True)  # what has not begun cannot begin now
        if is_last or self._has_begun():
            raise WorkerDiedError(exit_code) from None
        _log.warning("a worker was lost before it began a task: %r", error)
        if not self.open():
            raise WorkerDiedError(None) from None

    def _schedule(self, function: Any, args: tuple[Any, ...], timeout: float | None) -> Future[Any]:
        with self._lock:
            if self._is_closed:
                raise SupervisorClosedError
            if self._pool is None:
                if self._latest_task is None:
                    self._latest_task = self._context.RawValue("Q", 0)
                self._channel = ServerChannel()
                self._worker = worker_process.PoolWorker(self._context)
                self._pool = ProcessPool(
                    max_workers=1,
                    initializer=worker_process.prepare,
                    initargs=(self._quota, self._channel.worker_socket, self._latest_task),
                    context=self._worker.context,
                )
            # The first call starts the process, within the lock: a closed supervisor leaves none.
            future: Future[Any] = self._pool.schedule(function, args=args, timeout=timeout)
            return future

    # -- waiting for a task -----------------------------------------------------------------------

    def _wait_for(self, future: Future[T], timeout: float, callbacks: Callbacks, run: int = 0) -> T:
        """Wait for the result of a task; the timeout counts from its beginning."""
        latest = None
        begun = time.monotonic()
        lost_at = None
        try:
            while True:
                has_ended = self._has_ended(future, callbacks, run)
                if worker := self._worker:
                    worker.hold()  # also at the end: another process may have begun in between
                if has_ended:
                    return _get_result(future)
                if self._is_closed:
                    raise SupervisorClosedError
                now = time.monotonic()
                loss, grace = self._find_loss()
                lost_at = (lost_at or now) if loss else None
                if loss and lost_at and now - lost_at >= grace:  # pebble missed it
                    self._discard()
                    raise loss
                if latest is None and future.running():
                    begun, latest = now, now + timeout
                if now > (latest or begun + self._boot_seconds + timeout):
                    raise BrokenProcessPool("no answer")
                try:
                    callbacks.report_run(now - begun)
                except BaseException as reason:  # noqa: BLE001 - it is raised again, unwrapped
                    raise self._abandon(future, run, reason) from None
        finally:
            if not future.done():
                future.cancel()  # pebble ends the worker of a cancelled task

    def _has_ended(self, future: Future[Any], callbacks: Callbacks, run: int) -> bool:
        """Wait a little for the end of a task; pass on all its progress before that."""
        while not self._pass_progress(future, callbacks, run):
            if not future.done():
                return False
        wait([future], CHECK_SECONDS)
        return future.done()

    def _pass_progress(self, future: Future[Any], callbacks: Callbacks, run: int) -> bool:
        """Pass on the worker's records; return whether no record can follow."""
        channel = self._channel
        if not run or channel is None:
            return True
        is_done = future.done()  # asked first: the records of a finished task are all there by now
        records, is_over = channel.receive(run, 0 if is_done else RECEIVE_SECONDS)
        try:
            for record in records:
                callbacks.report_progress(record)
        except BaseException as reason:  # noqa: BLE001 - it is raised again, unwrapped
            raise self._abandon(future, run, reason) from None
        return is_over or is_done

    def _abandon(self, future: Future[Any], run: int, reason: BaseException) -> CallerLeftError:
        """Free the worker from a task without a caller: it stops the task, or it is replaced."""
        channel = self._channel
        if run and channel is not None:
            channel.request_stop(run)
            latest = time.monotonic() + STOP_TIMEOUT_SECONDS
            while not future.done() and time.monotonic() < latest:
                _, is_over = channel.receive(run, RECEIVE_SECONDS)
                wait([future], CHECK_SECONDS if is_over else 0)
        is_free = future.done() and not future.cancelled() and future.exception() is None
        if not is_free:
            self._discard()
        return CallerLeftError(reason, is_worker_free=is_free)

    def _find_loss(self) -> tuple[Exception | None, float]:
        """Return the error of a lost worker, and how many seconds pebble has to report it first."""
        if self._pool is not None and not self._pool.active:
            # Pebble may forget a task that came while its last worker failed to start.
            return BrokenProcessPool("no worker will take the task"), CHECK_SECONDS
        if not worker_process.is_gone(self._pid):
            return None, 0
        # Pebble reports a death, perhaps late; of exit code 0, it only starts another worker.
        if self._worker is not None and self._worker.pid != self._pid:
            return WorkerDiedError(0), CHECK_SECONDS
        return WorkerDiedError(None), KILL_TIMEOUT_SECONDS

    def _has_begun(self) -> bool:
        return self._latest_task is not None and self._latest_task.value == self._task

    def _discard(self, *, waits: bool = False) -> None:
        with self._lock:
            pool, self._pool = self._pool, None
            channel, self._channel = self._channel, None
            worker, self._worker = self._worker, None
            self._pid = 0
        if pool is None or channel is None or worker is None:
            return
        pool.stop()  # type: ignore[no-untyped-call]
        worker.kill()  # pebble asks first

        def end() -> None:
            pool.join()
            channel.close()  # not before: the pool may just be starting a worker with it
            worker.kill()

        closing = threading.Thread(target=end, name="pool-shutdown", daemon=True)
        closing.start()
        if waits:
            closing.join(KILL_TIMEOUT_SECONDS)


def _get_result(future: Future[T]) -> T:
    try:
        return future.result()
    except TimeoutError:
        raise WorkerTimedOutError from None
