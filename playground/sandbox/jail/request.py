"""What the web process asks of the zygote, and what it hears about it; bytes on sockets.

A request is one datagram: a line of our own numbers and five descriptors. What the stranger said
is behind the descriptors, so the zygote never reads it.
"""

import json
import socket
from dataclasses import asdict, dataclass
from enum import StrEnum

from playground.sandbox.limits import Limits

MOST_BYTES = 4096
DESCRIPTORS = 5


class Layer(StrEnum):
    """What a child puts on, in this order, before it does anything for a stranger."""

    RESOURCES = "resources"
    USER = "user"
    LANDLOCK = "landlock"
    SECCOMP = "seccomp"


ALL_LAYERS = tuple(Layer)


class ZygoteLostError(Exception):
    """The zygote died, or does not answer. ``is_begun`` where it may have had the job already."""

    def __init__(self, *, is_begun: bool) -> None:
        super().__init__()
        self.is_begun = is_begun


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptors:
    """The ends that a job's child gets, as numbers of whichever process holds the record.

    Attributes:
        control: A socket on which the zygote tells the ending; whoever closes the other end of it
            wants the child dead.
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
        limits: What the child may take.
        layers: Which layers the child puts on, all of them unless the operator gave some up.
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
    """Take the next request; ``None`` once nobody can send one any more."""
    text, numbers, _, _ = socket.recv_fds(source, MOST_BYTES, DESCRIPTORS)
    if not text:
        return None
    told = json.loads(text)
    control, result, output, arguments, data = numbers
    request = Request(
        task=told["task"], limits=Limits(**told["limits"]), layers=tuple(map(Layer, told["layers"]))
    )
    return request, Descriptors(
        control=control, result=result, output=output, arguments=arguments, data=data
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a child ended, as the zygote saw it.

    Attributes:
        exit_code: Of the process; 0 where a signal ended it.
        signal: The signal that ended it, or 0.
        is_overdue: The zygote ended it because its time was over.
        is_oversized: The zygote ended it because it held too much memory.
        refused: Why the zygote did not fork at all; empty where it did.
        elapsed_seconds: From fork to end.
        cpu_seconds: What it computed.
    """

    exit_code: int = 0
    signal: int = 0
    is_overdue: bool = False
    is_oversized: bool = False
    refused: str = ""
    elapsed_seconds: float = 0.0
    cpu_seconds: float = 0.0

    def to_bytes(self) -> bytes:
        """As one datagram."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, text: bytes) -> "Ending":
        """From one datagram."""
        return cls(**json.loads(text))
