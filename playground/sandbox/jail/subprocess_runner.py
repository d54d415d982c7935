"""Runs each task in a new interpreter, if there is no jail and the operator allows it.

It is slow, since each imports torch, and it protects nothing of the operator's files. It still
keeps untrusted code out of the web process, with the same bounds on time, output and answer. The
new interpreter runs ``main``.
"""

import importlib
import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import IO, NoReturn

from playground.sandbox.jail.answer import ExitStatus, JailAnswer, classify
from playground.sandbox.jail.request import (
    NOBODY,
    Capture,
    Request,
    ResultCapture,
    Watcher,
    interpreter_command,
    interpreter_environment,
)
from playground.sandbox.jail.run_task import CHANNEL, Task, run_task, start_timer
from playground.sandbox.limits import Limits

BOOT_TIMEOUT_SECONDS = 60.0
CHUNK = 2**16
STANDARD_ERROR = 2
BEGUN = b"\n"
CHECK_SECONDS = 0.1  # how often the watcher is asked


class SubprocessRunner:
    """Runs each job in a process that is started for it.

    Args:
        tasks: ``"module:function"`` of each task, by name.
    """

    def __init__(self, tasks: Mapping[str, str]) -> None:
        self._tasks = tasks

    def wait_until_ready(self) -> dict[str, int]:
        """Return no facts: there is nothing to wait for."""
        return {}

    def is_alive(self) -> bool:
        """Return True: no process stays between jobs."""
        return True

    def kill(self) -> None:
        """Do nothing: no process stays between jobs."""

    def end(self) -> None:
        """Do nothing: no process stays between jobs."""

    def run(
        self,
        request: Request,
        arguments: bytes,
        data: bytes,
        watcher: Watcher = NOBODY,
        more: bytes = b"",
    ) -> JailAnswer:
        """Have a new process do a job, and wait for its end."""
        limits = request.limits
        home = self._tasks[request.task]
        with subprocess.Popen(
            interpreter_command("subprocess_runner", home, asdict(limits), len(arguments)),
            env=interpreter_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            printed = Capture(limits.output_bytes, watcher.write)
            answer = ResultCapture(limits, watcher)
            output = _Reader(process, process.stdout, printed)
            result = _Reader(process, process.stderr, answer, skip=BEGUN)
            try:
                _hand_over(process, (arguments, data, more))
                result.is_begun.wait(BOOT_TIMEOUT_SECONDS)
                began = time.monotonic()
                is_cancelled = _wait(process, began + limits.wall_seconds, watcher)
                is_overdue = not is_cancelled and process.poll() is None
                elapsed_seconds = time.monotonic() - began
            finally:
                process.kill()
                code = process.wait()
                output.join()
                result.join()
        status = ExitStatus(
            exit_code=max(0, code),
            signal=max(0, -code),
            is_overdue=is_overdue,
            is_cancelled=is_cancelled,
            elapsed_seconds=elapsed_seconds,
        )
        return classify(status, bytes(answer.held), bytes(printed.held), limits)


class _Reader(threading.Thread):
    """Reads one pipe to its end, and ends the process if it writes too much."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        pipe: IO[bytes] | None,
        capture: Capture,
        skip: bytes = b"",
    ) -> None:
        super().__init__(name="subprocess-reader", daemon=True)
        assert pipe is not None
        self.is_begun = threading.Event()
        self._process, self._pipe, self._capture, self._skip = process, pipe, capture, skip
        self.start()

    def run(self) -> None:
        while not self._capture.is_full:
            chunk = self._pipe.read1(min(CHUNK, self._capture.room))  # type: ignore[attr-defined]
            if not chunk:
                break
            if not self.is_begun.is_set():
                chunk = chunk.removeprefix(self._skip)
            self.is_begun.set()
            self._capture.add(chunk)
        else:
            self._process.kill()
        self.is_begun.set()


def _hand_over(process: subprocess.Popen[bytes], contents: Sequence[bytes]) -> None:
    with suppress(OSError):  # it died, which its exit code says
        assert process.stdin
        process.stdin.writelines(contents)
        process.stdin.close()


def _wait(process: subprocess.Popen[bytes], latest: float, watcher: Watcher) -> bool:
    """Wait for the end of a process, for its time to be over, or until it is cancelled (True)."""
    while (left := latest - time.monotonic()) > 0:
        try:
            process.wait(min(left, CHECK_SECONDS))
        except subprocess.TimeoutExpired:
            if watcher.is_cancelled():
                return True
        else:
            break
    return False


def main(home: str, limits_given: dict[str, float], arguments_length: int) -> NoReturn:
    """Run one task in the new interpreter.

    Args:
        home: ``"module:function"`` of the task.
        limits_given: The fields of ``Limits``.
        arguments_length: How many bytes of standard input are the arguments; the rest is the data.
    """
    result = os.dup(STANDARD_ERROR)
    os.dup2(os.open(os.devnull, os.O_WRONLY), STANDARD_ERROR)
    given = sys.stdin.buffer.read()
    if isinstance(sys.stdout, io.TextIOWrapper):  # as in the jail, also where the system differs
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    module_name, function = home.split(":")
    task: Task = getattr(importlib.import_module(module_name), function)
    limits = Limits(**limits_given)  # type: ignore[arg-type]
    _limit_computing(limits)
    os.write(result, BEGUN)
    arguments, data = io.BytesIO(given[:arguments_length]), io.BytesIO(given[arguments_length:])

    def write(part: bytes) -> None:
        sys.stdout.flush()
        rest = memoryview(part)
        while rest:
            rest = rest[os.write(result, rest) :]

    CHANNEL.open(write, limits)
    start_timer()
    for part in run_task(task, arguments, data, limits):
        write(part)
    os._exit(0)


def _limit_computing(limits: Limits) -> None:
    """Limit computing time where the system can; importing torch has taken some already."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime) + 1
    resource.setrlimit(
        resource.RLIMIT_CPU, (spent + limits.cpu_seconds, spent + limits.cpu_hard_seconds)
    )
