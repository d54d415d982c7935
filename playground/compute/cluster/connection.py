"""The connection to a Ray cluster, and the bridge: the process that holds Ray's driver.

Ray ends the process that it runs in when it has missed its head for some time, and takes some 60
MiB: neither is acceptable in the server. There, a ``ClusterConnection`` starts the bridge, calls it
through ``multiprocessing``'s manager, and replaces it when it is lost.
"""

import importlib
import logging
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.managers import BaseManager
from typing import Any

from playground.compute import start_method, worker_process
from playground.compute.cluster.actor import THREADS, SupervisorActor, WorkerLostError
from playground.compute.status import UNAVAILABLE

RECORD_SECONDS = 5.0  # how long an actor may wait for a record before it answers
HEAD_TIMEOUT = "RAY_gcs_rpc_server_reconnect_timeout_s"
HEAD_TIMEOUT_SECONDS = "10"  # how long a head may be silent before Ray ends the bridge
CPU_ACTOR, GPU_ACTOR = {"num_cpus": 1}, {"num_cpus": 0, "num_gpus": 1}
CONNECT_TIMEOUT_SECONDS = 3.0  # Ray itself waits for half a minute, and then ends its process
WATCH_SECONDS = 2.0  # how long the bridge waits for a lost actor before it answers
RETRY_SECONDS = 5.0
_connect_errors: list[Exception] = []  # in the bridge
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _ActorHandle:
    """An actor, and a Ray future that fails when the actor is lost."""

    actor: Any
    watch: Any


@dataclass(slots=True)
class _PendingTask:
    """A running task: Ray's futures of its outcome and of its next record."""

    number: int
    outcome: Any
    record: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterResources:
    """The cluster's processors and GPUs, and the workers whose actors were lost."""

    cpus: int
    gpus: int
    lost: frozenset[int]


class Bridge:
    """Ray's driver, with an actor for each worker. Its methods may be called in any thread."""

    def __init__(self) -> None:
        self._ray: Any = importlib.import_module("ray")
        self._class = self._ray.remote(SupervisorActor)
        self._actors: dict[int, _ActorHandle] = {}
        self._tasks: dict[int, _PendingTask] = {}

    def check(self) -> None:
        """Do nothing if ``prepare_bridge`` has connected.

        Raises:
            WorkerLostError: It has not; with Ray's reason.
        """
        if _connect_errors:
            raise WorkerLostError(_last_line(_connect_errors[0]))

    def watch(self, seconds: float) -> ClusterResources:
        """Return the cluster's resources after some seconds, or as soon as an actor is lost."""
        watched = {handle.watch: worker for worker, handle in list(self._actors.items())}
        if watched:
            broken, _ = self._ray.wait(list(watched), timeout=seconds)
        else:
            threading.Event().wait(seconds)
            broken = []
        lost = {watched[watch]: watch for watch in broken}
        for worker, watch in lost.items():
            handle = self._actors.get(worker)
            if handle is not None and handle.watch == watch:  # otherwise it has another one by now
                self.kill(worker)
        has = self._ray.cluster_resources()
        cpus, gpus = (int(has.get(name, 0)) for name in ("CPU", "GPU"))
        return ClusterResources(cpus=cpus, gpus=gpus, lost=frozenset(lost))

    def open(self, worker: int, has_gpu: bool) -> str:
        """Wait until a worker has an actor on some node, and answers.

        Args:
            worker: The number of its supervisor, here and below.
            has_gpu: It needs a GPU, for itself alone.

        Returns:
            The fingerprint of that node's playground; an empty text where its worker does not
            start.

        Raises:
            WorkerLostError: The actor did not start, or was lost.
        """
        handle = self._actors.get(worker)
        if handle is None:
            needs = GPU_ACTOR if has_gpu else CPU_ACTOR
            options = self._class.options(
                max_concurrency=THREADS, max_restarts=0, scheduling_strategy="SPREAD", **needs
            )
            actor = options.remote(not has_gpu)
            self._actors[worker] = handle = _ActorHandle(actor, actor.stay.remote())
        found: str = self._get(worker, handle.actor.open.remote())
        return found

    def submit(
        self,
        worker: int,
        number: int,
        pickled_settings: bytes,
        timeout: float,
        reports_progress: bool,
    ) -> None:
        """Send a task to a worker's actor.

        Raises:
            WorkerLostError: It has no actor.
        """
        actor = self._actor(worker)
        outcome = actor.run.remote(number, pickled_settings, timeout, reports_progress)
        self._tasks[worker] = task = _PendingTask(number, outcome)
        if reports_progress:
            task.record = actor.receive.remote(number, RECORD_SECONDS)

    def receive(self, worker: int, seconds: float) -> tuple[bytes | None, bytes | None]:
        """Wait for news of the task, for some seconds at most.

        Returns:
            Its newest record and its packed outcome; None for what there is not.

        Raises:
            WorkerLostError: The actor was lost.
        """
        task = self._tasks[worker]
        awaited = [task.outcome] if task.record is None else [task.outcome, task.record]
        ready, _ = self._ray.wait(awaited, timeout=seconds)
        has_ended = task.outcome in ready
        record = None
        if task.record is not None and (has_ended or task.record in ready):
            record = self._get(worker, task.record)  # an ended run answers at once
            task.record = self._actor(worker).receive.remote(task.number, RECORD_SECONDS)
        if not has_ended:
            return record, None
        if task.record is not None:
            record = self._get(worker, task.record) or record
        return record, self._get(worker, task.outcome)

    def cancel(self, worker: int) -> None:
        """Ask for the end of the task; ``receive`` returns its outcome.

        Raises:
            WorkerLostError: The actor was lost.
        """
        self._actor(worker).cancel.remote(self._tasks[worker].number)

    def kill(self, worker: int) -> None:
        """End a worker's actor, if it has one."""
        handle = self._actors.pop(worker, None)
        if handle is not None:
            self._ray.kill(handle.actor)

    def exit(self) -> None:
        """End this process at once, also in the middle of a call; Ray then ends its actors."""
        os._exit(0)

    def _actor(self, worker: int) -> Any:
        handle = self._actors.get(worker)
        if handle is None:
            raise WorkerLostError("no actor")
        return handle.actor

    def _get(self, worker: int, future: Any) -> Any:
        try:
            return self._ray.get(future)
        except self._ray.exceptions.RayError as error:
            self.kill(worker)
            raise WorkerLostError(_last_line(error)) from None


