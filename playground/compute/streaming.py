"""Experiments that tell how far they are while they run, and that can be stopped.

The experiment of ``StreamSettings`` is a ``verb(settings, tell)``. It hands ``tell`` a frozen
record of plain values as often as it likes: that never waits for a reader, and a slow reader gets
the newest record only, so each must say all there is to say. A run that is stopped ends in
``tell``.
"""

import pickle
import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, Self, TypeVar

from playground.compute.progress import Progress
from playground.compute.settings import Settings

ReportT = TypeVar("ReportT")
ProgressT = TypeVar("ProgressT")
ReportT_co = TypeVar("ReportT_co", covariant=True)
ProgressT_co = TypeVar("ProgressT_co", covariant=True)
ProgressT_contra = TypeVar("ProgressT_contra", contravariant=True)
TELL_SECONDS = 0.2  # how often who reads is told that it still waits or runs


class Tell(Protocol[ProgressT_contra]):
    """What an experiment tells its progress to."""

    def __call__(self, record: ProgressT_contra, /) -> None:
        """Take a record; where the run was stopped, end it."""


def tell_nobody(_record: object, /) -> None:
    """Take a record for nobody."""


class StreamSettings(Settings[ReportT_co], Generic[ReportT_co, ProgressT_co]):
    """The base of settings whose experiment tells its progress; names the types of both.

    Without a reader, in ``compute.run``, the experiment runs all the same: its ``tell`` is
    ``tell_nobody`` unless it is given.
    """

    __slots__ = ()

    def experiment(self, tell: Callable[[ProgressT_co], None] = tell_nobody) -> ReportT_co:
        """Run it, and tell its progress; called in the worker."""
        raise NotImplementedError


class _ClosedError(BaseException):
    """Ends the work of a stream that nobody reads any more."""


class _Desk:
    """What lies between the thread that waits for the worker and the one that reads.

    Args:
        is_patient: Wait until a record was taken before the next one may be put.
    """

    def __init__(self, *, is_patient: bool) -> None:
        self._changed = threading.Condition()
        self._is_patient = is_patient
        self._told: bytes | None = None
        self._is_closed = self._is_over = False
        self._place, self._seconds = 0, 0.0
        self.answer: bytes | None = None
        self.error: BaseException | None = None

    # -- the thread that waits for the worker ---------------------------------------------------

    def work(self, work: Callable[[Progress], bytes]) -> None:
        """Do the work and keep what comes of it."""
        try:
            self.answer = work(Progress(self._wait_in_queue, self._run, self._tell))
        except _ClosedError:
            pass
        except BaseException as error:  # noqa: BLE001 - it is raised where the stream is read
            self.error = error
        finally:
            with self._changed:
                self._is_over = True
                self._changed.notify_all()

    def _wait_in_queue(self, place: int) -> None:
        with self._changed:
            self._place = place
            self._go_on()

    def _run(self, seconds: float) -> None:
        with self._changed:
            self._place, self._seconds = 0, seconds
            self._go_on()

    def _tell(self, told: bytes) -> None:
        with self._changed:
            self._go_on()
            self._place, self._told = 0, told
            self._changed.notify_all()
            if self._is_patient:
                self._changed.wait_for(lambda: self._told is None)
                self._go_on()

    def _go_on(self) -> None:
        if self._is_closed:
            raise _ClosedError

    # -- the thread that reads ------------------------------------------------------------------

    def take(self, progress: Progress) -> bytes | None:
        """Wait for the newest record; None when there will be no other."""
        while True:
            with self._changed:
                self._changed.wait_for(self._has_news, TELL_SECONDS)
                if self._told is not None:
                    told, self._told = self._told, None
                    self._changed.notify_all()
                    return told
                if self._is_over or self._is_closed:
                    return None
                place, seconds = self._place, self._seconds
            if place:  # outside the lock: it may draw, and it may raise
                progress.waits(place)
            else:
                progress.runs(seconds)

    def _has_news(self) -> bool:
        return self._told is not None or self._is_over or self._is_closed

    def close(self) -> None:
        """Have the work ended; returns at once."""
        with self._changed:
            self._is_closed, self._told = True, None
            self._changed.notify_all()


class Stream(Generic[ReportT, ProgressT]):
    """An iterator over the progress of one experiment; ``report`` is there once it ends.

    The experiment starts with the first ``next``. Closing, leaving the ``with``, an exception in
    the reader's own loop, or forgetting the stream stops the experiment and frees its worker: at
    once where it tells something, otherwise its process is replaced.

    Args:
        work: Runs the experiment and returns its pickled report.
        progress: Is told from the reading thread, while there is nothing to read. What its
            functions raise closes the stream and comes through.
        is_patient: The experiment waits for the reader; only in tests.
    """

    def __init__(
        self,
        work: Callable[[Progress], bytes],
        progress: Progress,
        *,
        is_patient: bool = False,
    ) -> None:
        self._work: Callable[[Progress], bytes] | None = work
        self._progress = progress
        self._desk = _Desk(is_patient=is_patient)
        self._report: ReportT | None = None
        self._has_report = False

    def __iter__(self) -> Self:
        """The stream itself."""
        return self

    def __next__(self) -> ProgressT:
        """The newest progress, as soon as there is one that was not read yet.

        Raises:
            PlaygroundError: As ``compute.run``; what was told before has been read by then.
        """
        self._start()
        try:
            told = self._desk.take(self._progress)
        except BaseException:
            self.close()
            raise
        if told is not None:
            progress: ProgressT = self._read(told)
            return progress
        error, self._desk.error = self._desk.error, None
        if error is not None:
            raise error
        if self._desk.answer is not None and not self._has_report:
            self._report, self._has_report = self._read(self._desk.answer), True
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
        self._desk.close()

    def __enter__(self) -> Self:
        """The stream itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def __del__(self) -> None:
        """Close it."""
        self._desk.close()

    def _start(self) -> None:
        if self._work is not None:
            work, self._work = self._work, None
            # The thread knows the desk, not the stream: a stream that is forgotten is closed.
            threading.Thread(
                target=self._desk.work, args=(work,), name="stream", daemon=True
            ).start()

    @staticmethod
    def _read(pickled: bytes) -> Any:
        return pickle.loads(pickled)  # noqa: S301 - written by our own worker
