"""A lane: some workers and one bounded queue before them; knows bytes, not settings."""

import itertools
import logging
import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from multiprocessing.context import BaseContext

from playground.compute.answer import Answer
from playground.compute.gpu_share import CONTEXT_LOST, GpuShare
from playground.compute.progress import Progress
from playground.compute.seat import (
    CallerLeftError,
    Seat,
    SeatClosedError,
    WorkerDiedError,
    WorkerTimedOutError,
)
from playground.compute.status import UNAVAILABLE, LaneStatus
from playground.errors import (
    ComputeUnavailableError,
    ExperimentCrashedError,
    ExperimentTimedOutError,
    QueueFullError,
)

MOST_WAITING = 256
TELL_SECONDS = 0.2  # how often somebody who waits is told the place
BOOT_SECONDS = 120.0  # torch from a cold disk, on a busy computer
RETRY_SECONDS = 15.0  # how long workers that did not start rest before they are tried again
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class _Ticket:
    is_alone: bool


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
        self.unavailable = UNAVAILABLE
        self._context = context
        self._most_waiting = most_waiting
        self._boot_seconds = boot_seconds
        self._hides_cuda = hides_cuda
        self._seats = [self._make_seat() for _ in range(workers)]
        self._changed = threading.Condition()
        self._free: list[Seat] = []
        self._busy: list[Seat] = []
        self._vacant: list[Seat] = []  # their workers did not start
        self._waiting: deque[_Ticket] = deque()
        self._opening = self._crashes = self._timeouts = self._losses = 0
        self._is_alone = False
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
            seats = {*self._seats, *self._busy}
            self._free.clear()
            self._changed.notify_all()
        for thread in close_all(seats):
            thread.join()

    def run(self, pickled_settings: bytes, timeout: float, progress: Progress) -> Answer:
        """Wait for a worker and let it execute an experiment.

        Raises:
            PlaygroundError: As ``compute.run`` says, except what the experiment itself raised.
        """
        seat = self._take_seat(progress, _Ticket(self._runs_alone(pickled_settings)))
        is_sound = False
        try:
            answer = seat.run(pickled_settings, timeout, progress)
            is_sound = True
        except WorkerTimedOutError:
            with self._changed:
                self._timeouts += 1
            raise ExperimentTimedOutError("timed_out", seconds=timeout) from None
        except WorkerDiedError as error:
            self._note_death(is_loss=error.exit_code == CONTEXT_LOST)
            _log.error("a worker of the %s lane died, exit code %s", self.name, error.exit_code)
            key = "gpu_lost" if error.exit_code == CONTEXT_LOST else "crashed"
            raise ExperimentCrashedError(key, exit_code=error.exit_code) from None
        except SeatClosedError:
            raise ComputeUnavailableError(self.unavailable, lane=self.name) from None
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
            problem = self._trouble()
            return LaneStatus(
                name=self.name,
                workers=len(self._free) + len(self._busy),
                is_ready=bool(self._free or self._busy) and not problem,
                waiting=len(self._waiting),
                running=len(self._busy),
                crashes=self._crashes,
                timeouts=self._timeouts,
                losses=self._losses,
                problem=problem,
                retry_seconds=self._retry_seconds(),
            )

    @property
    def exists(self) -> bool:
        """Whether there is such a lane; on a cluster, that is known only once it was reached."""
        return True

    @property
    def is_open(self) -> bool:
        """Whether it takes experiments, or will once it has started."""
        with self._changed:
            return not self._trouble()

    def _make_seat(self, share: GpuShare | None = None) -> Seat:
        return Seat(
            self._context,
            hides_cuda=self._hides_cuda,
            boot_seconds=self._boot_seconds,
            share=share,
        )

    def _runs_alone(self, pickled_settings: bytes) -> bool:  # noqa: ARG002 - other lanes look at it
        """Whether no other worker of the lane may run beside this experiment."""
        return False

    def _retry_seconds(self) -> float | None:
        """How long until a lane with a problem is tried again, if that is known."""
        return None

    def _note_death(self, *, is_loss: bool) -> None:
        """Count a worker that died; ``is_loss``: of a CUDA context that was lost."""
        with self._changed:
            self._crashes += 1
            self._losses += is_loss

    def _take_seat(self, progress: Progress, ticket: _Ticket) -> Seat:
        with self._changed:
            self._revive()
            if len(self._waiting) >= self._most_waiting:
                raise QueueFullError("queue_full", place=len(self._waiting) + 1)
            self._waiting.append(ticket)
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._is_turn_of(ticket), TELL_SECONDS)
                    if self._is_stopped or self._trouble():
                        raise ComputeUnavailableError(self.unavailable, lane=self.name)
                    if self._is_turn_of(ticket):
                        self._is_alone = ticket.is_alone
                        self._busy.append(self._free.pop())
                        return self._busy[-1]
                    is_starting = not (self._free or self._busy)
                    place = 0 if is_starting else self._waiting.index(ticket) + 1
                progress.waits(place)  # outside the lock: it may draw, and it may raise
        finally:
            with self._changed:
                self._waiting.remove(ticket)
                self._changed.notify_all()

    def _is_turn_of(self, ticket: _Ticket) -> bool:
        if self._is_stopped or self._problem:
            return True
        if self._is_alone:
            return False
        ahead = list(itertools.takewhile(lambda each: each is not ticket, self._waiting))
        if ticket.is_alone:
            return bool(self._free) and not (ahead or self._busy)
        return len(ahead) < len(self._free) and not any(each.is_alone for each in ahead)

    def _trouble(self) -> str:
        """What keeps the lane from working, as a text key; call it with the lock."""
        return self._problem or (self.unavailable if self._is_overdue() else "")

    def _is_overdue(self) -> bool:
        """Whether workers have been starting for so long that waiting makes no sense."""
        if self._free or self._busy:
            self._idle_since = time.monotonic()
        return time.monotonic() - self._idle_since > self._boot_seconds

    def _leave_seat(self, seat: Seat, *, is_sound: bool) -> None:
        with self._changed:
            self._busy.remove(seat)
            self._is_alone = False
            self._idle_since = time.monotonic()
            is_retired = seat not in self._seats
            if is_sound and not (is_retired or self._is_stopped):
                self._free.append(seat)
            self._changed.notify_all()
        if is_retired:
            close_all([seat])
        elif not is_sound:
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
            is_retired = seat not in self._seats
            if is_retired or self._is_stopped:
                pass
            elif is_open:
                self._free.append(seat)
                self._problem = ""
            else:
                self._vacant.append(seat)
                self._failed_at = time.monotonic()
                if not (self._opening or self._free or self._busy):
                    self._fail()
            self._changed.notify_all()
        if is_retired:
            seat.close()

    def _fail(self) -> None:
        """Note that there is no worker; call it with the lock."""
        _log.error("the %s lane has no worker", self.name)
        self._problem = self.unavailable

    def _revive(self) -> None:
        """Try again to start workers that did not, if they have rested; call it with the lock."""
        if self._vacant and time.monotonic() - self._failed_at > RETRY_SECONDS:
            self._problem = ""
            self._idle_since = time.monotonic()
            seats, self._vacant = self._vacant, []
            for seat in seats:
                self._open(seat)


def close_all(seats: Iterable[Seat]) -> list[threading.Thread]:
    """Begin to end the workers of some seats, all at once."""
    closing = [threading.Thread(target=seat.close, name="seat-closing") for seat in seats]
    for thread in closing:
        thread.start()
    return closing
