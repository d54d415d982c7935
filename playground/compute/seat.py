"""A place for one worker: a pebble pool of one, which is replaced whole when it breaks.

One pool per worker, since the workers of one pool share a pipe and its lock: a worker that dies
while it holds the lock, or that dies idle, breaks the pool for all of them.
"""

import copy
import itertools
import logging
import os
import threading
import time
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from pebble import CONSTS, ProcessExpired, ProcessPool

from playground.compute import task
from playground.compute.answer import Answer
from playground.compute.channel import WebEnd
from playground.compute.gpu_share import GpuShare, GpuUnusableError
from playground.compute.progress import SILENT, Progress

T = TypeVar("T")
LOOK_SECONDS = 0.25  # how often a caller that waits looks whether worker and seat are still there
HEAR_SECONDS = 0.05  # the same, where the worker tells its progress
POLITE_SECONDS = 0.4  # how long a worker may take to obey when it is asked to end a task
GRACE_SECONDS = 10.0  # pebble kills a late task itself; this long after, the pool counts as broken
TRIES = 3
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
    """Wraps what the caller's own function raised, so that it is not taken for pebble's.

    Attributes:
        reason: What it raised.
        is_worker_free: The worker obeyed, ended the task, and can take the next one.
    """

    def __init__(self, reason: BaseException, *, is_worker_free: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_worker_free = is_worker_free


# ImportError: a system without semaphores.
_START_FAILURES = (OSError, RuntimeError, ImportError, WorkerTimedOutError, WorkerDiedError)


class SeatClosedError(Exception):
    """The seat was closed while a task waited for its answer."""


class Seat:
    """One worker, kept alive.

    Args:
        context: How its process is started.
        hides_cuda: The process must see no GPU.
        boot_seconds: How long a worker may take until it answers.
        share: What it may take of the GPUs, where it sees them.
    """

    def __init__(
        self,
        context: BaseContext,
        *,
        hides_cuda: bool,
        boot_seconds: float,
        share: GpuShare | None = None,
    ) -> None:
        own: Any = copy.copy(context)
        self._make_process, own.Process = own.Process, self._make_worker
        self._context: BaseContext = own
        self._share = None if hides_cuda else share or GpuShare()
        self._boot_seconds = boot_seconds
        self._lock = threading.Lock()
        self._pool: ProcessPool | None = None
        self._worker: BaseProcess | None = None
        self._channel: WebEnd | None = None
        self._runs = itertools.count(1)
        self._is_closed = False
        self._pid = 0
        self._ticket = 0
        self._latest: Any = None  # shared with the worker: the ticket of the task it began last

    def open(self) -> bool:
        """Make sure that a worker answers; replace the pool if it does not.

        Returns:
            Whether one does. False also when the seat was closed meanwhile.
        """
        for _ in range(TRIES):
            is_fresh = self._pool is None
            try:
                self._pid = 0
                self._pid = self._await(
                    self._schedule(task.say_ready, (), None), self._boot_seconds, SILENT
                )
            except SeatClosedError:
                return False
            except _START_FAILURES as error:
                _log.warning("a worker did not start: %r", error)
                self._discard()
                if is_fresh and isinstance(error, GpuUnusableError):
                    return False  # the next process would meet the same GPU
            else:
                return True
        return False

    def run(self, pickled_settings: bytes, timeout: float, progress: Progress) -> Answer:
        """Let the worker execute an experiment, once: only what never began is tried again.

        Raises:
            WorkerTimedOutError: It was killed after ``timeout`` seconds.
            WorkerDiedError: It died.
            SeatClosedError: The seat was closed.
            CallerLeftError: A function of the caller raised.
        """
        for is_last in (False, True):
            run = next(self._runs) if progress.on_tell else 0
            if self._channel is not None:
                self._channel.empty()
            self._ticket += 1
            try:
                work = (pickled_settings, run, self._ticket)
                future = self._schedule(task.execute, work, timeout)
                answer: Answer = self._await(future, timeout + GRACE_SECONDS, progress, run)
            except (BrokenProcessPool, RuntimeError, OSError) as error:
                self._recover(error, is_last=is_last)
            except (WorkerTimedOutError, WorkerDiedError, SeatClosedError, CallerLeftError):
                raise
            except BaseException:  # Ctrl-C
                self._discard()
                raise
            else:
                return answer
        raise AssertionError("unreachable")

    def close(self) -> None:
        """End the worker; the seat cannot be used again."""
        with self._lock:
            self._is_closed = True
        self._discard(waits=True)

    def _recover(self, error: Exception, *, is_last: bool) -> None:
        """Get another worker for a task that never began, or raise what became of the task."""
        if self._is_closed:
            raise SeatClosedError from None
        if isinstance(error, ProcessExpired):
            exit_code, is_replaced = error.exitcode, True
        else:  # Pebble gives none where it sees a death before it has read that the task began.
            exit_code, is_replaced = self._worker.exitcode if self._worker else None, False
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
                raise SeatClosedError
            if self._pool is None:
                if self._latest is None:
                    self._latest = self._context.RawValue("Q", 0)
                self._channel = WebEnd()
                self._pool = ProcessPool(
                    max_workers=1,
                    initializer=task.prepare,
                    initargs=(self._share, self._channel.workers, self._latest),
                    context=self._context,
                )
            # The first call starts the process, within the lock: what is closed leaves none.
            future: Future[Any] = self._pool.schedule(function, args=args, timeout=timeout)
            return future

    def _make_worker(self, **options: Any) -> BaseProcess:
        self._worker = self._make_process(**options)
        return self._worker

    def _await(
        self, future: Future[T], patience_seconds: float, progress: Progress, run: int = 0
    ) -> T:
        latest = None
        begun = time.monotonic()
        lost_at = None
        try:
            while True:
                if self._has_ended(future, progress, run):
                    return _settled(future)
                if self._is_closed:
                    raise SeatClosedError
                now = time.monotonic()
                loss = self._loss()
                lost_at = (lost_at or now) if loss else None
                if loss and lost_at and now - lost_at >= LOOK_SECONDS:  # pebble would have told
                    self._discard()
                    raise loss
                if latest is None and future.running():
                    begun, latest = now, now + patience_seconds
                if now > (latest or begun + self._boot_seconds + patience_seconds):
                    raise BrokenProcessPool("no answer")
                try:
                    progress.runs(now - begun)
                except BaseException as reason:  # noqa: BLE001 - it is raised again, unwrapped
                    raise self._leave(future, run, reason) from None
        finally:
            if not future.done():
                future.cancel()  # pebble ends the worker of a cancelled task

    def _has_ended(self, future: Future[Any], progress: Progress, run: int) -> bool:
        """Wait a little for the end of a task; all that it told is passed on before that."""
        while not self._hear(future, progress, run):
            if not future.done():
                return False
        wait([future], LOOK_SECONDS)
        return future.done()

    def _hear(self, future: Future[Any], progress: Progress, run: int) -> bool:
        """Pass on what the worker tells; whether it has told all, or tells nothing anyway."""
        channel = self._channel
        if not run or channel is None:
            return True
        is_done = future.done()  # asked first: what a finished task told is all there by now
        told, is_over = channel.hear(run, 0 if is_done else HEAR_SECONDS)
        try:
            for record in told:
                progress.tells(record)
        except BaseException as reason:  # noqa: BLE001 - it is raised again, unwrapped
            raise self._leave(future, run, reason) from None
        return is_over or is_done

    def _leave(self, future: Future[Any], run: int, reason: BaseException) -> CallerLeftError:
        """Free the worker from a task that nobody wants any more: it obeys, or it is replaced."""
        channel = self._channel
        if run and channel is not None:
            channel.ask_to_end(run)
            latest = time.monotonic() + POLITE_SECONDS
            while not future.done() and time.monotonic() < latest:
                _, is_over = channel.hear(run, HEAR_SECONDS)
                wait([future], LOOK_SECONDS if is_over else 0)
        is_free = future.done() and not future.cancelled() and future.exception() is None
        if not is_free:
            self._discard()
        return CallerLeftError(reason, is_worker_free=is_free)

    def _loss(self) -> Exception | None:
        """What keeps the worker from answering, if something does."""
        if self._pool is not None and not self._pool.active:
            # Pebble may forget a task that came while its last worker failed to start.
            return BrokenProcessPool("no worker will take the task")
        # Pebble tells of a death within 0.1 s, except where the exit code is 0.
        return WorkerDiedError(0) if _is_gone(self._pid) else None

    def _has_begun(self) -> bool:
        return self._latest is not None and self._latest.value == self._ticket

    def _discard(self, *, waits: bool = False) -> None:
        with self._lock:
            pool, self._pool = self._pool, None
            channel, self._channel = self._channel, None
            self._pid = 0
        if pool is None or channel is None:
            return
        pool.stop()  # type: ignore[no-untyped-call]

        def end() -> None:
            pool.join()
            channel.close()  # not before: the pool may just be starting a worker with it

        ending = threading.Thread(target=end, name="pool-ending", daemon=True)
        ending.start()
        if waits:
            ending.join(GRACE_SECONDS)


def _settled(future: Future[T]) -> T:
    try:
        return future.result()
    except TimeoutError:
        raise WorkerTimedOutError from None


def _is_gone(pid: int) -> bool:
    if not pid or os.name == "nt":  # where there is no harmless signal, the time limit must do
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return True
    return False
