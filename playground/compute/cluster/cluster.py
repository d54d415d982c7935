"""Keeps the bridge to the cluster, builds it anew when it is lost, and tells the lanes."""

import logging
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from playground.compute import start_method
from playground.compute.cluster.bridge import BridgeManager, prepare
from playground.compute.cluster.ending import WorkerLostError
from playground.compute.status import UNAVAILABLE

if TYPE_CHECKING:
    from playground.compute.cluster.lane import ClusterLane

KNOCK_SECONDS = 3.0  # Ray itself waits for half a minute, and then ends its process
LOOK_SECONDS = 2.0
RETRY_SECONDS = 5.0
_log = logging.getLogger(__name__)


class Cluster:
    """The connection to a Ray cluster.

    Args:
        address: ``host:port`` of its head.

    Attributes:
        lanes: What it tells of the cluster's size, of lost actors and of its own loss.
        problem: Text key of what keeps it from working; empty while it connects and works.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._changed = threading.Condition()
        self._is_started = False
        self._is_stopped = threading.Event()
        self._manager: BridgeManager | None = None
        self._bridge: Any = None
        self.lanes: tuple[ClusterLane, ...] = ()
        self.problem = ""

    def start(self) -> None:
        """Begin to connect, and return at once; a second call does nothing."""
        with self._lock:
            if self._is_started:
                return
            self._is_started = True
        threading.Thread(target=self._keep, name="ray-cluster", daemon=True).start()

    def stop(self) -> None:
        """Leave the cluster: the bridge ends, and with it all actors."""
        self._is_stopped.set()
        self._disconnect()

    def bridge(self) -> Any:
        """The bridge.

        Raises:
            WorkerLostError: There is none now.
        """
        bridge = self._bridge
        if bridge is None:
            raise WorkerLostError("not connected")
        return bridge

    def await_bridge(self) -> Any:
        """Wait for a bridge; None once the cluster was stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._bridge is not None or self._is_stopped.is_set())
            return None if self._is_stopped.is_set() else self._bridge

    def rest(self) -> None:
        """Wait before something that failed is tried again."""
        self._is_stopped.wait(RETRY_SECONDS)

    def _keep(self) -> None:
        while not self._is_stopped.is_set():
            try:
                self._connect()
                self._watch()
            except Exception as error:  # noqa: BLE001 - Ray refuses with any type
                self._disconnect()
                if not self._is_stopped.is_set():
                    self._tell(error)
                    self.rest()

    def _connect(self) -> None:
        host, _, port = self._address.rpartition(":")
        socket.create_connection((host.strip("[]"), int(port)), KNOCK_SECONDS).close()
        manager = BridgeManager(ctx=start_method.Spawn())
        manager.start(prepare, (self._address,))
        with self._lock:
            self._manager = manager
        if self._is_stopped.is_set():
            raise WorkerLostError("stopped")
        bridge = manager.Bridge()  # type: ignore[attr-defined]  # it is registered
        bridge.check()
        for lane in self.lanes:
            lane.renew()
        with self._changed:
            self._bridge, self.problem = bridge, ""
            self._changed.notify_all()
        _log.info("connected to the Ray cluster at %s", self._address)

    def _watch(self) -> None:
        bridge, seconds = self._bridge, 0.0
        while not self._is_stopped.is_set():
            sight = bridge.look(seconds)
            for lane in self.lanes:
                lane.adapt(sight)
            seconds = LOOK_SECONDS

    def _disconnect(self) -> None:
        with self._lock:
            manager, self._manager = self._manager, None
        with self._changed:
            bridge, self._bridge = self._bridge, None
            self._changed.notify_all()
        if manager is not None:
            with suppress(OSError, EOFError):
                if bridge is not None:
                    bridge.end()
            manager.shutdown()
        for lane in self.lanes:
            lane.renew()

    def _tell(self, error: Exception) -> None:
        if not self.problem:  # it is tried every few seconds, and told once
            _log.error(
                "The Ray cluster at %s cannot be used, so no experiment runs; it is tried again "
                "every few seconds. Is this computer one of its nodes? The reason: %.500s",
                self._address,
                error if str(error) else "the connection has ended.",
            )
        self.problem = UNAVAILABLE
