"""The zygote's process, seen from the web process: how it is started, and how it ends."""

import json
import logging
import os
import socket
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress

from playground.sandbox.jail import interpreter, job
from playground.sandbox.jail.answer import JailAnswer
from playground.sandbox.jail.request import MOST_BYTES, Descriptors, Request

BOOT_SECONDS = 120.0  # torch from a cold disk, on a busy computer
END_SECONDS = 3.0
MOST_LOGGED_BYTES = 4_000
_log = logging.getLogger(__name__)


class ZygoteNotStartedError(Exception):
    """It died while it started, or did not get ready in time; the text says more."""


class Keeper:
    """Starts a zygote and holds its other end.

    Args:
        tasks: Where each task lives, by name.
    """

    def __init__(self, tasks: Mapping[str, str]) -> None:
        self._lock = threading.Lock()
        self._told: dict[str, int] = {}
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors = os.memfd_create("zygote-errors", os.MFD_CLOEXEC)
        self._process = subprocess.Popen(
            interpreter.command("zygote", theirs.fileno(), dict(tasks)),
            env=interpreter.environment(),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C is for the web process
        )
        theirs.close()

    @property
    def pid(self) -> int:
        """The process id of the zygote."""
        return self._process.pid

    def wait_until_ready(self) -> dict[str, int]:
        """Wait until it has imported and warmed everything.

        Returns:
            What it says of itself: ``threads``, ``landlock`` (the version), ``data_bytes``.

        Raises:
            ZygoteNotStartedError: It did not get ready.
        """
        if self._told:
            return self._told
        self._requests.settimeout(BOOT_SECONDS)
        try:
            told = self._requests.recv(MOST_BYTES)
        except OSError as error:
            raise ZygoteNotStartedError(f"{error}\n{self.errors()}") from None
        finally:
            with suppress(OSError):
                self._requests.settimeout(None)
        if not told:
            raise ZygoteNotStartedError(self.errors())
        self._told = json.loads(told)
        return self._told

    def perform(self, request: Request, arguments: bytes, data: bytes) -> JailAnswer:
        """Have a child do a job, and wait for its end.

        Raises:
            ZygoteLostError: The zygote was not there to begin with, or died on the way.
        """
        return job.perform(self._send, request, arguments, data)

    def errors(self) -> str:
        """The end of what it wrote to its standard error."""
        size = os.fstat(self._errors).st_size
        tail = os.pread(self._errors, MOST_LOGGED_BYTES, max(0, size - MOST_LOGGED_BYTES))
        return tail.decode("utf-8", "replace")

    def end(self) -> None:
        """End it, and with it all its children."""
        with self._lock:
            self._requests.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if errors := self.errors():
            _log.warning("the zygote wrote to its standard error:\n%s", errors)
        os.close(self._errors)

    def is_alive(self) -> bool:
        """Whether its process has not ended."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it even if it does not listen; ``end`` is still needed."""
        self._process.kill()

    def _send(self, request: Request, ends: Descriptors) -> None:
        with self._lock:  # so that nobody closes the socket meanwhile
            request.send(self._requests, ends)
