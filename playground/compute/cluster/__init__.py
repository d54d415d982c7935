"""Optional package: pools of workers on a Ray cluster. Importing it loads no Ray.

A ``ClusterPool`` is a ``WorkerPool`` whose workers come and go with the cluster's nodes. Ray
ends the process that it runs in when it loses its cluster, so it runs in a process of its own: the
``Bridge``, which a ``ClusterConnection`` starts, watches and replaces. On a node, a
``SupervisorActor`` holds one ``WorkerSupervisor``. Only ``playground.compute.runner`` imports this
package, where the operator names a cluster. docs/decisions/0021 gives the reasons, and what must be
trusted.
"""

import itertools
import logging
import time
from multiprocessing.managers import RemoteError
from typing import Any

from playground.compute import start_method
from playground.compute.cluster.actor import (
    Cancelled,
    TaskOutcome,
    WorkerLostError,
    fingerprint,
    unpack,
)
from playground.compute.cluster.connection import ClusterConnection, ClusterResources
from playground.compute.pool import WorkerPool
from playground.compute.streaming import Callbacks
from playground.compute.worker_process import Result
from playground.compute.worker_supervisor import (
    CallerLeftError,
    SupervisorClosedError,
    WorkerDiedError,
    WorkerTimedOutError,
)
from playground.errors import ExperimentCrashedError

MAX_WORKERS = 32
RECEIVE_SECONDS = 0.2  # interval at which a caller learns how long its task has run
CANCEL_TIMEOUT_SECONDS = 5.0  # how long a node may take to stop a task
OUTCOME_TIMEOUT_SECONDS = 90.0  # on top of its limit, how long a task may stay without an outcome
LOST = (WorkerLostError, OSError, EOFError, RemoteError)  # the node, or the bridge
MISMATCH = "its node has another playground or torch than this server, and all must have the same"
_numbers = itertools.count(1)
_log = logging.getLogger(__name__)


class ClusterSupervisor:
    """Supervisor of one worker on a cluster; Ray chooses its node.

    Args:
        connection: To the cluster.
        has_gpu: It needs a GPU, for itself alone.
    """

    def __init__(self, connection: ClusterConnection, *, has_gpu: bool) -> None:
        self.number = next(_numbers)
        self._connection = connection
        self._has_gpu = has_gpu
        self._runs = itertools.count(1)
        self._is_closed = False

    def open(self) -> bool:
        """Wait until a worker answers, however long the cluster takes to have room for it.

        Returns:
            Whether one does; False only when the supervisor was closed or the connection stopped.
        """
        logged = ""
        while not self._is_closed:
            bridge = self._connection.await_bridge()
            if bridge is None:
                return False
            try:
                found = bridge.open(self.number, self._has_gpu)
                if found == fingerprint():
                    return not self._is_closed
                reason = MISMATCH if found else "its node has no worker"
                bridge.kill(self.number)
            except LOST as error:
                reason = str(error) or "the connection has ended"
            if reason != logged and not self._is_closed:  # it is tried every few seconds
                _log.warning("A worker on the Ray cluster does not start: %.300s.", reason)
                logged = reason
            self._connection.wait_before_retry()
        return False

    def run(self, pickled_settings: bytes, timeout: float, callbacks: Callbacks) -> Result:
        """Let the worker execute an experiment.

        Raises:
            WorkerTimedOutError: The worker was killed after ``timeout`` seconds.
            WorkerDiedError: The worker died, on a node that is well.
            WorkerLostError: The node or the cluster was lost.
            SupervisorClosedError: The supervisor was closed.
            CallerLeftError: A callback raised.
        """
        number = next(self._runs)
        begun = time.monotonic()
        reports_progress = callbacks.on_progress is not None
        try:
            bridge = self._connection.bridge()
            bridge.submit(self.number, number, pickled_settings, timeout, reports_progress)
            while True:
                record, packed = bridge.receive(self.number, RECEIVE_SECONDS)
                seconds = time.monotonic() - begun
                try:
                    if record is not None:
                        callbacks.report_progress(record)
                    if packed is None:
                        callbacks.report_run(seconds)
                except BaseException as reason:  # noqa: BLE001 - it is raised again, unwrapped
                    is_free = self._cancel(packed)
                    raise CallerLeftError(reason, is_worker_free=is_free) from None
                if packed is not None:
                    return _get_result(unpack(packed))
                if seconds > timeout + OUTCOME_TIMEOUT_SECONDS:
                    self._kill()
                    raise WorkerLostError("no answer")
        except LOST as error:
            if self._is_closed:
                raise SupervisorClosedError from None
            raise WorkerLostError(str(error)) from None

    def close(self) -> None:
        """Close the supervisor for good; its actor ends with the bridge."""
        self._is_closed = True

    def _cancel(self, packed: bytes | None) -> bool:
        """Stop a task without a caller; return whether the worker is free then."""
        try:
            bridge = self._connection.bridge()
            bridge.cancel(self.number)
            latest = time.monotonic() + CANCEL_TIMEOUT_SECONDS
            while packed is None and time.monotonic() < latest:
                _, packed = bridge.receive(self.number, RECEIVE_SECONDS)
            if packed is None:
                self._kill()
        except LOST:
            return False
        if packed is None:
            return False
        outcome = unpack(packed)
        return not isinstance(outcome, Exception) and not (
            isinstance(outcome, Cancelled) and not outcome.is_worker_free
        )

    def _kill(self) -> None:
        self._connection.bridge().kill(self.number)


