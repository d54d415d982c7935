"""The zygote's process, seen from the web process: how it starts, runs a job, and ends."""

import fcntl
import json
import logging
import os
import select
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace

from playground.sandbox.jail.answer import ExitStatus, JailAnswer, classify, read_parts
from playground.sandbox.jail.request import (
    MAX_DATAGRAM_BYTES,
    NOBODY,
    Capture,
    Descriptors,
    Request,
    ResultCapture,
    Watcher,
    ZygoteLostError,
    interpreter_command,
    interpreter_environment,
)
from playground.sandbox.limits import Limits

Send = Callable[[Request, Descriptors], None]

CHUNK = 2**16
CHECK_SECONDS = 0.1  # how often the watcher is asked
# The zygote ends what is overdue; if it has not by then, it is lost itself. On a computer with
# twenty busy processes it and the child that it kills wait for a processor, and still work.
GRACE_TIMEOUT_SECONDS = 60.0
SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
BOOT_TIMEOUT_SECONDS = 300.0  # torch from a cold disk, on such a computer
END_TIMEOUT_SECONDS = 3.0
MAX_LOGGED_BYTES = 4_000
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Pipe:
    """The end of a pipe that a child writes to."""

    end: int
    capture: Capture
    is_open: bool = True

    def read(self) -> None:
        """Read what is there."""
        try:
            chunk = os.read(self.end, min(CHUNK, self.capture.room))
        except BlockingIOError:
            return
        self.capture.add(chunk)
        self.is_open = bool(chunk) and not self.capture.is_full

    def drain(self) -> None:
        """Read the rest; the writer is dead."""
        os.set_blocking(self.end, False)
        while self.is_open:
            try:
                chunk = os.read(self.end, min(CHUNK, self.capture.room))
            except BlockingIOError:
                return
            self.capture.add(chunk)
            self.is_open = bool(chunk) and not self.capture.is_full


def run_job(
    send: Send,
    request: Request,
    arguments: bytes,
    data: bytes,
    watcher: Watcher,
    more: bytes,
) -> JailAnswer:
    """Have a child do a job, and wait for its answer, or for its end if it gives none.

    Raises:
        ZygoteLostError: It was not there to begin with, or died on the way.
    """
    with ExitStack() as stack:
        control, result, output = _send(stack, send, request, (arguments,), (data, more))
        answer = ResultCapture(request.limits, watcher)
        printed = Capture(request.limits.output_bytes, watcher.write)
        pipes = (_Pipe(result, answer), _Pipe(output, printed))
        status = _follow(control, pipes, request.limits, watcher)
        for pipe in pipes:
            pipe.drain()
    if status.refused:
        raise ZygoteLostError(is_begun=True)
    return classify(status, bytes(answer.held), bytes(printed.held), request.limits)


def _send(
    stack: ExitStack, send: Send, request: Request, *contents: Sequence[bytes]
) -> tuple[socket.socket, int, int]:
    """Make sockets, pipes and files, send the child's ends and keep ours."""
    mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    stack.callback(mine.close)
    with ExitStack() as sent:
        sent.callback(theirs.close)
        pipes = []
        for _ in range(2):
            read_end, write_end = os.pipe()
            stack.callback(os.close, read_end)
            sent.callback(os.close, write_end)
            pipes.append((read_end, write_end))
        files = [_file_in_memory(sent, content) for content in contents]
        ends = Descriptors(
            control=theirs.fileno(),
            result=pipes[0][1],
            output=pipes[1][1],
            arguments=files[0],
            data=files[1],
        )
        try:
            send(request, ends)
        except OSError:
            raise ZygoteLostError(is_begun=False) from None
    return mine, pipes[0][0], pipes[1][0]


def _file_in_memory(stack: ExitStack, content: Sequence[bytes]) -> int:
    """Make a sealed file without a name, which nothing can alter, of some pieces."""
    descriptor = os.memfd_create("jail", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    stack.callback(os.close, descriptor)
    for piece in content:
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, SEALS)
    return descriptor


