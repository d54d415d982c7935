"""The health of the server as it is: web process, workers, GPU, sandbox, database."""

from enum import StrEnum
from typing import Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse

from hosting import progress, settings
from hosting.entitled import is_operator
from playground import compute
from playground.compute.status import ComputeStatus, LaneStatus
from playground.sandbox import jail
from playground.sandbox.jail import Preflight

NOT_KEPT = {"cache-control": "no-store"}


class State(StrEnum):
    """How a part is."""

    OK = "ok"
    STARTING = "starting"
    DOWN = "down"
    ABSENT = "absent"
    CLOSED = "closed"


class Kept(Protocol):
    """Whoever keeps progress, as far as its health goes."""

    @property
    def is_available(self) -> bool:
        """The database answered the last time."""

    @property
    def is_troubled(self) -> bool:
        """The last try failed."""


def parts(
    status: ComputeStatus, found: Preflight | None, keeper: Kept | None = None
) -> dict[str, State]:
    """The state of each part.

    Args:
        status: Of the workers.
        found: What the jail's trial found; None while it goes on.
        keeper: Of progress; None where nothing is kept.
    """
    lanes = {lane.name: lane for lane in status.lanes}
    return {
        "web": State.OK,
        "workers": _lane(lanes["cpu"]) if "cpu" in lanes else State.STARTING,
        "gpu": _lane(lanes["gpu"]) if "gpu" in lanes else State.ABSENT,
        "sandbox": State.STARTING if found is None else State.OK if found.ok else State.CLOSED,
        "database": _database(keeper),
    }


def is_well(states: dict[str, State]) -> bool:
    """Whether lessons can be given: what runs on the CPU works.

    Without a GPU, with the lab closed or the database gone the rest goes on, so no proxy should
    give the server up.
    """
    return states["web"] is State.OK and states["workers"] is State.OK


async def answer(request: Request) -> JSONResponse:
    """Say "ok" or "not ok", with 200 or 503; to the operator also which part is how."""
    keeper = progress.current()
    states = parts(compute.status(), jail.found(), keeper)
    told: dict[str, object] = {"status": "ok" if is_well(states) else "not ok"}
    if is_operator(request.scope, settings.current()):
        told["parts"] = states
        told["progress_waiting"] = keeper.waiting if keeper else 0
    return JSONResponse(told, 200 if is_well(states) else 503, headers=NOT_KEPT)


def _lane(lane: LaneStatus) -> State:
    if lane.problem:
        return State.DOWN
    return State.OK if lane.is_ready else State.STARTING


def _database(keeper: Kept | None) -> State:
    if keeper is None:
        return State.ABSENT
    if keeper.is_available:
        return State.OK
    return State.DOWN if keeper.is_troubled else State.STARTING
