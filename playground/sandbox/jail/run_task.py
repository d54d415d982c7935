"""Runs a task in the process that was made for it, and encodes its answer or error as JSON.

A task may answer in two parts: what it yields is sent at once and arrives even if the task is ended
after that; what it returns then follows.

While it runs, it may send parts ahead through ``CHANNEL``, each one line: a small JSON object,
perhaps with an image beside it. The line of an image has its base64 in a place that the reader
finds without decoding JSON of that length. A timer of the kernel, set before the layers are
applied, interrupts the task a few times a second, so that it can say how far it is, also from
inside a loop or while it sleeps.
"""

import base64
import contextlib
import json
import random
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import BinaryIO, TypeAlias

from playground.sandbox.limits import LIMITS, Limits
from playground.sandbox.schema import JsonObject

TICK_SECONDS = 0.05
LIVE, IMAGE = b'{"live": ', b'{"image": "'
END_OF_LINE = b"\n"  # JSON of one line has none in it
MAX_PART_BYTES = 64 * 1024  # of the line of a part without an image
Write: TypeAlias = Callable[[bytes], object]
InParts: TypeAlias = Generator[JsonObject, None, JsonObject]
Task: TypeAlias = Callable[[JsonObject, BinaryIO, Limits], JsonObject | InParts]
NO_MEMORY = (  # for a tensor, says PyTorch; for the frame of a call, says CPython
    "DefaultCPUAllocator: can't allocate memory",
    "error return without exception set",
)
OUT_OF_MEMORY = b'{"memory": true}'
MAX_FAILURE_CHARACTERS = 1_000
# the zygote imports each task and warms it up before any job
TASKS: Mapping[str, str] = {
    "self_test": "playground.sandbox.jail.self_test_task:self_test",
    "load_checkpoint": "playground.checkpoints.jailed.task:load_checkpoint",
    "compare_checkpoints": "playground.checkpoints.jailed.difference:compare_checkpoints",
    "run_cell": "playground.sandbox.cell.task:run_cell_task",
    "read_network": "playground.sandbox.cell.network_task:read_network",
}


class Channel:
    """The channel to the watcher of the run; closed if there is none."""

    def __init__(self) -> None:
        self._write: Write | None = None
        self._on_tick: Callable[[], object] | None = None
        self._left = self._images_left = (0, 0)  # parts, bytes

    def open(self, write: Write, limits: Limits = LIMITS) -> None:
        """Send what a task says with ``write``, within the limits of its run."""
        self._write = write
        self._left = limits.live_parts, limits.live_bytes
        self._images_left = limits.image_parts, limits.image_bytes

    def close(self) -> None:
        """Send nothing more; the answer follows."""
        self._write = self._on_tick = None

    def on_tick(self, do: Callable[[], object]) -> None:
        """Have ``do`` called by the timer until the channel is closed."""
        self._on_tick = do

    def tick(self, *_: object) -> None:
        """Handle the timer's signal; what goes wrong here is not the task's error.

        A signal that arrives while another is handled is ignored, or a part would be sent twice.
        """
        do = self._on_tick
        if do is None or self._write is None:
            return
        self._on_tick = None
        try:
            with contextlib.suppress(Exception):
                do()
        finally:
            self._on_tick = do

    def send(self, part: JsonObject, image: bytes = b"") -> bool:
        """Send a part; return False where it is too long or one too many, or nobody reads it."""
        write, text = self._write, json.dumps(part, allow_nan=False).encode()
        if write is None:
            return False
        line, (parts, size) = LIVE + text + b"}" + END_OF_LINE, self._left
        if image:
            encoded, (parts, size) = base64.b64encode(image), self._images_left
            line = IMAGE + encoded + b'", "live": ' + text + b"}" + END_OF_LINE
        elif len(line) > MAX_PART_BYTES:
            return False
        left = parts - 1, size - len(line)
        if min(left) < 0:
            return False
        if image:
            self._images_left = left
        else:
            self._left = left
        self._write = None  # a tick must not write into this line
        try:
            write(line)
        except BaseException:  # the computing time is over: end the line, which is then dropped
            write(END_OF_LINE)
            raise
        finally:
            self._write = write
        return True


CHANNEL = Channel()


def start_timer() -> None:
    """Let the kernel interrupt this process every ``TICK_SECONDS``, where it can."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, CHANNEL.tick)
        signal.setitimer(signal.ITIMER_REAL, TICK_SECONDS, TICK_SECONDS)


def run_task(task: Task, arguments: BinaryIO, data: BinaryIO, limits: Limits) -> Iterator[bytes]:
    """Run a task; whatever it raises becomes an answer, too.

    Send each part before the next one is requested.

    Args:
        task: What to do.
        arguments: A file with its arguments, as JSON.
        data: A file for it.
        limits: Of this run.
    """
    try:
        _seed()
        value = task(json.loads(arguments.read()), data, limits)
        while not isinstance(value, dict):
            try:
                part = next(value)
            except StopIteration as ended:
                value = ended.value
            else:
                CHANNEL.close()
                yield _encoded("first", part) + END_OF_LINE
        CHANNEL.close()
        yield _encoded("value", value)
    except GeneratorExit:  # the rest is not needed
        raise
    except MemoryError:
        CHANNEL.close()
        yield OUT_OF_MEMORY
    except BaseException as error:  # noqa: BLE001 - untrusted code may raise anything
        CHANNEL.close()
        yield _failure_of(error)


def _encoded(key: str, value: JsonObject) -> bytes:
    return json.dumps({key: value}, allow_nan=False).encode()


def _seed() -> None:
    """Give every run the same random numbers; the fork has inherited the zygote's state."""
    random.seed(0)
    if torch := sys.modules.get("torch"):
        torch.default_generator.manual_seed(0)  # torch.manual_seed would ask for GPUs as well
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed(0)


def _failure_of(error: BaseException) -> bytes:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - the class is untrusted
        text = ""
    if any(each in text for each in NO_MEMORY):
        return OUT_OF_MEMORY
    return failure(f"{type(error).__name__}: {text}")


def failure(text: str) -> bytes:
    """Encode the answer that says why there is no value."""
    return json.dumps({"failed": text[:MAX_FAILURE_CHARACTERS]}).encode()