def _get_result(outcome: TaskOutcome) -> Result:
    if isinstance(outcome, WorkerTimedOutError | WorkerDiedError):
        raise outcome
    if isinstance(outcome, Cancelled):
        raise WorkerLostError("cancelled without a request")
    return outcome


class ClusterPool(WorkerPool):
    """Workers on a cluster: one for each processor or GPU of it, up to ``MAX_WORKERS``.

    Args:
        name: ``"cpu"`` or ``"gpu"``.
        connection: To the cluster, shared by the pools.
        limits: ``WorkerPool``'s.
    """

    def __init__(self, name: str, connection: ClusterConnection, **limits: Any) -> None:
        super().__init__(
            name,
            workers=0,
            context=start_method.Spawn(),
            hides_cuda=name == "cpu",
            **limits,
        )
        self._connection = connection
        connection.on_change.append(self.reopen_all)
        connection.on_resources.append(self.resize)

    @property
    def exists(self) -> bool:
        """True if the cluster has a processor or GPU for the pool, as far as is known by now."""
        return self.name == "cpu" or bool(self._supervisors)

    @property
    def is_open(self) -> bool:
        return self.exists and super().is_open

    def start(self) -> None:
        """Begin to connect; the supervisors come with the cluster's first answer."""
        super().start()
        self._connection.start()

    def stop(self) -> None:
        """Leave the cluster; experiments that wait fail as unavailable."""
        super().stop()
        self._connection.stop()

    def run(self, pickled_settings: bytes, timeout: float, callbacks: Callbacks) -> Result:
        """Run an experiment as a local pool does; run it once more if its node was lost.

        Experiments depend on their settings alone, so a second run gives the same report.

        Raises:
            PlaygroundError: As in a local pool.
        """
        for is_last in (False, True):
            try:
                return super().run(pickled_settings, timeout, callbacks)
            except WorkerLostError as error:
                _log.warning("a Ray node was lost with its task: %.300s", error)
                if is_last:
                    self._note_death(is_loss=False)
        raise ExperimentCrashedError("crashed", exit_code=None)

    def resize(self, resources: ClusterResources) -> None:
        """Add supervisors while the cluster has room; reopen those that lost their actor."""
        room = max(1, resources.cpus) if self.name == "cpu" else resources.gpus
        while len(self._supervisors) < min(room, MAX_WORKERS):
            supervisor = ClusterSupervisor(self._connection, has_gpu=self.name == "gpu")
            self._supervisors.append(supervisor)
            self._open(supervisor)
        self._reopen_free(
            lambda free: [
                supervisor
                for supervisor in free
                if isinstance(supervisor, ClusterSupervisor) and supervisor.number in resources.lost
            ]
        )

    def reopen_all(self) -> None:
        """Reopen all free supervisors: the cluster was lost, or is there again."""
        with self._lock:
            self._idle_since = time.monotonic()
        self._reopen_free(list)

    def _find_problem(self) -> str:
        return self._connection.problem or (self.unavailable if self._is_overdue() else "")


def build_pools(address: str) -> dict[str, ClusterPool]:
    """Return the pools of a cluster, not yet started; the GPU pool is empty until a GPU is seen.

    Args:
        address: ``host:port`` of its head, as ``ray start`` prints it. This computer is a node.
    """
    connection = ClusterConnection(address)
    return {name: ClusterPool(name, connection) for name in ("cpu", "gpu")}
