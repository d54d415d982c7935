"""A fresh interpreter per run, where there is no jail and the operator does without.

Slow, since each imports torch anew, and it keeps nothing from the operator's files. It still keeps
strangers' code out of the web process, with the same bounds on time, output and answer.
"""

import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import IO

from playground.sandbox.jail import interpreter
from playground.sandbox.jail.answer import JailAnswer
from playground.sandbox.jail.request import Ending, Request
from playground.sandbox.jail.verdict import judge

BOOT_SECONDS = 60.0
CHUNK = 2**16


class FreshProcesses:
    """Performs each job in a process that is started for it.

    Args:
        tasks: Where each task lives, by name.
    """

    def __init__(self, tasks: Mapping[str, str]) -> None:
        self._tasks = tasks

    def wait_until_ready(self) -> dict[str, int]:
        """There is nothing to wait for, and nothing to say."""
        return {}

    def is_alive(self) -> bool:
        """There is nothing that could die."""
        return True

    def kill(self) -> None:
        """There is nothing that stays."""

    def end(self) -> None:
        """There is nothing that stays."""

    def perform(self, request: Request, arguments: bytes, data: bytes) -> JailAnswer:
        """Have a new process do a job, and wait for its end."""
        limits = request.limits
        home = self._tasks[request.task]
        with subprocess.Popen(
            interpreter.command("fresh_child", home, asdict(limits), len(arguments)),
            env=interpreter.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            output = _Capture(process, process.stdout, limits.output_bytes)
            result = _Capture(process, process.stderr, limits.result_bytes)
            try:
                _hand_over(process, arguments + data)
                result.is_begun.wait(BOOT_SECONDS)
                began = time.monotonic()
                is_overdue = _is_overdue(process, limits.wall_seconds)
                elapsed_seconds = time.monotonic() - began
            finally:
                process.kill()
                code = process.wait()
                output.join()
                result.join()
        ending = Ending(
            exit_code=max(0, code),
            signal=max(0, -code),
            is_overdue=is_overdue,
            elapsed_seconds=elapsed_seconds,
        )
        return judge(ending, bytes(result.held), bytes(output.held), limits)


class _Capture(threading.Thread):
    """Reads one pipe to its end, and ends the process once that says too much."""

    def __init__(self, process: subprocess.Popen[bytes], pipe: IO[bytes] | None, most: int) -> None:
        super().__init__(name="fresh-capture", daemon=True)
        assert pipe is not None
        self.held = bytearray()
        self.is_begun = threading.Event()
        self._process, self._pipe, self._most = process, pipe, most
        self.start()

    def run(self) -> None:
        """Read."""
        while len(self.held) <= self._most:
            chunk = self._pipe.read1(CHUNK)  # type: ignore[attr-defined]
            if not chunk:
                break
            self.held += chunk
            self.is_begun.set()
        else:
            self._process.kill()
            del self.held[self._most + 1 :]
        self.is_begun.set()


def _hand_over(process: subprocess.Popen[bytes], content: bytes) -> None:
    with suppress(OSError):  # it died: that will be seen
        assert process.stdin
        process.stdin.write(content)
        process.stdin.close()


def _is_overdue(process: subprocess.Popen[bytes], wall_seconds: float) -> bool:
    try:
        process.wait(wall_seconds)
    except subprocess.TimeoutExpired:
        return True
    return False
