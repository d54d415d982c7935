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
