"""A place for one worker on some node: what a local seat is, with an actor instead of a pool."""

import itertools
import logging
import time
from multiprocessing.managers import RemoteError

from playground.compute.answer import Answer
from playground.compute.cluster.cluster import Cluster
from playground.compute.cluster.ending import Ending, Left, WorkerLostError, unpack
from playground.compute.cluster.fingerprint import fingerprint
from playground.compute.progress import Progress
from playground.compute.seat import (
    CallerLeftError,
    SeatClosedError,
    WorkerDiedError,
    WorkerTimedOutError,
)

HEAR_SECONDS = 0.2  # how often a caller that waits is told for how long
LEAVE_SECONDS = 5.0  # how long a node may take to end a task
PATIENCE_SECONDS = 90.0  # on top of its limit, how long a task may stay without an ending
LOST = (WorkerLostError, OSError, EOFError, RemoteError)  # the node, or the bridge
OTHER = "its node has another playground or torch than this server, and all must have the same"
_numbers = itertools.count(1)
_log = logging.getLogger(__name__)


class ClusterSeat:
    """One worker on a cluster, kept alive; where it sits is Ray's choice.

    Args:
        cluster: The connection.
        has_gpu: It needs a GPU, for itself alone.
    """

    def __init__(self, cluster: Cluster, *, has_gpu: bool) -> None:
        self.number = next(_numbers)
        self._cluster = cluster
        self._has_gpu = has_gpu
        self._runs = itertools.count(1)
        self._is_closed = False

    def open(self) -> bool:
        """Wait until a worker answers, however long the cluster takes to have room for it.

        Returns:
            Whether one does; False only when the seat was closed.
        """
        told = ""
        while not self._is_closed:
            bridge = self._cluster.await_bridge()
            if bridge is None:
                return False
            try:
                found = bridge.open(self.number, self._has_gpu)
                if found == fingerprint():
                    return not self._is_closed
                reason = OTHER if found else "its node has no worker"
                bridge.drop(self.number)
            except LOST as error:
                reason = str(error) or "the connection has ended"
            if reason != told and not self._is_closed:  # it is tried every few seconds
                _log.warning("A worker on the Ray cluster does not start: %.300s.", reason)
                told = reason
            self._cluster.rest()
        return False

    def run(self, pickled_settings: bytes, timeout: float, progress: Progress) -> Answer:
        """Let the worker execute an experiment.

        Raises:
            WorkerTimedOutError: It was killed after ``timeout`` seconds.
            WorkerDiedError: It died, on a node that is well.
            WorkerLostError: The node or the cluster was lost.
            SeatClosedError: The seat was closed.
            CallerLeftError: A function of the caller raised.
        """
        number = next(self._runs)
        begun = time.monotonic()
        try:
            bridge = self._cluster.bridge()
            bridge.begin(
                self.number, number, pickled_settings, timeout, progress.on_tell is not None
            )
            while True:
                told, packed = bridge.hear(self.number, HEAR_SECONDS)
                seconds = time.monotonic() - begun
                try:
                    if told is not None:
                        progress.tells(told)
                    if packed is None:
                        progress.runs(seconds)
                except BaseException as reason:  # noqa: BLE001 - it is raised again, unwrapped
                    is_free = self._leave(packed)
                    raise CallerLeftError(reason, is_worker_free=is_free) from None
                if packed is not None:
                    return _settled(unpack(packed))
                if seconds > timeout + PATIENCE_SECONDS:
                    self._drop()
                    raise WorkerLostError("no answer")
        except LOST as error:
            if self._is_closed:
                raise SeatClosedError from None
            raise WorkerLostError(str(error)) from None

    def close(self) -> None:
        """Leave the seat for good; its actor ends with the bridge."""
        self._is_closed = True

    def _leave(self, packed: bytes | None) -> bool:
        """Have the task ended that nobody wants any more; whether the worker is free then."""
        try:
            bridge = self._cluster.bridge()
            bridge.leave(self.number)
            latest = time.monotonic() + LEAVE_SECONDS
            while packed is None and time.monotonic() < latest:
                _, packed = bridge.hear(self.number, HEAR_SECONDS)
            if packed is None:
                self._drop()
        except LOST:
            return False
        if packed is None:
            return False
        ending = unpack(packed)
        return not isinstance(ending, Exception) and not (
            isinstance(ending, Left) and not ending.is_worker_free
        )

    def _drop(self) -> None:
        self._cluster.bridge().drop(self.number)


def _settled(ending: Ending) -> Answer:
    if isinstance(ending, WorkerTimedOutError | WorkerDiedError):
        raise ending
    if isinstance(ending, Left):
        raise WorkerLostError("ended by nobody")
    return ending
