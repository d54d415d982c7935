"""Write-behind queue of progress: sessions enqueue entries, a thread writes them.

No session waits for the database. While it is not available (not started yet, disk full, file
locked, network cut) entries stay in the queue, and writing is retried with exponential backoff by
the monotonic clock. Writing is idempotent, so an attempt whose result was lost is repeated. A full
queue returns the entries for which it has no room: the session keeps them and enqueues them again.
Entries that are not written when the server ends are in a ``SpillFile`` until the next start.
"""

import logging
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta

from alembic.util import CommandError
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError

from hosting.progress.records import (
    Entry,
    ProgressUnavailableError,
    SavedProgress,
    SpillFile,
    now,
)
from hosting.progress.store import Store

MAX_WAITING = 20_000  # entries, a few MB
MAX_BATCH = 500  # entries in one transaction
MIN_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS = 0.5, 20.0
CLEANING_SECONDS = 3_600.0  # between two deletions of what is old
MAX_JUMP_SECONDS = 86_400.0  # of the computer's clock while the server runs
PING_SECONDS = 10.0  # between two pings of an idle database
STOP_TIMEOUT_SECONDS = 5.0  # for the last writes, when the server ends
READERS = 2
logger = logging.getLogger(__name__)


class ProgressWriter:
    """Writes the entries of all sessions.

    Args:
        store: Writes to the database.
        spill_file: Holds entries that are not written when the server ends.
        max_waiting: Entries in the queue.
        backoff_seconds: After the first failure; doubled by each further one.
        ping_seconds: Between two pings of an idle database.
        keep_days: After its last visit a student's progress is deleted; 0 for never.
        clock: The time, in seconds.
    """

    def __init__(
        self,
        store: Store,
        spill_file: SpillFile,
        max_waiting: int = MAX_WAITING,
        backoff_seconds: float = MIN_BACKOFF_SECONDS,
        ping_seconds: float = PING_SECONDS,
        keep_days: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store = store
        self._spill_file = spill_file
        self._max_waiting = max_waiting
        self._backoff_seconds = backoff_seconds
        self._ping_seconds = ping_seconds
        self._keep_days = keep_days
        self._started = clock(), now()
        self._clean_at = 0.0
        self._clock = clock
        self._waiting: OrderedDict[tuple[str, ...], Entry] = OrderedDict()
        self._changed = threading.Condition()
        self._is_open = False
        self._is_stopping = False
        self._failures = 0
        self._all_failures = 0
        self._retry_at = self._ping_at = 0.0
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="progress-reader")

    def start(self) -> None:
        """Start the thread; entries that an earlier server left are written first."""
        self.enqueue(self._spill_file.take())
        self._thread.start()

    def stop(self, timeout_seconds: float = STOP_TIMEOUT_SECONDS) -> None:
        """Write the queue; entries that cannot be written are spilled for the next start."""
        with self._changed:
            self._is_stopping = True
            self._retry_at = 0.0  # one more attempt
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout_seconds)
        self._readers.shutdown(wait=False, cancel_futures=True)
        with self._changed:
            left = tuple(self._waiting.values())
            self._waiting.clear()
        self._spill_file.write(left)
        self.store.close()

    # -- for sessions ------------------------------------------------------------------------

    def enqueue(self, entries: Iterable[Entry]) -> list[Entry]:
        """Put entries into the queue without waiting.

        Returns:
            The entries for which there is no room: enqueue them again later.
        """
        rejected: list[Entry] = []
        with self._changed:
            for entry in entries:
                earlier = self._waiting.get(entry.key)
                if earlier is not None:
                    self._waiting[entry.key] = entry.merged_with(earlier)
                elif len(self._waiting) < self._max_waiting:
                    self._waiting[entry.key] = entry
                else:
                    rejected.append(entry)
            self._changed.notify_all()
        return rejected

    def load(self, student: str) -> "Future[SavedProgress]":
        """Read a student's progress in another thread."""
        if not self.is_available:
            failed: Future[SavedProgress] = Future()
            failed.set_exception(ProgressUnavailableError("progress_unavailable"))
            return failed
        return self._readers.submit(self._load, student)

    def delete_all(self) -> None:
        """Delete all students and polls, also in the queue.

        Raises:
            ProgressUnavailableError: The database is not available at the moment.
        """
        with self._changed:
            self._waiting.clear()
        self.store.delete_all()

    def delete(self, student: str) -> None:
        """Delete a student with all progress, also in the queue.

        Raises:
            ProgressUnavailableError: The database is not available at the moment.
        """
        with self._changed:
            for key in [key for key, each in self._waiting.items() if each.student == student]:
                del self._waiting[key]
        self.store.delete(student)

    @property
    def is_available(self) -> bool:
        """True if the last access to the database succeeded."""
        return self._is_open

    @property
    def is_failing(self) -> bool:
        """True if the last attempt failed; False during the first one."""
        return self._failures > 0

    @property
    def failures(self) -> int:
        """The number of failed attempts so far."""
        return self._all_failures

    @property
    def waiting(self) -> int:
        """The number of entries in the queue."""
        return len(self._waiting)

    def wait_until_written(self, timeout: float) -> bool:
        """Wait until the queue is empty; for tests, never for a page."""
        with self._changed:
            return self._changed.wait_for(lambda: self._is_open and not self._waiting, timeout)

    # -- the thread --------------------------------------------------------------------------

    def _run(self) -> None:
        while self._wait_for_work():
            try:
                if not self._is_open:
                    self.store.open()
                elif not self._waiting:
                    self.store.ping()
                batch = self._next()
                if batch:
                    self._write(batch)
                self._delete_old()
            except Exception as error:  # noqa: BLE001 - the next attempt may succeed
                self._note_failure(error)
            else:
                self._note_success()

    def _wait_for_work(self) -> bool:
        """Wait for something to do; return False when the thread should end."""
        with self._changed:
            while True:
                has_work = bool(self._waiting) or not self._is_open
                if self._is_stopping and (not self._waiting or self._retry_at > 0.0):
                    return False
                due_at = self._retry_at if has_work else self._ping_at
                pause = due_at - self._clock() if self._failures or not has_work else 0.0
                if pause <= 0.0:
                    return True
                self._changed.wait(pause)

    def _next(self) -> list[Entry]:
        with self._changed:
            return list(self._waiting.values())[:MAX_BATCH]

    def _write(self, batch: Sequence[Entry]) -> None:
        try:
            self.store.write(batch)
        except Exception as error:
            if not _is_invalid_entry(error):
                raise
            if len(batch) > 1:  # find the invalid one
                for entry in batch:
                    self._write([entry])
                return
            logger.error(
                "dropped an entry of progress that cannot be written: %s", type(error).__name__
            )
        self._drop(batch)

    def _delete_old(self) -> None:
        """Delete the progress of students who have not come for long, once an hour."""
        if not self._keep_days or self._clock() < self._clean_at:
            return
        moment, (started, began) = now(), self._started
        passed = (moment - began).total_seconds() - (self._clock() - started)
        self._clean_at = self._clock() + CLEANING_SECONDS
        if abs(passed) > MAX_JUMP_SECONDS:  # the computer's clock was set: it may be wrong
            logger.warning("old progress is not deleted: the clock was set by %.0f s", passed)
            return
        if count := self.store.delete_unseen_since(moment - timedelta(days=self._keep_days)):
            logger.info("deleted the progress of %d students after %d days", count, self._keep_days)

    def _drop(self, written: Sequence[Entry]) -> None:
        with self._changed:
            for entry in written:
                if self._waiting.get(entry.key) is entry:  # not replaced in the meantime
                    del self._waiting[entry.key]

    def _note_success(self) -> None:
        with self._changed:
            if self._failures:
                logger.warning("progress is written again")
            self._failures, self._is_open = 0, True
            self._ping_at = self._clock() + self._ping_seconds
            self._changed.notify_all()

    def _note_failure(self, error: Exception) -> None:
        with self._changed:
            if not self._failures:  # once, and without the entries
                logger.warning("progress cannot be written for now: %s", _reason(error))
            pause = min(MAX_BACKOFF_SECONDS, self._backoff_seconds * 2 ** min(self._failures, 10))
            self._failures += 1
            self._all_failures += 1
            self._is_open = False
            self._retry_at = self._clock() + pause * random.uniform(0.75, 1.25)

    def _load(self, student: str) -> SavedProgress:
        try:
            return self.store.load(student)
        except ProgressUnavailableError:
            with self._changed:
                self._is_open = False  # the thread retries, and logs when it is available again
                self._changed.notify_all()
            raise


def _is_invalid_entry(error: Exception) -> bool:
    if isinstance(error, DBAPIError):
        return isinstance(error, DataError | IntegrityError)
    return isinstance(error, StatementError | ValueError | OverflowError)


def _reason(error: Exception) -> str:
    """Describe an error without the values of the statement."""
    if isinstance(error, ProgressUnavailableError) and isinstance(error.__cause__, Exception):
        error = error.__cause__
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    if isinstance(error, CommandError):
        return f"the database is of another version of the playground ({cause})"
    return f"{type(cause).__name__}: {str(cause).splitlines()[0] if str(cause) else ''}"