def _follow(
    control: socket.socket, pipes: tuple[_Pipe, _Pipe], limits: Limits, watcher: Watcher
) -> ExitStatus:
    """Read until the child has answered or ended; have it ended if it writes too much.

    A child that has closed its answer can add nothing to it, so its end is not awaited: the
    zygote ends it once this end of ``control`` is closed.
    """
    began = time.monotonic()
    latest = began + limits.wall_seconds + GRACE_TIMEOUT_SECONDS
    result, _ = pipes
    is_cancelled = False
    poll = select.poll()
    poll.register(control, select.POLLIN)
    for pipe in pipes:
        poll.register(pipe.end, select.POLLIN)
    while (left := latest - time.monotonic()) > 0:
        ready = {descriptor for descriptor, _ in poll.poll(min(left, CHECK_SECONDS) * 1000)}
        if not is_cancelled and watcher.is_cancelled():
            is_cancelled = True
            control.shutdown(socket.SHUT_WR)
        _read_ready(pipes, ready, poll)
        if any(pipe.capture.is_full for pipe in pipes):
            control.shutdown(socket.SHUT_WR)
        if control.fileno() in ready:
            if text := control.recv(MAX_DATAGRAM_BYTES):
                return replace(ExitStatus.from_bytes(text), is_cancelled=is_cancelled)
            break
        if result.end in ready and not result.is_open and _is_answer(result.capture, limits):
            return ExitStatus(elapsed_seconds=time.monotonic() - began)
    raise ZygoteLostError(is_begun=True)


def _read_ready(pipes: tuple[_Pipe, _Pipe], ready: set[int], poll: select.poll) -> None:
    for pipe in pipes:
        if pipe.end in ready:
            pipe.read()
            if not pipe.is_open:
                poll.unregister(pipe.end)


def _is_answer(result: Capture, limits: Limits) -> bool:
    return not result.is_full and read_parts(bytes(result.held), limits).last is not None


class ZygoteNotStartedError(Exception):
    """The zygote died while it started, or was not ready in time; the text says more."""


class ZygoteProcess:
    """Starts a zygote and holds its other end.

    Args:
        tasks: ``"module:function"`` of each task, by name.
    """

    def __init__(self, tasks: Mapping[str, str]) -> None:
        self._lock = threading.Lock()
        self._facts: dict[str, int] = {}
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors = os.memfd_create("zygote-errors", os.MFD_CLOEXEC)
        self._process = subprocess.Popen(
            interpreter_command("zygote", theirs.fileno(), dict(tasks)),
            env=interpreter_environment(),
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
        return self._process.pid

    def wait_until_ready(self) -> dict[str, int]:
        """Wait until it has imported and warmed everything.

        Returns:
            Its facts: ``threads``, ``landlock`` (the version), ``data_bytes``.

        Raises:
            ZygoteNotStartedError: It did not get ready.
        """
        if self._facts:
            return self._facts
        self._requests.settimeout(BOOT_TIMEOUT_SECONDS)
        try:
            facts = self._requests.recv(MAX_DATAGRAM_BYTES)
        except OSError as error:
            raise ZygoteNotStartedError(f"{error}\n{self.errors()}") from None
        finally:
            with suppress(OSError):
                self._requests.settimeout(None)
        if not facts:
            raise ZygoteNotStartedError(self.errors())
        self._facts = json.loads(facts)
        return self._facts

    def run(
        self,
        request: Request,
        arguments: bytes,
        data: bytes,
        watcher: Watcher = NOBODY,
        more: bytes = b"",
    ) -> JailAnswer:
        """Have a child do a job, and wait for its answer.

        Raises:
            ZygoteLostError: The zygote was not there to begin with, or died on the way.
        """
        return run_job(self._send, request, arguments, data, watcher, more)

    def errors(self) -> str:
        """Return the tail of its standard error."""
        size = os.fstat(self._errors).st_size
        tail = os.pread(self._errors, MAX_LOGGED_BYTES, max(0, size - MAX_LOGGED_BYTES))
        return tail.decode("utf-8", "replace")

    def end(self) -> None:
        """End it and all its children."""
        with self._lock:
            self._requests.close()
        try:
            self._process.wait(END_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if errors := self.errors():
            _log.warning("the zygote wrote to its standard error:\n%s", errors)
        os.close(self._errors)

    def is_alive(self) -> bool:
        """Return whether its process has not ended."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill it even if it does not respond; ``end`` is still needed."""
        self._process.kill()

    def _send(self, request: Request, ends: Descriptors) -> None:
        with self._lock:  # ``end`` must not close the socket meanwhile
            request.send(self._requests, ends)
