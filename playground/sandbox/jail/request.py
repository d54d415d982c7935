"""A job for the zygote, and the protocol of what runs jobs.

A request is one datagram: a line of our own values and five descriptors. What untrusted code or a
visitor wrote is behind the descriptors, so the zygote never reads it.
"""

import json
import socket
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Protocol

from playground.sandbox.jail.answer import JailAnswer
from playground.sandbox.jail.capture import NOBODY, Watcher
from playground.sandbox.limits import Limits

MAX_DATAGRAM_BYTES = 4096
DESCRIPTORS = 5


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
