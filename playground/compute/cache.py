"""Cache of reports by the value of their settings: bounded, thread-safe, computed only once."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from playground.compute.settings import Settings
from playground.compute.streaming import Callbacks
from playground.errors import PlaygroundError, QueueFullError

MAX_REPORTS = 1024
MAX_BYTES = 32 * 2**20
REPORT_SECONDS = 0.2  # interval at which a caller that waits for another's computation is informed


def cache_key(settings: Settings[Any]) -> Hashable:
    """Return a key that distinguishes settings by class and exact value.

    The text is part of it because 1 == 1.0 == True and 0.0 == -0.0, though they print differently.
    """
    return type(settings), settings, repr(settings)


@dataclass(slots=True, eq=False)
class _PendingReport:
    """A computation under way, for which others wait; ``place`` is 0 once it runs."""

    done: threading.Event = field(default_factory=threading.Event)
    place: int = 0
    seconds: float = 0.0
    record: bytes | None = None
    report: bytes | None = None
    error: PlaygroundError | None = None


class ReportCache:
    """LRU cache of pickled reports.

    Bytes instead of objects: their size is known, and every caller gets a report of its own.

    Args:
        max_reports: How many reports are kept.
        max_bytes: Their total size.
    """

    def __init__(self, max_reports: int = MAX_REPORTS, max_bytes: int = MAX_BYTES) -> None:
        self._max_reports = max_reports
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._reports: OrderedDict[Hashable, bytes] = OrderedDict()
        self._pending: dict[Hashable, _PendingReport] = {}
        self.size_bytes = 0

    def __len__(self) -> int:
        return len(self._reports)

    def fetch(
        self,
        key: Hashable,
        compute: Callable[[Callbacks], bytes],
        callbacks: Callbacks,
    ) -> bytes:
        """Return the report kept under a key, or compute it once for all who ask meanwhile.

        Args:
            key: From ``cache_key``.
            compute: Computes the report, and reports its progress to its argument.
            callbacks: Get that progress, also where another caller computes.

        Raises:
            PlaygroundError: From ``compute``, for all who waited for it. Only where it did not run
                (its caller left, the queue was full) do the others compute themselves.
        """
        while True:
            with self._lock:
                if key in self._reports:
                    self._reports.move_to_end(key)
                    return self._reports[key]
                pending = self._pending.get(key)
                if pending is None:
                    own = self._pending[key] = _PendingReport()
            if pending is None:
                return self._compute(key, own, compute, callbacks)
            report = _follow(pending, callbacks)
            if report is not None:
                return report

    def _compute(
        self,
        key: Hashable,
        pending: _PendingReport,
        compute: Callable[[Callbacks], bytes],
        callbacks: Callbacks,
    ) -> bytes:
        def on_wait(place: int) -> None:
            pending.place = place
            callbacks.report_wait(place)

        def on_run(seconds: float) -> None:
            pending.place, pending.seconds = 0, seconds
            callbacks.report_run(seconds)

        def on_progress(record: bytes) -> None:
            pending.place, pending.record = 0, record
            callbacks.report_progress(record)

        try:
            pending.report = compute(
                Callbacks(on_wait, on_run, on_progress if callbacks.on_progress else None)
            )
        except QueueFullError:
            raise
        except PlaygroundError as error:
            pending.error = error
            raise
        else:
            return pending.report
        finally:
            with self._lock:
                del self._pending[key]
                if pending.report is not None:
                    self._keep(key, pending.report)
            pending.done.set()

    def _keep(self, key: Hashable, report: bytes) -> None:
        if len(report) > self._max_bytes:
            return
        self._reports[key] = report
        self.size_bytes += len(report)
        while len(self._reports) > self._max_reports or self.size_bytes > self._max_bytes:
            _, oldest = self._reports.popitem(last=False)
            self.size_bytes -= len(oldest)


def _follow(pending: _PendingReport, callbacks: Callbacks) -> bytes | None:
    passed_on = None
    while not pending.done.wait(REPORT_SECONDS):
        record = pending.record
        if record is not None and record is not passed_on:
            callbacks.report_progress(record)
            passed_on = record
        if pending.place:
            callbacks.report_wait(pending.place)
        else:
            callbacks.report_run(pending.seconds)
    if pending.error is not None:
        raise type(pending.error)(pending.error.key, **pending.error.values) from None
    return pending.report
