"""The lane that can see GPUs: planned by their memory, closed for a while when they fall away.

While it is closed the others go on: the runner sends nothing here, and pages say so.
"""

import logging
import pickle
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.context import BaseContext

from playground.compute import gpu_plan
from playground.compute.gpu_share import GpuShare
from playground.compute.lane import BOOT_SECONDS, Lane, close_all
from playground.compute.rest import Rest
from playground.compute.seat import Seat
from playground.compute.status import GPU

UNAVAILABLE = "gpu_unavailable"
MOST_LOSSES = 3  # lost contexts without one good experiment between them: the GPU is to blame
LOOK_SECONDS = 15.0  # how often an idle worker is asked whether its GPUs still compute
LEAST_REST_SECONDS = 30.0
MOST_REST_SECONDS = 600.0
_log = logging.getLogger(__name__)


class GpuLane(Lane):
    """Workers that share the GPUs.

    Args:
        context: How their processes are started; CUDA does not allow a fork of a process that has
            used it.
        plan: Says what each worker may take, and so how many there are. Asked at each start.
        rest: Between a failure and the next try.
        look_seconds: How often it looks after idle workers, and whether it has rested.
        boot_seconds: How long a worker may take to start.
    """

    def __init__(
        self,
        context: BaseContext,
        *,
        plan: Callable[[], Sequence[GpuShare]] = gpu_plan.shares,
        rest: Rest | None = None,
        look_seconds: float = LOOK_SECONDS,
        boot_seconds: float = BOOT_SECONDS,
    ) -> None:
        super().__init__(
            GPU, workers=0, context=context, hides_cuda=False, boot_seconds=boot_seconds
        )
        self.unavailable = UNAVAILABLE
        self._plan = plan
        self._rest = rest or Rest(LEAST_REST_SECONDS, MOST_REST_SECONDS)
        self._look_seconds = look_seconds
        self._losses_in_a_row = 0
        self._is_over = threading.Event()

    def start(self) -> None:
        """Plan and start the workers from a thread of its own, and return at once."""
        super().start()
        threading.Thread(target=self._keep, name="gpu-lane", daemon=True).start()

    def stop(self) -> None:
        """End all workers."""
        self._is_over.set()
        super().stop()

    def look(self) -> None:
        """Try again if the lane has rested; otherwise let an idle worker's GPUs compute once."""
        with self._changed:
            if self._is_stopped or self._is_alone or self._waiting:
                return
            is_due = self._problem and not self._opening and not self._rest.seconds_left
            seat = self._free.pop(0) if self._free and not self._problem else None
            if seat is not None:
                self._idle_since = time.monotonic()  # until now it could take an experiment
        if is_due:
            self._begin()
        elif seat is not None:
            self._open(seat)

    def _keep(self) -> None:
        self._begin()
        while not self._is_over.wait(self._look_seconds):
            self.look()

    def _begin(self) -> None:
        """Make workers as the GPUs have room for now."""
        try:
            shares = self._plan()
        except Exception:  # noqa: BLE001 - without this thread they would never be tried again
            _log.exception("the GPUs cannot be read")
            shares = ()
        with self._changed:
            if self._is_stopped:
                return
            self._vacant.clear()
            self._seats = [self._make_seat(share) for share in shares]
            for seat in self._seats:
                self._open(seat)
            if not self._seats:
                self._fail()
                self._changed.notify_all()

    def _fail(self) -> None:
        super()._fail()
        self._rest.begin()
        _log.error("the GPUs are tried again in %.0f s", self._rest.seconds_left)

    def _revive(self) -> None:
        if not self._problem:  # otherwise ``look`` does it, and nobody has to wait for that
            super()._revive()

    def _runs_alone(self, pickled_settings: bytes) -> bool:
        """Measurements do: their neighbours would use the same GPU."""
        return bool(pickle.loads(pickled_settings).measures)  # noqa: S301 - this process wrote it

    def _retry_seconds(self) -> float | None:
        return self._rest.seconds_left if self._problem else None

    def _note_death(self, *, is_loss: bool) -> None:
        super()._note_death(is_loss=is_loss)
        with self._changed:
            self._losses_in_a_row += is_loss
            if self._losses_in_a_row >= MOST_LOSSES and not self._problem:
                self._losses_in_a_row = 0
                self._retire()

    def _leave_seat(self, seat: Seat, *, is_sound: bool) -> None:
        if is_sound:
            self._losses_in_a_row = 0
            self._rest.forget()
        super()._leave_seat(seat, is_sound=is_sound)

    def _retire(self) -> None:
        """End the workers; who runs an experiment still ends it. Call it with the lock."""
        idle, self._free = self._free, []
        self._seats = []
        self._vacant.clear()
        self._fail()
        self._changed.notify_all()
        close_all(idle)
