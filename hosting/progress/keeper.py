"""Keeps progress: a bounded queue before the database, and a thread that empties it.

Nobody who hands an entry over waits for the database. While it is gone (not started yet, disk
full, file locked, network cut) entries stay in the queue and are tried again, at growing intervals
of the monotonic clock, which never jumps. Writing is idempotent: a try whose answer was lost is
simply repeated. A full queue takes nothing more, and says what it did not take: the session holds
that, and hands it over again.
"""

import logging
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from alembic.util import CommandError
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError

from hosting.progress.records import Entry, Kept, ProgressUnavailableError
from hosting.progress.spool import Spool
from hosting.progress.store import Store

MOST_WAITING = 20_000  # entries, a few MB
MOST_AT_ONCE = 500  # entries in one transaction
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 20.0  # seconds between two tries
LOOK_SECONDS = 10.0  # how often a database that nobody needs is asked whether it is still there
PATIENCE = 5.0  # seconds that the end of the server waits for the last writes
READERS = 2
logger = logging.getLogger(__name__)


class Keeper:
    """Takes entries from all sessions and writes them.

    Args:
        store: Where they are written.
        spool: Where they are left if the server ends before they could be written.
        most_waiting: How many may wait.
        first_pause: Seconds after the first failure; each further one doubles them.
        look_seconds: How often an idle database is looked at.
        clock: Gives the time, in seconds.
    """

    def __init__(
        self,
        store: Store,
        spool: Spool,
        most_waiting: int = MOST_WAITING,
        first_pause: float = FIRST_PAUSE,
        look_seconds: float = LOOK_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store = store
        self._spool = spool
        self._most = most_waiting
        self._pause = first_pause
        self._look_seconds = look_seconds
        self._clock = clock
        self._waiting: OrderedDict[tuple[str, ...], Entry] = OrderedDict()
        self._changed = threading.Condition()
        self._is_open = False
        self._is_ending = False
        self._failures = 0
        self._all_failures = 0
        self._retry_at = self._look_at = 0.0
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="progress-reader")

    def start(self) -> None:
        """Begin to write; what an earlier server left behind is written first."""
        self.hand_over(self._spool.take())
        self._thread.start()

    def stop(self, patience: float = PATIENCE) -> None:
        """Write what waits; what cannot be written is left for the next start."""
        with self._changed:
            self._is_ending = True
            self._retry_at = 0.0  # one more try
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(patience)
        self._readers.shutdown(wait=False, cancel_futures=True)
        with self._changed:
            left = tuple(self._waiting.values())
            self._waiting.clear()
        self._spool.leave(left)
        self.store.close()

    # -- for the sessions --------------------------------------------------------------------

    def hand_over(self, entries: Iterable[Entry]) -> list[Entry]:
        """Take entries without waiting.

        Returns:
            Those that found no room: hand them over again later.
        """
        refused: list[Entry] = []
        with self._changed:
            for entry in entries:
                earlier = self._waiting.get(entry.key)
                if earlier is not None:
                    self._waiting[entry.key] = entry.over(earlier)
                elif len(self._waiting) < self._most:
                    self._waiting[entry.key] = entry
                else:
                    refused.append(entry)
            self._changed.notify_all()
        return refused

    def load(self, student: str) -> "Future[Kept]":
        """Read a student's progress in another thread."""
        if not self.is_available:
            absent: Future[Kept] = Future()
            absent.set_exception(ProgressUnavailableError("progress_unavailable"))
            return absent
        return self._readers.submit(self._load, student)

    def forget(self, student: str) -> None:
        """Delete everything about a student, also what waits to be written.

        Raises:
            ProgressUnavailableError: The database cannot be asked at the moment.
        """
        with self._changed:
            for key in [key for key, each in self._waiting.items() if each.student == student]:
                del self._waiting[key]
        self.store.forget(student)

    @property
    def is_available(self) -> bool:
        """Whether the database answered the last time."""
        return self._is_open

    @property
    def is_troubled(self) -> bool:
        """Whether the last try failed; false while the first one goes on."""
        return self._failures > 0

    @property
    def failures(self) -> int:
        """How many tries have failed so far."""
        return self._all_failures

    @property
    def waiting(self) -> int:
        """How many entries are not written yet."""
        return len(self._waiting)

    def wait_until_written(self, timeout: float) -> bool:
        """Wait until nothing waits; for the end of a test, never for a page."""
        with self._changed:
            return self._changed.wait_for(lambda: self._is_open and not self._waiting, timeout)

    # -- the thread --------------------------------------------------------------------------

    def _run(self) -> None:
        while self._wait_for_work():
            try:
                if not self._is_open:
                    self.store.open()
                elif not self._waiting:
                    self.store.look()
                batch = self._next()
                if batch:
                    self._write(batch)
            except Exception as error:  # noqa: BLE001 - whatever it is, the next try may succeed
                self._note_failure(error)
            else:
                self._note_success()

    def _wait_for_work(self) -> bool:
        """Wait for something to do; False at the end."""
        with self._changed:
            while True:
                has_work = bool(self._waiting) or not self._is_open
                if self._is_ending and (not self._waiting or self._retry_at > 0.0):
                    return False
                since = self._retry_at if has_work else self._look_at
                pause = since - self._clock() if self._failures or not has_work else 0.0
                if pause <= 0.0:
                    return True
                self._changed.wait(pause)

    def _next(self) -> list[Entry]:
        with self._changed:
            return list(self._waiting.values())[:MOST_AT_ONCE]

    def _write(self, batch: Sequence[Entry]) -> None:
        try:
            self.store.write(batch)
        except Exception as error:
            if not _is_fault_of_entry(error):
                raise
            if len(batch) > 1:  # find the one that cannot be written
                for entry in batch:
                    self._write([entry])
                return
            logger.error("an entry of progress cannot be written: %s", type(error).__name__)
        self._drop(batch)

    def _drop(self, written: Sequence[Entry]) -> None:
        with self._changed:
            for entry in written:
                if self._waiting.get(entry.key) is entry:  # not renewed in the meantime
                    del self._waiting[entry.key]

    def _note_success(self) -> None:
        with self._changed:
            if self._failures:
                logger.warning("progress is being kept again")
            self._failures, self._is_open = 0, True
            self._look_at = self._clock() + self._look_seconds
            self._changed.notify_all()

    def _note_failure(self, error: Exception) -> None:
        with self._changed:
            if not self._failures:  # once, and without what was to be written
                logger.warning("progress cannot be kept for now: %s", _reason(error))
            pause = min(LONGEST_PAUSE, self._pause * 2 ** min(self._failures, 10))
            self._failures += 1
            self._all_failures += 1
            self._is_open = False
            self._retry_at = self._clock() + pause * random.uniform(0.75, 1.25)

    def _load(self, student: str) -> Kept:
        try:
            return self.store.load(student)
        except ProgressUnavailableError:
            with self._changed:
                self._is_open = False  # the thread finds out, and says when it is back
                self._changed.notify_all()
            raise


def _is_fault_of_entry(error: Exception) -> bool:
    if isinstance(error, DBAPIError):
        return isinstance(error, DataError | IntegrityError)
    return isinstance(error, StatementError | ValueError | OverflowError)


def _reason(error: Exception) -> str:
    """What went wrong, without the statement's values."""
    if isinstance(error, ProgressUnavailableError) and isinstance(error.__cause__, Exception):
        error = error.__cause__
    told = error.orig if isinstance(error, DBAPIError) and error.orig else error
    if isinstance(error, CommandError):
        return f"the database is of another version of the playground ({told})"
    return f"{type(told).__name__}: {str(told).splitlines()[0] if str(told) else ''}"
