"""What a task says while it runs: parts that its child sends ahead of the answer, each one line.

A part is a small JSON object, perhaps with an image beside it. The line of an image has its base64
in a place that the reader finds without decoding JSON of that length. A timer of the kernel, set
before the layers are applied, interrupts the task a few times a second, so that it can say how far
it is, also from inside a loop or while it sleeps.
"""

import base64
import contextlib
import json
import signal
from collections.abc import Callable
from typing import TypeAlias

from playground.sandbox.limits import LIMITS, Limits
from playground.sandbox.schema import JsonObject

TICK_SECONDS = 0.05
LIVE, IMAGE = b'{"live": ', b'{"image": "'
END_OF_LINE = b"\n"
MAX_PART_BYTES = 64 * 1024  # of the line of a part without an image
Write: TypeAlias = Callable[[bytes], object]


class Channel:
    """The way to whoever watches the run; closed where nobody does."""

    def __init__(self) -> None:
        self._write: Write | None = None
        self._on_tick: Callable[[], object] | None = None
        self._parts = self._bytes = self._image_bytes = 0

    def open(self, write: Write, limits: Limits = LIMITS) -> None:
        """Send what a task says with ``write``, within the limits of its run."""
        self._write = write
        self._parts, self._bytes = limits.live_parts, limits.live_bytes
        self._image_bytes = limits.image_bytes

    def close(self) -> None:
        """Send nothing more; the answer follows."""
        self._write = self._on_tick = None

    def on_tick(self, do: Callable[[], object]) -> None:
        """Have ``do`` called by the timer until the channel is closed."""
        self._on_tick = do

    def tick(self, *_: object) -> None:
        """Handle the timer's signal; what goes wrong here is not the task's error."""
        if self._on_tick is not None and self._write is not None:
            with contextlib.suppress(Exception):
                self._on_tick()

    def send(self, part: JsonObject, image: bytes = b"") -> bool:
        """Send a part; return False where it is too long or one too many, or nobody reads it."""
        write, text = self._write, json.dumps(part, allow_nan=False).encode()
        if write is None:
            return False
        line = LIVE + text + b"}" + END_OF_LINE
        if image:
            encoded = base64.b64encode(image)
            line = IMAGE + encoded + b'", "live": ' + text + b"}" + END_OF_LINE
            self._image_bytes -= len(line)
        elif len(line) > MAX_PART_BYTES:
            return False
        else:
            self._bytes -= len(line)
        self._parts -= 1
        if min(self._parts, self._bytes, self._image_bytes) < 0:
            self._parts += 1
            self._bytes += 0 if image else len(line)
            self._image_bytes += len(line) if image else 0
            return False
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
