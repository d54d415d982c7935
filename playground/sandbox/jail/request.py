"""A job for the zygote, what its child may write, how its process is started, and what runs jobs.

A request is one datagram: a line of our own values and five descriptors. What untrusted code or a
visitor wrote is behind the descriptors, so the zygote never reads it. What a child writes is kept
up to a bound: its output, its answer, and the parts that it sends ahead. An interpreter for
untrusted code is started with a command and an environment that lead to our modules only.
"""

import binascii
import json
import os
import re
import socket
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from playground.sandbox.jail.answer import JailAnswer, read_answer
from playground.sandbox.jail.run_task import IMAGE, LIVE, MAX_PART_BYTES
from playground.sandbox.limits import Limits
from playground.sandbox.schema import JsonObject

# A caption has 13 texts of at most 120 characters, each of at most 12 bytes of JSON.
IMAGE_LINE = re.compile(IMAGE + rb'([A-Za-z0-9+/]+={0,2})", "live": (\{.{0,20000}\})\}', re.DOTALL)
MAX_DATAGRAM_BYTES = 4096
DESCRIPTORS = 5
NO_CUDA = ("CUDA_VISIBLE_DEVICES", "CUDA_HOME", "CUDA_PATH")  # neither GPUs nor a toolkit
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
NEEDED_BY_WINDOWS = ("SYSTEMROOT", "TEMP", "TMP")
NEITHER_FOLDER_NOR_USER_NOR_BYTECODE = ("-P", "-s", "-B")


class Watcher:
    """Follows a run while it goes on; this one lets it go on and remembers nothing.

    All but ``is_cancelled`` is called from the thread that waits for the run.
    """

    def begin(self) -> None:
        """Start to follow the run: it has left the queue."""

    def write(self, text: bytes) -> None:
        """Take what the child has printed."""

    def receive(self, part: JsonObject, image: bytes) -> None:
        """Take a part that the child has sent: untrusted values, perhaps with untrusted bytes."""

    def is_cancelled(self) -> bool:
        """Return whether the run is to be ended; asked a few times a second."""
        return False


NOBODY = Watcher()


class Capture:
    """The bytes of one pipe, up to one byte more than allowed.

    Args:
        max_bytes: How many are allowed.
        on_chunk: Called with each piece.
    """

    def __init__(self, max_bytes: int, on_chunk: Callable[[bytes], object] | None = None) -> None:
        self.held = bytearray()
        self._max_bytes = max_bytes
        self._on_chunk = on_chunk

    @property
    def is_full(self) -> bool:
        return len(self.held) > self._max_bytes

    @property
    def room(self) -> int:
        """The number of bytes that may be added at once."""
        return self._max_bytes + 1 - len(self.held)

    def add(self, chunk: bytes) -> None:
        """Add the next piece, at most ``room`` bytes long."""
        self.held += chunk
        if self._on_chunk is not None:
            self._on_chunk(chunk)


class ResultCapture(Capture):
    """The answer of a child; parts that it sends ahead are taken out as they come.

    A child that sends more parts than its limits allow is full, as one whose answer is too long.

    Args:
        limits: Of the run.
        watcher: Receives the parts.
    """

    def __init__(self, limits: Limits, watcher: Watcher) -> None:
        super().__init__(limits.result_bytes)
        self._limits, self._watcher = limits, watcher
        self._parts = limits.live_parts + limits.image_parts
        self._live, self._images = limits.live_bytes, limits.image_bytes
        self._searched = 0

    @property
    def _max_held_bytes(self) -> int:
        if self.held.startswith(IMAGE):
            return self._images
        return MAX_PART_BYTES if self.held.startswith(LIVE) else self._limits.result_bytes

    @property
    def is_full(self) -> bool:
        return self._is_over() or len(self.held) > self._max_held_bytes

    @property
    def room(self) -> int:
        return max(1, self._max_held_bytes + 1 - len(self.held))

    def add(self, chunk: bytes) -> None:
        self.held += chunk
        while self.held.startswith((LIVE, IMAGE)) and not self._is_over():
            end = self.held.find(b"\n", self._searched)
            if end < 0:
                self._searched = len(self.held)
                break
            line = bytes(self.held[:end])
            del self.held[: end + 1]
            self._searched = 0
            self._take(line)
        if self.is_full:  # whatever it is, it is too long to be an answer
            self.held = bytearray(self._limits.result_bytes + 1)

    def _is_over(self) -> bool:
        return min(self._parts, self._live, self._images) < 0

    def _take(self, line: bytes) -> None:
        """Hand on one part; what is none is dropped, and counts."""
        self._parts -= 1
        image, text = b"", line
        if line.startswith(IMAGE):
            self._images -= len(line) + 1
            found = IMAGE_LINE.fullmatch(line)
            if found is None or self._is_over():
                return
            try:
                image = binascii.a2b_base64(found[1], strict_mode=True)
            except binascii.Error:
                return
            text = LIVE + found[2] + b"}"
        else:
            self._live -= len(line) + 1
        if self._is_over() or len(text) > MAX_PART_BYTES:
            return
        match read_answer(text, self._limits):
            case {"live": dict(part), **others} if not others:
                self._watcher.receive(part, image)


