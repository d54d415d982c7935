"""Progress of experiments: callbacks of the caller, and streams that can be stopped.

The experiment of ``StreamSettings`` is called with a ``ProgressCallback``. It reports a frozen
record of plain values as often as it likes. A report never waits for a reader, and a slow reader
gets the newest record only, so each record must be complete in itself. A stopped run ends inside
its next report.
"""

import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

from playground.compute.settings import Settings

ReportT = TypeVar("ReportT")
ProgressT = TypeVar("ProgressT")
ReportT_co = TypeVar("ReportT_co", covariant=True)
ProgressT_co = TypeVar("ProgressT_co", covariant=True)
ProgressT_contra = TypeVar("ProgressT_contra", contravariant=True)
REPORT_SECONDS = 0.2  # interval at which a reader learns that its experiment still waits or runs


class ProgressCallback(Protocol[ProgressT_contra]):
    """Function that an experiment calls with its progress."""

    def __call__(self, record: ProgressT_contra, /) -> None:
        """Take a record. It raises where the run was stopped."""


def ignore_progress(_record: object, /) -> None:
    """Drop a record: the experiment has no reader."""


@dataclass(frozen=True, slots=True)
class Callbacks:
    """Functions of the caller, all called from its own thread. An exception stops the experiment.

    Attributes:
        on_wait: Called with the place in the queue: 1 is next, 0 while no worker has started.
        on_run: Called with the seconds that the experiment has run.
        on_progress: Called with each pickled record. Without it the experiment reports nothing.
    """

    on_wait: Callable[[int], None] | None = None
    on_run: Callable[[float], None] | None = None
    on_progress: Callable[[bytes], None] | None = None

    def report_wait(self, place: int) -> None:
        """Report the place in the queue."""
        if self.on_wait is not None:
            self.on_wait(place)

    def report_run(self, seconds: float) -> None:
        """Report the running time."""
        if self.on_run is not None:
            self.on_run(seconds)

    def report_progress(self, record: bytes) -> None:
        """Pass on a record of the experiment."""
        if self.on_progress is not None:
            self.on_progress(record)


NO_CALLBACKS = Callbacks()


class StreamSettings(Settings[ReportT_co], Generic[ReportT_co, ProgressT_co]):
    """Base class of settings whose experiment reports progress; names the types of both.

    ``compute.run`` runs such an experiment without a reader.
    """

    __slots__ = ()

    def experiment(
        self, report_progress: Callable[[ProgressT_co], None] = ignore_progress
    ) -> ReportT_co:
        """Run the experiment and report its progress; called in the worker."""
        raise NotImplementedError


class _StreamClosedError(BaseException):
    """Ends the work of a closed stream."""


class _Mailbox:
    """Holds the newest record between the thread that runs the work and the one that reads.

    Args:
        is_lossless: Wait until a record was taken before the next one is put.
    """

    def __init__(self, *, is_lossless: bool) -> None:
        self._changed = threading.Condition()
        self._is_lossless = is_lossless
        self._record: bytes | None = None
        self._is_closed = self._is_over = False
        self._place, self._seconds = 0, 0.0
        self.report: bytes | None = None
        self.error: BaseException | None = None

    # -- the thread that runs the work ----------------------------------------------------------

    def work(self, work: Callable[[Callbacks], bytes]) -> None:
        """Do the work and keep its report or its error."""
        try:
            self.report = work(Callbacks(self._put_place, self._put_seconds, self._put_record))
        except _StreamClosedError:
            pass
        except BaseException as error:  # noqa: BLE001 - it is raised where the stream is read
            self.error = error
        finally:
            with self._changed:
                self._is_over = True
                self._changed.notify_all()

    def _put_place(self, place: int) -> None:
        with self._changed:
            self._place = place
            self._check_open()

    def _put_seconds(self, seconds: float) -> None:
        with self._changed:
            self._place, self._seconds = 0, seconds
            self._check_open()

    def _put_record(self, record: bytes) -> None:
        with self._changed:
            self._check_open()
            self._place, self._record = 0, record
            self._changed.notify_all()
            if self._is_lossless:
                self._changed.wait_for(lambda: self._record is None)
                self._check_open()

    def _check_open(self) -> None:
        if self._is_closed:
            raise _StreamClosedError

    # -- the thread that reads ------------------------------------------------------------------

    def take(self, callbacks: Callbacks) -> bytes | None:
        """Wait for the newest record; return None when there will be no other."""
        while True:
            with self._changed:
                self._changed.wait_for(self._has_news, REPORT_SECONDS)
                if self._record is not None:
                    record, self._record = self._record, None
                    self._changed.notify_all()
                    return record
                if self._is_over or self._is_closed:
                    return None
                place, seconds = self._place, self._seconds
            if place:  # outside the lock: it may draw, and it may raise
                callbacks.report_wait(place)
            else:
                callbacks.report_run(seconds)

    def _has_news(self) -> bool:
        return self._record is not None or self._is_over or self._is_closed

    def close(self) -> None:
        """Stop the work at its next callback; return at once."""
        with self._changed:
            self._is_closed, self._record = True, None
            self._changed.notify_all()


class Stream(Generic[ReportT, ProgressT]):
    """Iterator over the progress of one experiment; ``report`` is its report at the end.

    The experiment starts with the first ``next``. Closing the stream, leaving its ``with``, an
    exception in the reader's own loop, or garbage collection of the stream stops the experiment and
    frees its worker: at its next report, otherwise its process is replaced.

    Args:
        work: Runs the experiment and returns its pickled report.
        callbacks: Called from the reading thread while there is nothing to read. An exception
            closes the stream and propagates.
        is_lossless: The experiment waits for the reader; only in tests.
    """

    def __init__(
        self,
        work: Callable[[Callbacks], bytes],
        callbacks: Callbacks,
        *,
        is_lossless: bool = False,
    ) -> None:
        self._work: Callable[[Callbacks], bytes] | None = work
        self._callbacks = callbacks
        self._mailbox = _Mailbox(is_lossless=is_lossless)
        self._report: ReportT | None = None
        self._has_report = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> ProgressT:
        """Wait for the newest progress that was not read yet.

        Raises:
            PlaygroundError: As ``compute.run``, once the progress before the error was read.
        """
        self._start()
        try:
            record = self._mailbox.take(self._callbacks)
        except BaseException:
            self.close()
            raise
        if record is not None:
            progress: ProgressT = self._unpickle(record)
            return progress
        error, self._mailbox.error = self._mailbox.error, None
        if error is not None:
            raise error
        if self._mailbox.report is not None and not self._has_report:
            self._report, self._has_report = self._unpickle(self._mailbox.report), True
        raise StopIteration

    @property
    def report(self) -> ReportT:
        """The report.

        Raises:
            RuntimeError: The stream has not been read to its end.
        """
        if not self._has_report:
            raise RuntimeError("there is no report before the end of the stream")
        return self._report  # type: ignore[return-value]  # a report may be None

    def close(self) -> None:
        """Stop the experiment if it runs; a closed stream ends at the next ``next``."""
        self._work = None
        self._mailbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self._mailbox.close()

    def _start(self) -> None:
        if self._work is not None:
            work, self._work = self._work, None
            # The thread holds the mailbox only, so an unreferenced stream is collected and closed.
            threading.Thread(
                target=self._mailbox.work, args=(work,), name="stream", daemon=True
            ).start()

    @staticmethod
    def _unpickle(pickled: bytes) -> Any:
        return pickle.loads(pickled)  # noqa: S301 - written by our own worker
