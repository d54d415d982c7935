"""A run in the sandbox: a thread waits for it, so that the page need not.

Streamlit ends the drawing of a page whenever the visitor does something. The run goes on, and the
next drawing continues to wait for it.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from playground.errors import PlaygroundError
from playground.machines import Machine
from playground.sandbox.live_run import LiveRun

ReportT = TypeVar("ReportT")
DEFAULT_MACHINE = Machine()
OnWait = Callable[[int], None]
_log = logging.getLogger(__name__)


class AbandonedError(BaseException):
    """The visitor has stopped the run."""


class SandboxRun(Generic[ReportT]):
    """A run in the sandbox.

    Args:
        do: Runs it, and calls what it is given with the place in the queue while it waits.
        source: The program.
        machine: What it runs on.
        live: Follows the run, and ends it where it is stopped; without one, it ends by its limits.
        after: A run of the same visitor that must be over first.

    >>> run = SandboxRun(lambda on_wait: 7)
    >>> run.wait(5), run.report
    (True, 7)
    """

    def __init__(
        self,
        do: Callable[[OnWait], ReportT],
        *,
        source: str = "",
        machine: Machine = DEFAULT_MACHINE,
        live: LiveRun | None = None,
        after: "SandboxRun[ReportT] | None" = None,
    ) -> None:
        self.source, self.machine, self.live = source, machine, live
        self.place = 0
        self.report: ReportT | None = None
        self.error: PlaygroundError | None = None
        self.is_stopped = False
        self.started_at = time.monotonic()
        self._do = do
        self._over = threading.Event()
        self._after = None if after is None else after._over
        threading.Thread(target=self._run, daemon=True, name="lab-run").start()

    @property
    def is_over(self) -> bool:
        """There is a report, an error, or nothing to report: it was stopped before it began."""
        has_begun = self.live is not None and self.live.has_begun
        return self._over.is_set() or (self.is_stopped and not has_begun)

    @property
    def seconds(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.started_at

    def wait(self, seconds: float) -> bool:
        """Wait at most this long, and return whether the run is over."""
        self._over.wait(seconds)
        return self.is_over

    def stop(self) -> None:
        """End it: it leaves the queue, or is killed, and its report says what it had done."""
        self.is_stopped = True
        if self.live is not None:
            self.live.cancel()

    def _run(self) -> None:
        try:
            if self._after is not None:
                self._after.wait()
            self._note(0)
            self.report = self._do(self._note)
        except AbandonedError:
            pass
        except PlaygroundError as error:
            self.error = error
        except Exception:  # noqa: BLE001 - nobody else hears of it; the page says one sentence
            _log.exception("a run in the lab failed")
        finally:
            self._over.set()

    def _note(self, place: int) -> None:
        if self.is_stopped:
            raise AbandonedError
        self.place = place