class Layer(StrEnum):
    """A restriction that a child applies, in this order, before any untrusted code runs."""

    RESOURCES = "resources"
    USER = "user"
    LANDLOCK = "landlock"
    SECCOMP = "seccomp"


ALL_LAYERS = tuple(Layer)


class ZygoteLostError(Exception):
    """The zygote died, or does not answer. ``is_begun`` if it may have had the job already."""

    def __init__(self, *, is_begun: bool) -> None:
        super().__init__()
        self.is_begun = is_begun


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptors:
    """The descriptors of a job's child, as numbers of the process that holds the record.

    Attributes:
        control: A socket on which the zygote sends the exit status; closing the other end of it
            ends the child.
        result: Where the child writes its answer.
        output: Its standard output.
        arguments: A file that holds the arguments.
        data: A file that holds the data.
    """

    control: int
    result: int
    output: int
    arguments: int
    data: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One job.

    Attributes:
        task: Its name in the table of tasks.
        limits: Of the child.
        layers: The layers that the child applies, all of them unless the operator waived some.
    """

    task: str
    limits: Limits
    layers: tuple[Layer, ...] = ALL_LAYERS

    def send(self, to: socket.socket, ends: Descriptors) -> None:
        """Send it whole.

        Raises:
            OSError: The zygote is gone.
        """
        numbers = [ends.control, ends.result, ends.output, ends.arguments, ends.data]
        socket.send_fds(to, [json.dumps(asdict(self)).encode()], numbers)


def receive(source: socket.socket) -> tuple[Request, Descriptors] | None:
    """Receive the next request; ``None`` if the other end is closed."""
    text, numbers, _, _ = socket.recv_fds(source, MAX_DATAGRAM_BYTES, DESCRIPTORS)
    if not text:
        return None
    fields = json.loads(text)
    control, result, output, arguments, data = numbers
    request = Request(
        task=fields["task"],
        limits=Limits(**fields["limits"]),
        layers=tuple(map(Layer, fields["layers"])),
    )
    return request, Descriptors(
        control=control, result=result, output=output, arguments=arguments, data=data
    )


class TaskRunner(Protocol):
    """Runs tasks in processes of their own: a zygote, or a new interpreter for each."""

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
            ZygoteLostError: The zygote was not there, or died on the way.
        """

    def wait_until_ready(self) -> dict[str, int]:
        """Wait until it can run tasks; return its own facts, such as ``threads``."""

    def is_alive(self) -> bool:
        """Return at once whether it is still there."""

    def kill(self) -> None:
        """Kill it even if it does not respond; ``end`` is still needed."""

    def end(self) -> None:
        """End it and all its children."""


def interpreter_command(module: str, *words: object) -> list[str]:
    """Return the command line that calls ``main`` of a module.

    Args:
        module: Of the package ``playground.sandbox.jail``.
        words: Arguments of ``main``; they go through JSON.
    """
    start = (
        "import json, sys; path, *words = map(json.loads, sys.argv[1:]); sys.path[:] = path; "
        f"from playground.sandbox.jail import {module}; {module}.main(*words)"
    )
    path = [str(Path(place).absolute()) for place in sys.path]
    arguments = (json.dumps(word) for word in (path, *words))
    return [sys.executable, *NEITHER_FOLDER_NOR_USER_NOR_BYTECODE, "-c", start, *arguments]


def interpreter_environment() -> dict[str, str]:
    """Return the whole environment of untrusted code."""
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",  # sets of strings have the same order in every zygote
        **dict.fromkeys(NO_CUDA, ""),
        **dict.fromkeys(ONE_THREAD, "1"),
        **{name: os.environ[name] for name in NEEDED_BY_WINDOWS if os.name == "nt"},
    }
