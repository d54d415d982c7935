"""Health of the server's parts: web process, workers, GPU, sandbox, database."""

import functools
from enum import StrEnum
from typing import Protocol

from hosting.responses import say
from playground.compute.status import ComputeStatus, PoolStatus
from playground.machines import gpu_detection
from playground.sandbox.jail import SelfTestResult


class State(StrEnum):
    """State of a part."""

    OK = "ok"
    STARTING = "starting"
    DOWN = "down"
    ABSENT = "absent"
    CLOSED = "closed"


class Database(Protocol):
    """The writer of progress, as far as its health goes."""

    @property
    def is_available(self) -> bool:
        """The database answered the last time."""

    @property
    def is_failing(self) -> bool:
        """The last attempt failed."""


def parts(
    status: ComputeStatus, preflight: SelfTestResult | None, database: Database | None = None
) -> dict[str, State]:
    """Return the state of each part.

    Args:
        status: Of the workers.
        preflight: The result of the jail's self-test; None while it runs.
        database: The writer of progress; None if no progress is saved.
    """
    pools = {pool.name: pool for pool in status.pools}
    return {
        "web": State.OK,
        "workers": _pool_state(pools["cpu"]) if "cpu" in pools else State.STARTING,
        "gpu": _pool_state(pools["gpu"]) if "gpu" in pools else State.ABSENT,
        "sandbox": _sandbox_state(preflight),
        "database": _database_state(database),
    }


@functools.cache
def gpu_note(language: str) -> str:
    """Return why the NVIDIA GPUs of this computer are not used; empty if nothing is wrong.

    A new driver needs a restart in any case, so the answer is kept.
    """
    found = gpu_detection.unusable_gpus()
    if found is None:
        return ""
    values = {"count": found.count, "driver": found.driver, "supported": found.driver_cuda}
    name = "old-driver" if found.torch_cuda else "no-cuda"
    if found.compute_capability:
        name, values["capability"] = "old-gpu", found.compute_capability
    return say(f"server.{name}", language, needed=found.torch_cuda, **values)


def is_healthy(states: dict[str, State]) -> bool:
    """Return whether lessons work, for which the CPU's workers suffice.

    Lessons go on without the GPU, the lab and the database, so a proxy should keep the server.
    """
    return states["web"] is State.OK and states["workers"] is State.OK


def _pool_state(pool: PoolStatus) -> State:
    if pool.problem:
        return State.DOWN
    return State.OK if pool.is_ready else State.STARTING


def _sandbox_state(preflight: SelfTestResult | None) -> State:
    if preflight is None:
        return State.STARTING
    return State.OK if preflight.ok else State.CLOSED


def _database_state(database: Database | None) -> State:
    if database is None:
        return State.ABSENT
    if database.is_available:
        return State.OK
    return State.DOWN if database.is_failing else State.STARTING
