"""A lane on a cluster: the queue of the local lanes, before seats that come and go with nodes."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from playground.compute import start_method
from playground.compute.answer import Answer
from playground.compute.cluster.bridge import Sight
from playground.compute.cluster.cluster import Cluster
from playground.compute.cluster.ending import WorkerLostError
from playground.compute.cluster.seat import ClusterSeat
from playground.compute.lane import Lane
from playground.compute.progress import Progress
from playground.compute.status import UNAVAILABLE, LaneStatus
from playground.errors import ComputeUnavailableError, ExperimentCrashedError

MOST_WORKERS = 32
_log = logging.getLogger(__name__)


class ClusterLane(Lane):
    """Workers on a cluster: one for each processor or GPU of it, up to ``MOST_WORKERS``.

    Args:
        name: ``"cpu"`` or ``"gpu"``.
        cluster: The connection, shared by the lanes.
        limits: ``Lane``'s.
    """

    def __init__(self, name: str, cluster: Cluster, **limits: Any) -> None:
        super().__init__(
            name,
            workers=0,
            context=start_method.Spawn(),
            hides_cuda=name == "cpu",
            **limits,
        )
        self._cluster = cluster
        self._seats: list[Any]  # the same methods as a local one

    @property
    def exists(self) -> bool:
        """Whether the cluster has what the lane needs; where it has no GPU, there is no such."""
        return self.name == "cpu" or bool(self._seats)

    @property
    def is_open(self) -> bool:
        """Whether it takes experiments, or will once it has started."""
        return self.exists and not self._trouble()

    def start(self) -> None:
        """Begin to connect; the seats come with the cluster's first answer."""
        super().start()
        self._cluster.start()

    def stop(self) -> None:
        """Leave the cluster; who waits is told that there are no workers."""
        super().stop()
        self._cluster.stop()

    def run(self, pickled_settings: bytes, timeout: float, progress: Progress) -> Answer:
        """Run an experiment as a local lane does; once more, where its node was lost.

        Experiments depend on their settings alone, so a second run gives the same report.

        Raises:
            PlaygroundError: As in a local lane.
        """

        def wait(place: int) -> None:
            self._check()
            progress.waits(place)

        watched = replace(progress, on_wait=wait)
        for is_last in (False, True):
            self._check()
            try:
                return super().run(pickled_settings, timeout, watched)
            except WorkerLostError as error:
                _log.warning("a Ray node was lost with its task: %.300s", error)
                if is_last:
                    self._note_death(is_loss=False)
        raise ExperimentCrashedError("crashed", exit_code=None)

    def status(self) -> LaneStatus:
        """What the lane is doing."""
        told, trouble = super().status(), self._trouble()
        return replace(told, problem=trouble, is_ready=told.is_ready and not trouble)

    def adapt(self, sight: Sight) -> None:
        """Have as many seats as the cluster has room for; fill those anew that lost their actor."""
        room = max(1, sight.cpus) if self.name == "cpu" else sight.gpus
        while len(self._seats) < min(room, MOST_WORKERS):
            seat = ClusterSeat(self._cluster, has_gpu=self.name == "gpu")
            self._seats.append(seat)
            self._open(seat)  # type: ignore[arg-type]
        self._reopen(lambda number: number in sight.lost)

    def renew(self) -> None:
        """Fill all seats anew: the cluster was lost, or is there again."""
        with self._changed:
            self._idle_since = time.monotonic()
        self._reopen(lambda _: True)

    def _trouble(self) -> str:
        """Text key of what keeps it from working."""
        with self._changed:
            is_overdue = self._is_overdue()
        return self._cluster.problem or (UNAVAILABLE if is_overdue else "")

    def _reopen(self, is_lost: Callable[[int], bool]) -> None:
        """Take idle seats out of service until they have another worker."""
        with self._changed:
            free: list[Any] = list(self._free)
            lost = [seat for seat in free if is_lost(seat.number)]
            self._free = [seat for seat in free if seat not in lost]
            if lost:
                self._idle_since = time.monotonic()
        for seat in lost:
            self._open(seat)

    def _check(self) -> None:
        if self._cluster.problem:
            raise ComputeUnavailableError(UNAVAILABLE, lane=self.name)
