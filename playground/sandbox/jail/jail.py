"""The jail: one zygote at a time, made when it is wanted, tried, replaced when it dies."""

import atexit
import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from playground.errors import SandboxClosedError
from playground.sandbox.jail.answer import JailAnswer, StoppedBecause
from playground.sandbox.jail.consent import is_given
from playground.sandbox.jail.diagnosis import Preflight
from playground.sandbox.jail.fresh import FreshProcesses
from playground.sandbox.jail.line import TELL_SECONDS, Line
from playground.sandbox.jail.performer import Performer
from playground.sandbox.jail.request import ALL_LAYERS, Layer, Request, ZygoteLostError
from playground.sandbox.jail.trial import refusal, try_out, try_out_without
from playground.sandbox.json_values import JsonObject
from playground.sandbox.limits import LIMITS, Limits

if sys.platform == "linux":
    from playground.sandbox.jail.keeper import Keeper

REST_SECONDS = 60.0  # how long a jail that did not open rests before it is tried again
_log = logging.getLogger(__name__)


class Jail:
    """Runs tasks in children of its zygote; safe to use from many threads.

    Args:
        tasks: Where each task lives, by name.
        limits: How many runs at once, and how many may wait.
    """

    def __init__(self, tasks: Mapping[str, str], limits: Limits = LIMITS) -> None:
        self._tasks = tasks
        self._line = Line(limits.children, limits.waiting)
        self._changed = threading.Condition()
        self._performer: Performer | None = None
        self._layers: tuple[Layer, ...] = ALL_LAYERS
        self._found: Preflight | None = None
        self._found_at = 0.0
        self._restarts = 0
        self._is_opening = self._is_stopped = False

    @property
    def waiting(self) -> int:
        """How many runs wait for their turn."""
        return self._line.waiting

    @property
    def found(self) -> Preflight | None:
        """What the last trial found, without waiting; None before it, and while it goes on.

        A zygote that has died since is replaced, before somebody's run meets its absence.
        """
        with self._changed:
            performer, found = self._performer, self._found
        if performer is None or performer.is_alive():
            return found
        self._replace(performer)
        return None

    @property
    def restarts(self) -> int:
        """How many zygotes were lost and replaced so far."""
        return self._restarts

    def start(self) -> None:
        """Begin to make a zygote unless there is one, and return at once."""
        with self._changed:
            self._is_stopped = False
            if self._is_opening or self._performer or self._is_resting():
                return
            atexit.register(self.stop)
            self._is_opening = True
            self._found = None
        threading.Thread(target=self._open, name="jail-opening", daemon=True).start()

    def stop(self) -> None:
        """End the zygote and all its children."""
        atexit.unregister(self.stop)
        with self._changed:
            self._is_stopped = True
            performer, self._performer, self._found = self._performer, None, None
            self._changed.notify_all()
        if performer:
            performer.end()

    def preflight(self) -> Preflight:
        """Wait until it has been tried whether the jail holds, and say so."""
        self.start()
        with self._changed:
            self._changed.wait_for(self._is_settled)
            if self._found is None:
                return Preflight(ok=False, closed_because="the jail was stopped")
            return self._found

    def run(
        self,
        task: str,
        arguments: JsonObject,
        *,
        data: bytes = b"",
        limits: Limits = LIMITS,
        on_wait: Callable[[int], None] | None = None,
    ) -> JailAnswer:
        """Run a task and wait for its answer: ``playground.sandbox.jail.run``."""
        if task not in self._tasks:
            raise ValueError(f"there is no task {task!r}")
        text = json.dumps(arguments).encode()
        if len(text) > limits.arguments_bytes or len(data) > limits.data_bytes:
            raise ValueError("the arguments or the data are larger than a run may be given")
        came = time.monotonic()
        with self._line.turn(on_wait):
            while True:
                performer = self._ready_performer(on_wait)
                waited = time.monotonic() - came
                request = Request(task=task, limits=limits, layers=self._layers)
                try:
                    answer = performer.perform(request, text, data)
                except ZygoteLostError as lost:
                    self._replace(performer)
                    if not lost.is_begun:
                        continue
                    answer = JailAnswer(stopped_because=StoppedBecause.RESTARTED)
                return replace(answer, waited_seconds=waited)

    def _ready_performer(self, on_wait: Callable[[int], None] | None) -> Performer:
        """The zygote, once there is one.

        Raises:
            SandboxClosedError: There will be none.
        """
        self.start()
        while True:
            with self._changed:
                self._changed.wait_for(self._is_settled, TELL_SECONDS)
                if self._performer:
                    return self._performer
                if self._is_settled():
                    raise SandboxClosedError("sandbox_closed")
            if on_wait:
                on_wait(1)

    def _is_settled(self) -> bool:
        """Whether it is known if there will be a zygote."""
        return self._found is not None or self._is_stopped

    def _is_resting(self) -> bool:
        """Whether it is known, and has been for a short time only, that the jail does not hold."""
        if self._found is None:
            return False
        return sys.platform != "linux" or time.monotonic() - self._found_at < REST_SECONDS

    def _replace(self, lost: Performer) -> None:
        """Begin to make a new zygote instead of one that was lost."""
        with self._changed:
            if self._performer is not lost:
                return
            self._performer = self._found = None
            self._restarts += 1
        _log.error("the zygote was lost; a new one is being made")
        lost.kill()
        lost.end()
        if not self._is_stopped:
            self.start()

    def _open(self) -> None:
        """Make a zygote and try it."""
        performer, layers = None, ALL_LAYERS
        try:
            performer = self._made()
            if isinstance(performer, FreshProcesses):
                found, layers = _tried_without(performer), ()
            else:
                found, layers = try_out(performer, is_consented=is_given())
        except Exception as error:  # noqa: BLE001 - whatever it is, the jail stays closed
            _log.exception("the jail could not be tried")
            found = Preflight(ok=False, closed_because=f"{type(error).__name__}: {error}")
        _tell_operator(found)
        with self._changed:
            is_kept = found.ok and not self._is_stopped
            self._performer = performer if is_kept else None
            self._found, self._found_at, self._layers = found, time.monotonic(), layers
            self._is_opening = False
            self._changed.notify_all()
        if performer and not is_kept:
            performer.end()

    def _made(self) -> Performer:
        if sys.platform == "linux":
            return Keeper(self._tasks)
        else:  # noqa: RET505 - mypy knows no other way to look at one system only
            return FreshProcesses(self._tasks)


def _tried_without(performer: Performer) -> Preflight:
    """What is found on a system that can have no jail."""
    why = f"the jail needs Linux with Landlock and seccomp, and this is {sys.platform}"
    if not is_given():
        return Preflight(ok=False, closed_because=refusal(why))
    return try_out_without(performer, (), (why,))


def _tell_operator(found: Preflight) -> None:
    for failure in found.failures:
        _log.error("the jail does not hold: %s", failure)
    for warning in found.warnings:
        _log.warning("the jail: %s", warning)
    if not found.ok:
        _log.error("strangers' code and files are refused: %s", found.closed_because)
