"""The jail: one zygote at a time, started on demand, self-tested, replaced when it dies.

Short runs go soon: few of the permits are given to long runs, so that a short one waits for short
ones only. A run is long if its limits allow more than the usual ones do, or if its visitor has
recently used more than a share. Among the long runs that wait, the visitor who has used least goes
first: who runs into the time limit again and again, waits behind the others.
"""

import atexit
import json
import logging
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace

from playground.compute.fair_queue import REPORT_SECONDS, FairQueue
from playground.errors import PlaygroundError, SandboxBusyError, SandboxClosedError
from playground.sandbox.jail.answer import JailAnswer, StoppedBecause
from playground.sandbox.jail.request import (
    ALL_LAYERS,
    NOBODY,
    Layer,
    Request,
    TaskRunner,
    Watcher,
    ZygoteLostError,
)
from playground.sandbox.jail.self_test import (
    SelfTestResult,
    is_unjailed_allowed,
    refusal,
    run_self_test,
    run_unjailed_self_test,
)
from playground.sandbox.jail.subprocess_runner import SubprocessRunner
from playground.sandbox.limits import LIMITS, Limits
from playground.sandbox.schema import JsonObject

if sys.platform == "linux":
    from playground.sandbox.jail.zygote_process import ZygoteProcess

RETRY_SECONDS = 60.0  # before a jail that failed its self-test is tried again
SWITCHED_OFF = SelfTestResult(ok=False, closed_because="the operator has switched it off")
_log = logging.getLogger(__name__)
UNCOUNTED_SECONDS = 1.0  # of each run: who looks at small programs stays light
LIGHT_USE_SECONDS = 2.0  # of a visitor; beyond these, all of their runs are long
USE_HALF_LIFE_SECONDS = 60.0
MAX_VISITORS = 5_000  # that are remembered; whose last counted run is oldest goes first
OnWait = Callable[[int], None]