class BridgeManager(BaseManager):
    """Starts the process, and calls the bridge from the server."""


BridgeManager.register("Bridge", Bridge)


def prepare_bridge(address: str) -> None:
    """Make a fresh process the bridge, which ends with the server, and soon after its cluster.

    Ray is started here, since it needs the main thread.

    Args:
        address: The cluster's head.
    """
    worker_process.exit_with_parent()
    os.environ.setdefault(HEAD_TIMEOUT, HEAD_TIMEOUT_SECONDS)
    os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"  # otherwise a late call starts a cluster here
    try:
        ray: Any = importlib.import_module("ray")
        ray.init(address=address, configure_logging=False, log_to_driver=False)
    except Exception as error:  # noqa: BLE001 - ``check`` raises it in the server
        _connect_errors.append(error)


def _last_line(error: Exception) -> str:
    """Return the reason in a text of Ray's, which puts it at the end, after a trace."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


OnChange = Callable[[], None]
OnResources = Callable[[ClusterResources], None]


class ClusterConnection:
    """The connection to a Ray cluster.

    Args:
        address: ``host:port`` of its head.

    Attributes:
        on_change: Called when the cluster was lost, or is there again.
        on_resources: Called with what the cluster has.
        problem: Text key of what keeps it from working; empty while it connects and works.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._changed = threading.Condition()
        self._is_started = False
        self._stopped = threading.Event()
        self._manager: BridgeManager | None = None
        self._bridge: Any = None
        self.on_change: list[OnChange] = []
        self.on_resources: list[OnResources] = []
        self.problem = ""

    def start(self) -> None:
        """Begin to connect, and return at once; a second call does nothing."""
        with self._lock:
            if self._is_started:
                return
            self._is_started = True
        threading.Thread(target=self._maintain, name="ray-cluster", daemon=True).start()

    def stop(self) -> None:
        """Leave the cluster: the bridge ends, and with it all actors."""
        self._stopped.set()
        self._disconnect()

    def bridge(self) -> Any:
        """Return the bridge.

        Raises:
            WorkerLostError: There is none now.
        """
        bridge = self._bridge
        if bridge is None:
            raise WorkerLostError("not connected")
        return bridge

    def await_bridge(self) -> Any:
        """Wait for a bridge; return None once the connection was stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._bridge is not None or self._stopped.is_set())
            return None if self._stopped.is_set() else self._bridge

    def wait_before_retry(self) -> None:
        """Wait some seconds, or until the connection is stopped."""
        self._stopped.wait(RETRY_SECONDS)

    def _maintain(self) -> None:
        while not self._stopped.is_set():
            try:
                self._connect()
                self._watch()
            except Exception as error:  # noqa: BLE001 - Ray refuses with any type
                self._disconnect()
                if not self._stopped.is_set():
                    self._note_problem(error)
                    self.wait_before_retry()

    def _connect(self) -> None:
        host, _, port = self._address.rpartition(":")
        address = (host.strip("[]"), int(port))
        socket.create_connection(address, CONNECT_TIMEOUT_SECONDS).close()
        manager = BridgeManager(ctx=start_method.Spawn())
        manager.start(prepare_bridge, (self._address,))
        with self._lock:
            self._manager = manager
        if self._stopped.is_set():
            raise WorkerLostError("stopped")
        bridge = manager.Bridge()  # type: ignore[attr-defined]  # it is registered
        bridge.check()
        for notify in self.on_change:
            notify()
        with self._changed:
            self._bridge, self.problem = bridge, ""
            self._changed.notify_all()
        _log.info("connected to the Ray cluster at %s", self._address)

    def _watch(self) -> None:
        bridge, seconds = self._bridge, 0.0
        while not self._stopped.is_set():
            resources = bridge.watch(seconds)
            for notify in self.on_resources:
                notify(resources)
            seconds = WATCH_SECONDS

    def _disconnect(self) -> None:
        with self._lock:
            manager, self._manager = self._manager, None
        with self._changed:
            bridge, self._bridge = self._bridge, None
            self._changed.notify_all()
        if manager is not None:
            with suppress(OSError, EOFError):
                if bridge is not None:
                    bridge.exit()
            manager.shutdown()
        for notify in self.on_change:
            notify()

    def _note_problem(self, error: Exception) -> None:
        if not self.problem:  # it is tried every few seconds, and logged once
            _log.error(
                "The Ray cluster at %s cannot be used, so no experiment runs; it is tried again "
                "every few seconds. Is this computer one of its nodes? The reason: %.500s",
                self._address,
                error if str(error) else "the connection has ended.",
            )
        self.problem = UNAVAILABLE
