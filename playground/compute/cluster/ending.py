"""How a run on a node ended, as it travels back to the web process."""

import pickle
from dataclasses import dataclass

from playground.compute.answer import Answer
from playground.compute.seat import WorkerDiedError, WorkerTimedOutError


@dataclass(frozen=True, slots=True)
class Left:
    """The run was ended because its caller left.

    Attributes:
        is_worker_free: The worker obeyed and can take the next task.
    """

    is_worker_free: bool


class WorkerLostError(Exception):
    """The node, or the way to it, was lost; nobody knows how far the task was."""


Ending = Answer | Left | WorkerTimedOutError | WorkerDiedError


def pack(ending: Ending) -> bytes:
    """Pickle an ending."""
    return pickle.dumps(ending, protocol=pickle.HIGHEST_PROTOCOL)


def unpack(packed: bytes) -> Ending:
    """Read it again."""
    ending: Ending = pickle.loads(packed)  # noqa: S301 - written by our own actor on a closed cluster
    return ending
