"""What the workers are doing, as plain data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneStatus:
    """One lane, at one moment.

    Attributes:
        name: ``"cpu"`` or ``"gpu"``.
        workers: How many workers are up.
        is_ready: At least one is.
        waiting: Experiments in the queue.
        running: Experiments in a worker.
        crashes: How many workers died so far.
        timeouts: How many were killed for taking too long so far.
        problem: Text key of what keeps the lane from working; empty while it starts and works.
    """

    name: str
    workers: int
    is_ready: bool
    waiting: int
    running: int
    crashes: int
    timeouts: int
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeStatus:
    """All lanes; none before the start and after the stop."""

    lanes: tuple[LaneStatus, ...] = ()

    @property
    def is_ready(self) -> bool:
        """Whether there are lanes and each can take an experiment."""
        return bool(self.lanes) and all(lane.is_ready for lane in self.lanes)

    @property
    def problem(self) -> str:
        """The first problem of a lane, or nothing."""
        return next((lane.problem for lane in self.lanes if lane.problem), "")