class Usage:
    """The seconds that visitors have used recently; what is a minute old counts half.

    Args:
        clock: Gives the time, in seconds.

    >>> now = [0.0]
    >>> usage = Usage(lambda: now[0])
    >>> usage.add("a", 5.0)
    >>> now[0] = 60.0
    >>> usage.of("a"), usage.of("b")
    (2.0, 0.0)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._used: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, visitor: str) -> float:
        """Return what a visitor has used recently."""
        with self._lock:
            return self._of(visitor)

    def add(self, visitor: str, seconds: float) -> None:
        """Count a run; of one without a visitor, nothing."""
        counted = seconds - UNCOUNTED_SECONDS
        if not visitor or counted <= 0:
            return
        with self._lock:
            self._used[visitor] = (self._of(visitor) + counted, self._clock())
            self._used.move_to_end(visitor)
            while len(self._used) > MAX_VISITORS:
                self._used.popitem(last=False)

    def _of(self, visitor: str) -> float:
        used, at = self._used.get(visitor, (0.0, 0.0))
        return used * 0.5 ** ((self._clock() - at) / USE_HALF_LIFE_SECONDS) if used else 0.0


class FairShare:
    """Permits for the runs of all visitors.

    Args:
        limits: How many at once, and how many may wait in each of the two queues.
        refuse: Makes the error for a run that finds too many waiting.
        usage: What visitors have used.
    """

    def __init__(
        self, limits: Limits, refuse: Callable[[int], PlaygroundError], usage: Usage | None = None
    ) -> None:
        self._all = FairQueue(range(limits.children), max_waiting=limits.waiting, refuse=refuse)
        long = range(limits.long_children)
        self._long = FairQueue(long, max_waiting=limits.waiting, refuse=refuse)
        self._usage = usage or Usage()

    @property
    def waiting(self) -> int:
        """The number of runs in the queue."""
        return self._all.waiting + self._long.waiting

    @contextmanager
    def turn(self, visitor: str, limits: Limits, on_wait: OnWait | None = None) -> Iterator[None]:
        """Wait for a permit, and hold it for the time of the ``with``.

        Args:
            visitor: Who asks; any stable text, empty for the server itself.
            limits: Of the run.
            on_wait: As of ``FairQueue.acquire``.

        Raises:
            PlaygroundError: From ``refuse``: too many runs wait already.
        """
        used = self._usage.of(visitor)
        is_long = limits.cpu_seconds > LIMITS.cpu_seconds or used > LIGHT_USE_SECONDS
        permit = self._long.turn(on_wait, priority=used) if is_long else nullcontext()
        with permit, self._all.turn(on_wait):
            began = time.monotonic()
            try:
                yield
            finally:
                self._usage.add(visitor, time.monotonic() - began)


class Jail:
    """Runs tasks in children of its zygote; safe to use from many threads.

    Args:
        tasks: ``"module:function"`` of each task, by name.
        limits: How many runs at once, and how many may wait.
    """

    def __init__(self, tasks: Mapping[str, str], limits: Limits = LIMITS) -> None:
        self._tasks = tasks
        self._queue = FairShare(limits, _busy)
        self._changed = threading.Condition()
        self._runner: TaskRunner | None = None
        self._layers: tuple[Layer, ...] = ALL_LAYERS
        self._found: SelfTestResult | None = None
        self._found_at = 0.0
        self._restarts = 0
        self._is_starting = self._is_stopped = self._is_switched_off = False

    @property
    def waiting(self) -> int:
        """The number of runs in the queue."""
        return self._queue.waiting

    @property
    def found(self) -> SelfTestResult | None:
        """The result of the last self-test; None before it, and while it runs.

        A zygote that has died since is replaced, before a run needs it.
        """
        with self._changed:
            runner, found = self._runner, self._found
        if runner is None or runner.is_alive():
            return found
        self._replace(runner)
        return None

    @property
    def restarts(self) -> int:
        """The number of zygotes that were lost and replaced."""
        return self._restarts

    def start(self) -> None:
        """Start a zygote in the background unless there is one."""
        with self._changed:
            self._is_stopped = False
            if self._is_switched_off:
                self._found = SWITCHED_OFF
            if self._is_starting or self._runner or self._is_backing_off():
                return
            atexit.register(self.stop)
            self._is_starting = True
            self._found = None
        threading.Thread(target=self._start_runner, name="jail-start", daemon=True).start()

    def switch_off(self) -> None:
        """Refuse every run and start no zygote; call it before ``start``."""
        with self._changed:
            self._is_switched_off, self._found = True, SWITCHED_OFF

    def stop(self) -> None:
        """End the zygote and all its children."""
        atexit.unregister(self.stop)
        with self._changed:
            self._is_stopped = True
            runner, self._runner, self._found = self._runner, None, None
            self._changed.notify_all()
        if runner:
            runner.end()

    def preflight(self) -> SelfTestResult:
        """Wait for the self-test of the jail and return its result."""
        self.start()
        with self._changed:
            self._changed.wait_for(self._is_settled)
            if self._found is None:
                return SelfTestResult(ok=False, closed_because="the jail was stopped")
            return self._found

    def run(
        self,
        task: str,
        arguments: JsonObject,
        *,
        data: bytes = b"",
        more: bytes = b"",
        limits: Limits = LIMITS,
        on_wait: OnWait | None = None,
        watcher: Watcher = NOBODY,
        visitor: str = "",
    ) -> JailAnswer:
        """Run a task and wait for its answer: ``playground.sandbox.jail.run``."""
        if task not in self._tasks:
            raise ValueError(f"there is no task {task!r}")
        text = json.dumps(arguments).encode()
        is_too_long = len(data) + len(more) > limits.data_bytes
        if is_too_long or len(text) > limits.arguments_bytes:
            raise ValueError("the arguments or the data are larger than a run may be given")
        came = time.monotonic()
        with self._queue.turn(visitor, limits, on_wait):
            while True:
                runner = self._ready_runner(on_wait)
                waited = time.monotonic() - came
                request = Request(task=task, limits=limits, layers=self._layers)
                watcher.begin()
                try:
                    answer = runner.run(request, text, data, watcher, more)
                except ZygoteLostError as lost:
                    self._replace(runner)
                    if not lost.is_begun:
                        continue
                    answer = JailAnswer(stopped_because=StoppedBecause.RESTARTED)
                return replace(answer, waited_seconds=waited)

    def _ready_runner(self, on_wait: OnWait | None) -> TaskRunner:
        """Wait for the zygote.

        Raises:
            SandboxClosedError: There will be none.
        """
        self.start()
        while True:
            with self._changed:
                self._changed.wait_for(self._is_settled, REPORT_SECONDS)
                if self._runner:
                    return self._runner
                if self._is_settled():
                    raise SandboxClosedError("sandbox_closed")
            if on_wait:
                on_wait(1)

    def _is_settled(self) -> bool:
        """Return whether the self-test has ended, or the jail was stopped."""
        return self._found is not None or self._is_stopped

    def _is_backing_off(self) -> bool:
        """Return whether the self-test has failed recently."""
        if self._found is None:
            return False
        if self._is_switched_off or sys.platform != "linux":
            return True
        return time.monotonic() - self._found_at < RETRY_SECONDS

    def _replace(self, lost: TaskRunner) -> None:
        """Start a new zygote in place of one that was lost."""
        with self._changed:
            if self._runner is not lost:
                return
            self._runner = self._found = None
            self._restarts += 1
        _log.error("the zygote was lost; a new one is being made")
        lost.kill()
        lost.end()
        if not self._is_stopped:
            self.start()

    def _start_runner(self) -> None:
        """Start a zygote and self-test it."""
        runner, layers = None, ALL_LAYERS
        try:
            runner = self._make_runner()
            if isinstance(runner, SubprocessRunner):
                found, layers = _unjailed_self_test(runner), ()
            else:
                found, layers = run_self_test(runner, is_unjailed_allowed=is_unjailed_allowed())
        except Exception as error:  # noqa: BLE001 - the jail stays closed
            _log.exception("the jail could not be tried")
            found = SelfTestResult(ok=False, closed_because=f"{type(error).__name__}: {error}")
        _log_result(found)
        with self._changed:
            is_kept = found.ok and not self._is_stopped
            self._runner = runner if is_kept else None
            self._found, self._found_at, self._layers = found, time.monotonic(), layers
            self._is_starting = False
            self._changed.notify_all()
        if runner and not is_kept:
            runner.end()

    def _make_runner(self) -> TaskRunner:
        if sys.platform == "linux":
            return ZygoteProcess(self._tasks)
        else:  # noqa: RET505 - mypy needs this form to check one system only
            return SubprocessRunner(self._tasks)


def _unjailed_self_test(runner: TaskRunner) -> SelfTestResult:
    """Self-test on a system that can have no jail."""
    why = f"the jail needs Linux with Landlock and seccomp, and this is {sys.platform}"
    if not is_unjailed_allowed():
        return SelfTestResult(ok=False, closed_because=refusal(why))
    return run_unjailed_self_test(runner, (), (why,))


def _log_result(found: SelfTestResult) -> None:
    for failure in found.failures:
        _log.error("the jail does not hold: %s", failure)
    for warning in found.warnings:
        _log.warning("the jail: %s", warning)
    if not found.ok:
        _log.error("strangers' code and files are refused: %s", found.closed_because)


def _busy(waiting: int) -> SandboxBusyError:
    return SandboxBusyError("sandbox_busy", waiting=waiting)
