"""Ray actor on a node: holds a local worker supervisor, and sends back how each task ended.

The worker has a process of its own, as in a local pool: a task that crashes or takes too long costs
the actor nothing, and Ray does not notice.
"""

import hashlib
import pickle
import threading
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from playground.compute import start_method
from playground.compute.streaming import Callbacks
from playground.compute.worker_process import Result
from playground.compute.worker_supervisor import (
    CallerLeftError,
    WorkerDiedError,
    WorkerSupervisor,
    WorkerTimedOutError,
)

BOOT_SECONDS = 120.0  # torch from a cold disk, on a busy computer
THREADS = 5  # stay, open, run, receive and cancel
PACKAGE = Path(__file__).parents[2]
RELEVANT_PACKAGES = ("torch", "numpy", "pebble")


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The run was stopped because its caller left.

    Attributes:
        is_worker_free: The worker obeyed and can take the next task.
    """

    is_worker_free: bool


class WorkerLostError(Exception):
    """The node, or the connection to it, was lost; the state of the task is unknown."""


TaskOutcome = Result | Cancelled | WorkerTimedOutError | WorkerDiedError


def pack(outcome: TaskOutcome) -> bytes:
    """Pickle an outcome."""
    return pickle.dumps(outcome, protocol=pickle.HIGHEST_PROTOCOL)


def unpack(packed: bytes) -> TaskOutcome:
    """Read an outcome that ``pack`` wrote."""
    outcome: TaskOutcome = pickle.loads(packed)  # noqa: S301 - written by our own actor on a closed cluster
    return outcome


@cache
def fingerprint() -> str:
    """Return a digest of the playground's code and of the versions that affect its results.

    All nodes must have the same one, since results must not depend on the node. The build is left
    out: torch for the CPU and for CUDA are one version.
    """
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    for name in RELEVANT_PACKAGES:
        digest.update(f"{name} {metadata.version(name).partition('+')[0]}".encode())
    return digest.hexdigest()


class _CancelledError(BaseException):
    """Ends a run whose caller left."""


class SupervisorActor:
    """One worker on a node; takes one task at a time. Its methods run in threads.

    Args:
        hides_cuda: Its worker must see no GPU; otherwise it sees those that Ray gave this actor.
    """

    def __init__(self, hides_cuda: bool) -> None:
        context = start_method.fastest_context() if hides_cuda else start_method.Spawn()
        self._supervisor = WorkerSupervisor(
            context, hides_cuda=hides_cuda, boot_seconds=BOOT_SECONDS
        )
        self._changed = threading.Condition()
        self._record: bytes | None = None
        self._ended = self._cancelled = 0  # the numbers of the latest such runs

    def stay(self) -> None:
        """Never return, so that a caller who waits for it learns of the death of this process."""
        threading.Event().wait()

    def open(self) -> str:
        """Make sure that a worker answers.

        Returns:
            The fingerprint of this node's playground; an empty text where no worker starts.
        """
        return fingerprint() if self._supervisor.open() else ""

    def run(
        self, number: int, pickled_settings: bytes, timeout: float, reports_progress: bool
    ) -> bytes:
        """Run one experiment and return its packed outcome.

        Args:
            number: The run's; each is larger than the one before.
            pickled_settings: The experiment's.
            timeout: Seconds that it may take.
            reports_progress: Whether its progress has a reader.
        """
        self._record = None

        def on_run(_: float) -> None:
            if self._cancelled == number:
                raise _CancelledError

        on_progress = self._put_record if reports_progress else None
        callbacks = Callbacks(on_run=on_run, on_progress=on_progress)
        try:
            return pack(self._supervisor.run(pickled_settings, timeout, callbacks))
        except (WorkerTimedOutError, WorkerDiedError) as error:
            return pack(error.with_traceback(None))
        except CallerLeftError as left:
            return pack(Cancelled(left.is_worker_free))
        finally:
            with self._changed:
                self._ended = number
                self._changed.notify_all()

    def receive(self, number: int, seconds: float) -> bytes | None:
        """Wait for the newest unread record of a run, for some seconds at most."""
        with self._changed:
            self._changed.wait_for(lambda: self._record or self._ended >= number, seconds)
            record, self._record = self._record, None
            return record

    def cancel(self, number: int) -> None:
        """Stop a run."""
        self._cancelled = number

    def _put_record(self, record: bytes) -> None:
        with self._changed:
            self._record = record
            self._changed.notify_all()
