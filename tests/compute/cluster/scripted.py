"""A bridge to a cluster that is not there: what its nodes do is written down beforehand."""

import threading
from collections import deque
from collections.abc import Callable, Iterable

from playground.compute.cluster.cluster import Cluster
from playground.compute.cluster.ending import Ending, Left, WorkerLostError, pack
from playground.compute.cluster.fingerprint import fingerprint
from playground.compute.cluster.lane import ClusterLane

Step = Ending | Exception


class ScriptedBridge:
    """Answers each task with the next step, in order; an error is raised.

    Args:
        steps: How the tasks end; where there is none left, a task runs until its caller leaves.
    """

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self.steps = deque(steps)
        self.found: Callable[[], str] = fingerprint
        self.ends_when_left: Ending | None = Left(is_worker_free=True)
        self.begun: list[int] = []
        self.dropped: list[int] = []
        self.left: set[int] = set()

    def open(self, *_: object) -> str:
        return self.found()

    def begin(self, seat: int, *_: object) -> None:
        self.begun.append(seat)

    def hear(self, seat: int, _: float) -> tuple[bytes | None, bytes | None]:
        if seat in self.left:
            answer = self.ends_when_left
            return None, None if answer is None else pack(answer)
        if not self.steps:
            threading.Event().wait(0.01)
            return None, None
        step = self.steps.popleft()
        if isinstance(step, WorkerLostError | OSError | EOFError):
            raise step
        return None, pack(step)

    def leave(self, seat: int) -> None:
        self.left.add(seat)

    def drop(self, seat: int) -> None:
        self.dropped.append(seat)


class ScriptedCluster(Cluster):
    """Connected to a scripted bridge from the start; never to Ray."""

    def __init__(self, bridge: ScriptedBridge) -> None:
        super().__init__("nowhere:1")
        self._bridge = bridge
        self.lanes = tuple(ClusterLane(name, self) for name in ("cpu", "gpu"))

    def start(self) -> None:
        """Nothing is to be started."""

    def rest(self) -> None:
        self._is_stopped.wait(0.01)
