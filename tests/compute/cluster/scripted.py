"""A bridge to a cluster that does not exist: its nodes follow a script."""

import threading
from collections import deque
from collections.abc import Callable, Iterable

from playground.compute.cluster import ClusterPool
from playground.compute.cluster.actor import (
    Cancelled,
    TaskOutcome,
    WorkerLostError,
    fingerprint,
    pack,
)
from playground.compute.cluster.connection import ClusterConnection

Step = TaskOutcome | Exception


class ScriptedBridge:
    """Ends each task with the next step, or runs it until its caller leaves; raises errors."""

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self.steps = deque(steps)
        self.found: Callable[[], str] = fingerprint
        self.ends_when_cancelled: TaskOutcome | None = Cancelled(is_worker_free=True)
        self.submitted: list[int] = []
        self.killed: list[int] = []
        self.cancelled: set[int] = set()

    def open(self, *_: object) -> str:
        return self.found()

    def submit(self, worker: int, *_: object) -> None:
        self.submitted.append(worker)

    def receive(self, worker: int, _: float) -> tuple[bytes | None, bytes | None]:
        if worker in self.cancelled:
            outcome = self.ends_when_cancelled
            return None, None if outcome is None else pack(outcome)
        if not self.steps:
            threading.Event().wait(0.01)
            return None, None
        step = self.steps.popleft()
        if isinstance(step, WorkerLostError | OSError | EOFError):
            raise step
        return None, pack(step)

    def cancel(self, worker: int) -> None:
        self.cancelled.add(worker)

    def kill(self, worker: int) -> None:
        self.killed.append(worker)


class ScriptedConnection(ClusterConnection):
    """Connected to a scripted bridge from the start; never to Ray."""

    def __init__(self, bridge: ScriptedBridge) -> None:
        super().__init__("nowhere:1")
        self._bridge = bridge
        self.pools = tuple(ClusterPool(name, self) for name in ("cpu", "gpu"))

    def start(self) -> None:
        """Nothing is to be started."""

    def wait_before_retry(self) -> None:
        self._stopped.wait(0.01)
