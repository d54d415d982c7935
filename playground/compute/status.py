"""Status of the workers as plain data, for pages, health and metrics."""

from dataclasses import dataclass

GPU = "gpu"  # the name of a pool
UNAVAILABLE = "compute_unavailable"  # the problem of a pool without workers


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolStatus:
    """One pool, at one moment.

    Attributes:
        name: ``"cpu"`` or ``"gpu"``.
        workers: How many workers are up.
        is_ready: At least one is.
        waiting: Experiments in the queue.
        running: Experiments in a worker.
        crashes: How many workers died so far.
        timeouts: How many were killed for taking too long so far.
        losses: How many of the crashes were lost CUDA contexts.
        problem: Text key of what keeps the pool from working; empty while it starts and works.
        retry_seconds: With a problem: until the next attempt, where that is known.
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
    """All pools.

    Attributes:
        pools: Empty before the start and after the stop.
        is_awaited: There are no pools yet, and they will start by themselves.
    """

    pools: tuple[PoolStatus, ...] = ()
    is_awaited: bool = False

    @property
    def is_ready(self) -> bool:
        """True if lessons can be given; they can while a GPU is away."""
        return any(pool.is_ready for pool in self.pools) and all(
            pool.is_ready or (pool.problem and pool.name == GPU) for pool in self.pools
        )

    @property
    def gpu_problem(self) -> str:
        """The problem of the pool that can see GPUs, or an empty text."""
        return next((pool.problem for pool in self.pools if pool.name == GPU), "")

    @property
    def gpu_retry_seconds(self) -> float | None:
        """Seconds until GPUs that are away are tried again; None where none is away."""
        away = [pool for pool in self.pools if pool.name == GPU and pool.problem]
        return (away[0].retry_seconds or 0.0) if away else None

    @property
    def problem(self) -> str:
        """The problem that keeps every experiment from running, or an empty text."""
        return next((each.problem for each in self.pools if each.problem and each.name != GPU), "")
