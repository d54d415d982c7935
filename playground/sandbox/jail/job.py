"""One run, seen from the web process: sends it, reads what it writes within bounds, judges it."""

import fcntl
import os
import select
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from playground.sandbox.jail.answer import JailAnswer
from playground.sandbox.jail.reader import read_parts
from playground.sandbox.jail.request import (
    MOST_BYTES,
    Descriptors,
    Ending,
    Request,
    ZygoteLostError,
)
from playground.sandbox.jail.verdict import judge
from playground.sandbox.limits import Limits

Send = Callable[[Request, Descriptors], None]

CHUNK = 2**16
GRACE_SECONDS = 5.0  # the zygote ends what is overdue; if it has not by then, it is lost itself
SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL


@dataclass(slots=True)
class _Capture:
    """What came out of one pipe, up to one byte more than allowed."""

    end: int
    most: int
    held: bytearray = field(default_factory=bytearray)
    is_open: bool = True

    @property
    def is_full(self) -> bool:
        return len(self.held) > self.most

    def read(self) -> None:
        """Take what is there."""
        try:
            chunk = os.read(self.end, min(CHUNK, self.most + 1 - len(self.held)))
        except BlockingIOError:
            return
        self.held += chunk
        self.is_open = bool(chunk) and not self.is_full

    def drain(self) -> None:
        """Take the rest; whoever wrote it is dead."""
        os.set_blocking(self.end, False)
        before = -1
        while self.is_open and len(self.held) != before:
            before = len(self.held)
            self.read()


def perform(send: Send, request: Request, arguments: bytes, data: bytes) -> JailAnswer:
    """Have a child do a job, and wait for its answer, or for its end where it gives none.

    Raises:
        ZygoteLostError: It was not there to begin with, or died on the way.
    """
    with ExitStack() as stack:
        control, result, output = _send(stack, send, request, arguments, data)
        captures = (
            _Capture(result, request.limits.result_bytes),
            _Capture(output, request.limits.output_bytes),
        )
        ending = _follow(control, captures, request.limits)
        for capture in captures:
            capture.drain()
    if ending.refused:
        raise ZygoteLostError(is_begun=True)
    return judge(ending, bytes(captures[0].held), bytes(captures[1].held), request.limits)


def _send(
    stack: ExitStack, send: Send, request: Request, arguments: bytes, data: bytes
) -> tuple[socket.socket, int, int]:
    """Make the ends, send theirs and keep ours."""
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
        files = [_file_in_memory(sent, content) for content in (arguments, data)]
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


def _file_in_memory(stack: ExitStack, content: bytes) -> int:
    """A file without a name that nobody can alter any more."""
    descriptor = os.memfd_create("jail", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    stack.callback(os.close, descriptor)
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, SEALS)
    return descriptor


def _follow(control: socket.socket, captures: tuple[_Capture, _Capture], limits: Limits) -> Ending:
    """Read until the child has answered or ended; have it ended where it says too much.

    A child that has closed its answer can add nothing to it, so nobody waits for its end: the
    zygote ends it once this end of ``control`` is closed.
    """
    began = time.monotonic()
    latest = began + limits.wall_seconds + GRACE_SECONDS
    result, _ = captures
    poll = select.poll()
    poll.register(control, select.POLLIN)
    for capture in captures:
        poll.register(capture.end, select.POLLIN)
    while (left := latest - time.monotonic()) > 0:
        ready = {descriptor for descriptor, _ in poll.poll(left * 1000)}
        for capture in captures:
            if capture.end in ready:
                capture.read()
                if not capture.is_open:
                    poll.unregister(capture.end)
                if capture.is_full:
                    control.shutdown(socket.SHUT_WR)
        if control.fileno() in ready:
            if text := control.recv(MOST_BYTES):
                return Ending.from_bytes(text)
            break
        if result.end in ready and not result.is_open and _is_answer(result, limits):
            return Ending(elapsed_seconds=time.monotonic() - began)
    raise ZygoteLostError(is_begun=True)


def _is_answer(result: _Capture, limits: Limits) -> bool:
    return not result.is_full and read_parts(bytes(result.held), limits).last is not None
