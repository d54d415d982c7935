"""What sits on a node: a local seat with its worker process, and two ears beside it.

A Ray actor with threads. The worker is the one of the local lanes, in a process of its own: a task
that crashes or takes too long costs this process nothing, and Ray does not notice.
"""

import threading

from playground.compute import start_method
from playground.compute.cluster.ending import Left, pack
from playground.compute.cluster.fingerprint import fingerprint
from playground.compute.progress import Progress
from playground.compute.seat import CallerLeftError, Seat, WorkerDiedError, WorkerTimedOutError

BOOT_SECONDS = 120.0  # torch from a cold disk, on a busy computer
THREADS = 5  # stay, open, run, hear and leave


class _LeftError(BaseException):
    """Ends a run whose caller left."""


class SeatActor:
    """One worker on a node; takes one task at a time.

    Args:
        hides_cuda: Its worker must see no GPU; otherwise it sees those that Ray gave this actor.
    """

    def __init__(self, hides_cuda: bool) -> None:
        context = start_method.quickest() if hides_cuda else start_method.Spawn()
        self._seat = Seat(context, hides_cuda=hides_cuda, boot_seconds=BOOT_SECONDS)
        self._changed = threading.Condition()
        self._told: bytes | None = None
        self._over = self._left = 0  # the numbers of the latest such runs

    def stay(self) -> None:
        """Never return: whoever waits for it learns of the death of this process."""
        threading.Event().wait()

    def open(self) -> str:
        """Make sure that a worker answers.

        Returns:
            The fingerprint of this node's playground; nothing where no worker starts.
        """
        return fingerprint() if self._seat.open() else ""

    def run(self, number: int, pickled_settings: bytes, timeout: float, tells: bool) -> bytes:
        """Run one experiment; answer with its packed ending.

        Args:
            number: The run's; each is larger than the one before.
            pickled_settings: The experiment's.
            timeout: Seconds that it may take.
            tells: Somebody hears its progress.
        """
        self._told = None

        def look(_: float) -> None:
            if self._left == number:
                raise _LeftError

        progress = Progress(on_run=look, on_tell=self._tell if tells else None)
        try:
            return pack(self._seat.run(pickled_settings, timeout, progress))
        except (WorkerTimedOutError, WorkerDiedError) as error:
            return pack(error.with_traceback(None))
        except CallerLeftError as left:
            return pack(Left(left.is_worker_free))
        finally:
            with self._changed:
                self._over = number
                self._changed.notify_all()

    def hear(self, number: int, seconds: float) -> bytes | None:
        """The newest record that a run told and nobody heard, after some seconds at most."""
        with self._changed:
            self._changed.wait_for(lambda: self._told or self._over >= number, seconds)
            told, self._told = self._told, None
            return told

    def leave(self, number: int) -> None:
        """End a run."""
        self._left = number

    def _tell(self, told: bytes) -> None:
        with self._changed:
            self._told = told
            self._changed.notify_all()
