"""The server's connection to a Ray cluster: starts the bridge, and replaces it when it is lost."""

import logging
import socket
import threading
from contextlib import suppress
from typing import Any, Protocol

from playground.compute import start_method
from playground.compute.cluster.actor import WorkerLostError
from playground.compute.cluster.bridge import BridgeManager, ClusterResources, prepare
from playground.compute.status import UNAVAILABLE

CONNECT_TIMEOUT_SECONDS = 3.0  # Ray itself waits for half a minute, and then ends its process
WATCH_SECONDS = 2.0
RETRY_SECONDS = 5.0
_log = logging.getLogger(__name__)


class Observer(Protocol):
    """Interface of a pool that follows the cluster."""

    def resize(self, resources: ClusterResources) -> None:
        """Take note of the cluster's resources, and of lost actors."""

    def reopen_all(self) -> None:
        """Take note that the connection was lost, or is there again."""


class ClusterConnection:
    """The connection to a Ray cluster.

    Args:
        address: ``host:port`` of its head.

    Attributes:
        observers: The pools that use it.
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
        self.observers: list[Observer] = []
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
        manager.start(prepare, (self._address,))
        with self._lock:
            self._manager = manager
        if self._stopped.is_set():
            raise WorkerLostError("stopped")
        bridge = manager.Bridge()  # type: ignore[attr-defined]  # it is registered
        bridge.check()
        for observer in self.observers:
            observer.reopen_all()
        with self._changed:
            self._bridge, self.problem = bridge, ""
            self._changed.notify_all()
        _log.info("connected to the Ray cluster at %s", self._address)

    def _watch(self) -> None:
        bridge, seconds = self._bridge, 0.0
        while not self._stopped.is_set():
            resources = bridge.watch(seconds)
            for observer in self.observers:
                observer.resize(resources)
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
        for observer in self.observers:
            observer.reopen_all()

    def _note_problem(self, error: Exception) -> None:
        if not self.problem:  # it is tried every few seconds, and logged once
            _log.error(
                "The Ray cluster at %s cannot be used, so no experiment runs; it is tried again "
                "every few seconds. Is this computer one of its nodes? The reason: %.500s",
                self._address,
                error if str(error) else "the connection has ended.",
            )
        self.problem = UNAVAILABLE
