"""Reports by the value of their settings: bounded, thread-safe, and computed once at a time."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from playground.compute.progress import Progress
from playground.compute.settings import Settings
from playground.errors import PlaygroundError, QueueFullError

MOST_REPORTS = 1024
MOST_BYTES = 32 * 2**20
TELL_SECONDS = 0.2


def cache_key(settings: Settings[Any]) -> Hashable:
    """Tell settings apart by class and value.

    The text is there because 1 == 1.0 == True and 0.0 == -0.0, though they print differently.
    """
    return type(settings), settings, repr(settings)


@dataclass(slots=True, eq=False)
class _Flight:
    """A computation under way, which others wait for; ``place`` is 0 once it runs."""

    done: threading.Event = field(default_factory=threading.Event)
    place: int = 0
    seconds: float = 0.0
    told: bytes | None = None
    report: bytes | None = None
    error: PlaygroundError | None = None


class ReportCache:
    """Keeps pickled reports, the least recently used ones leave first.

    Bytes instead of objects: their size is known, and every caller gets a report of its own.

    Args:
        most_reports: How many.
        most_bytes: How much they may take together.
    """

    def __init__(self, most_reports: int = MOST_REPORTS, most_bytes: int = MOST_BYTES) -> None:
        self._most_reports = most_reports
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._reports: OrderedDict[Hashable, bytes] = OrderedDict()
        self._flights: dict[Hashable, _Flight] = {}
        self.size_bytes = 0

    def __len__(self) -> int:
        """How many reports are kept."""
        return len(self._reports)

    def fetch(
        self,
        key: Hashable,
        compute: Callable[[Progress], bytes],
        progress: Progress,
    ) -> bytes:
        """Return the report kept under a key, or compute it once, however many ask.

        Args:
            key: From ``cache_key``.
            compute: Computes the report, and tells its progress to what it is given.
            progress: Is told that, also where somebody else computes.

        Raises:
            PlaygroundError: What ``compute`` raised, for all who waited for it. Only where it did
                not run (its visitor left, the queue was full) do the others compute themselves.
        """
        while True:
            with self._lock:
                if key in self._reports:
                    self._reports.move_to_end(key)
                    return self._reports[key]
                flight = self._flights.get(key)
                if flight is None:
                    mine = self._flights[key] = _Flight()
            if flight is None:
                return self._lead(key, mine, compute, progress)
            report = _follow(flight, progress)
            if report is not None:
                return report

    def _lead(
        self,
        key: Hashable,
        flight: _Flight,
        compute: Callable[[Progress], bytes],
        progress: Progress,
    ) -> bytes:
        def wait(place: int) -> None:
            flight.place = place
            progress.waits(place)

        def run(seconds: float) -> None:
            flight.place, flight.seconds = 0, seconds
            progress.runs(seconds)

        def tell(told: bytes) -> None:
            flight.place, flight.told = 0, told
            progress.tells(told)

        try:
            flight.report = compute(Progress(wait, run, tell if progress.on_tell else None))
        except QueueFullError:
            raise
        except PlaygroundError as error:
            flight.error = error
            raise
        else:
            return flight.report
        finally:
            with self._lock:
                del self._flights[key]
                if flight.report is not None:
                    self._keep(key, flight.report)
            flight.done.set()

    def _keep(self, key: Hashable, report: bytes) -> None:
        if len(report) > self._most_bytes:
            return
        self._reports[key] = report
        self.size_bytes += len(report)
        while len(self._reports) > self._most_reports or self.size_bytes > self._most_bytes:
            _, oldest = self._reports.popitem(last=False)
            self.size_bytes -= len(oldest)


def _follow(flight: _Flight, progress: Progress) -> bytes | None:
    passed_on = None
    while not flight.done.wait(TELL_SECONDS):
        told = flight.told
        if told is not None and told is not passed_on:
            progress.tells(told)
            passed_on = told
        if flight.place:
            progress.waits(flight.place)
        else:
            progress.runs(flight.seconds)
    if flight.error is not None:
        raise type(flight.error)(flight.error.key, **flight.error.values) from None
    return flight.report
