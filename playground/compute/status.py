"""What the workers are doing, as plain data."""

from dataclasses import dataclass

GPU = "gpu"  # the name of a lane
UNAVAILABLE = "compute_unavailable"  # the problem of a lane without workers


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
        losses: How many of the crashes were lost CUDA contexts.
        problem: Text key of what keeps the lane from working; empty while it starts and works.
        retry_seconds: With a problem: until it is tried again, where that is known.
    """

    name: str
    workers: int
    is_ready: bool
    waiting: int
    running: int
    crashes: int
    timeouts: int
    losses: int = 0
    problem: str = ""
    retry_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeStatus:
    """All lanes.

    Attributes:
        lanes: None before the start and after the stop.
        is_awaited: There are none yet, and they will be started without anybody's doing.
    """

    lanes: tuple[LaneStatus, ...] = ()
    is_awaited: bool = False

    @property
    def is_ready(self) -> bool:
        """Whether lessons can be given: a GPU that is away stands in nobody's way."""
        return any(lane.is_ready for lane in self.lanes) and all(
            lane.is_ready or (lane.problem and lane.name == GPU) for lane in self.lanes
        )

    @property
    def gpu_problem(self) -> str:
        """The problem of the lane that can see GPUs, or nothing."""
        return next((lane.problem for lane in self.lanes if lane.name == GPU), "")

    @property
    def gpu_retry_seconds(self) -> float | None:
        """Until GPUs that are away are tried again; None where none is away."""
        away = [lane for lane in self.lanes if lane.name == GPU and lane.problem]
        return (away[0].retry_seconds or 0.0) if away else None

    @property
    def problem(self) -> str:
        """What keeps every experiment from running, or nothing; a GPU that is away does not."""
        return next((each.problem for each in self.lanes if each.problem and each.name != GPU), "")
