"""A lane: some workers and one bounded queue before them; knows bytes, not settings."""

import logging
import threading
import time
from collections import deque
from multiprocessing.context import BaseContext

from playground.compute.answer import Answer
from playground.compute.progress import Progress
from playground.compute.seat import (
    CallerLeftError,
    Seat,
    SeatClosedError,
    WorkerDiedError,
    WorkerTimedOutError,
)
from playground.compute.status import LaneStatus
from playground.errors import (
    ComputeUnavailableError,
    ExperimentCrashedError,
    ExperimentTimedOutError,
    QueueFullError,
)

MOST_WAITING = 256
TELL_SECONDS = 0.2  # how often somebody who waits is told the place
BOOT_SECONDS = 60.0  # torch from a cold disk
RETRY_SECONDS = 15.0  # how long a lane that did not start rests before it is tried again
UNAVAILABLE = "compute_unavailable"
_log = logging.getLogger(__name__)


class Lane:
    """Workers that take experiments in the order in which they came.

    Args:
        name: ``"cpu"`` or ``"gpu"``.
        workers: How many.
        context: How their processes are started.
        hides_cuda: They must see no GPU.
        most_waiting: How many experiments may wait.
        boot_seconds: How long a worker may take to start.
    """

    def __init__(
        self,
        name: str,
        *,
        workers: int,
        context: BaseContext,
        hides_cuda: bool,
        most_waiting: int = MOST_WAITING,
        boot_seconds: float = BOOT_SECONDS,
    ) -> None:
        self.name = name
        self._most_waiting = most_waiting
        self._boot_seconds = boot_seconds
        self._seats = [
            Seat(context, hides_cuda=hides_cuda, boot_seconds=boot_seconds) for _ in range(workers)
        ]
        self._changed = threading.Condition()
        self._free: list[Seat] = []
        self._waiting: deque[object] = deque()
        self._running = self._opening = self._crashes = self._timeouts = 0
        self._problem = ""
        self._failed_at = self._idle_since = time.monotonic()
        self._is_stopped = False

    def start(self) -> None:
        """Start the workers, each from a thread of its own, and return at once."""
        self._idle_since = time.monotonic()
        for seat in self._seats:
            self._open(seat)

    def stop(self) -> None:
        """End the workers; who waits is told that there are none."""
        with self._changed:
            self._is_stopped = True
            self._free.clear()
            self._changed.notify_all()
        closing = [threading.Thread(target=seat.close, name="seat-closing") for seat in self._seats]
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join()

    def run(self, pickled_settings: bytes, timeout: float, progress: Progress) -> Answer:
        """Wait for a worker and let it execute an experiment.

        Raises:
            PlaygroundError: As ``compute.run`` says, except what the experiment itself raised.
        """
        seat = self._take_seat(progress)
        is_sound = False
        try:
            answer = seat.run(pickled_settings, timeout, progress)
            is_sound = True
        except WorkerTimedOutError:
            with self._changed:
                self._timeouts += 1
            raise ExperimentTimedOutError("timed_out", seconds=timeout) from None
        except WorkerDiedError as error:
            with self._changed:
                self._crashes += 1
            _log.error("a worker died, exit code %s", error.exit_code)
            raise ExperimentCrashedError("crashed", exit_code=error.exit_code) from None
        except SeatClosedError:
            raise ComputeUnavailableError(UNAVAILABLE, lane=self.name) from None
        except CallerLeftError as left:
            is_sound = left.is_worker_free
            raise left.reason from None
        else:
            return answer
        finally:
            self._leave_seat(seat, is_sound=is_sound)

    def status(self) -> LaneStatus:
        """What the lane is doing."""
        with self._changed:
            return LaneStatus(
                name=self.name,
                workers=len(self._free) + self._running,
                is_ready=bool(self._free or self._running),
                waiting=len(self._waiting),
                running=self._running,
                crashes=self._crashes,
                timeouts=self._timeouts,
                problem=self._problem,
            )

    def _take_seat(self, progress: Progress) -> Seat:
        ticket = object()
        with self._changed:
            self._revive()
            if len(self._waiting) >= self._most_waiting:
                raise QueueFullError("queue_full", place=len(self._waiting) + 1)
            self._waiting.append(ticket)
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._is_turn_of(ticket), TELL_SECONDS)
                    if self._is_stopped or self._problem or self._is_overdue():
                        raise ComputeUnavailableError(UNAVAILABLE, lane=self.name)
                    if self._is_turn_of(ticket):
                        self._running += 1
                        return self._free.pop()
                    place = self._waiting.index(ticket) + 1
                progress.waits(place)  # outside the lock: it may draw, and it may raise
        finally:
            with self._changed:
                self._waiting.remove(ticket)
                self._changed.notify_all()

    def _is_turn_of(self, ticket: object) -> bool:
        return self._is_stopped or ticket in list(self._waiting)[: len(self._free)]

    def _is_overdue(self) -> bool:
        """Whether workers have been starting for so long that waiting makes no sense."""
        if self._free or self._running:
            self._idle_since = time.monotonic()
        return time.monotonic() - self._idle_since > self._boot_seconds

    def _leave_seat(self, seat: Seat, *, is_sound: bool) -> None:
        with self._changed:
            self._running -= 1
            self._idle_since = time.monotonic()
            if is_sound and not self._is_stopped:
                self._free.append(seat)
                self._changed.notify_all()
        if not is_sound:
            self._open(seat)

    def _open(self, seat: Seat) -> None:
        """Get a worker into the seat, in a thread of its own; nobody waits for it."""
        with self._changed:
            if self._is_stopped:
                return
            self._opening += 1
        opening = threading.Thread(
            target=self._finish_opening, args=(seat,), name="seat-opening", daemon=True
        )
        opening.start()

    def _finish_opening(self, seat: Seat) -> None:
        is_open = seat.open()
        with self._changed:
            self._opening -= 1
            if is_open and not self._is_stopped:
                self._free.append(seat)
                self._problem = ""
            elif not (self._opening or self._free or self._running or self._is_stopped):
                _log.error("the %s lane has no worker", self.name)
                self._problem = UNAVAILABLE
                self._failed_at = time.monotonic()
            self._changed.notify_all()

    def _revive(self) -> None:
        """Try again to start a lane that has failed, if it has rested; call it with the lock."""
        if self._problem and time.monotonic() - self._failed_at > RETRY_SECONDS:
            self._problem = ""
            self.start()
