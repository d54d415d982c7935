"""What a child writes, up to a bound: its output, its answer, and the parts that it sends ahead."""

import binascii
import re
from collections.abc import Callable

from playground.sandbox.jail.answer import read_answer
from playground.sandbox.jail.live import IMAGE, LIVE, MAX_PART_BYTES
from playground.sandbox.limits import Limits
from playground.sandbox.schema import JsonObject

IMAGE_LINE = re.compile(IMAGE + rb'([A-Za-z0-9+/]+={0,2})", "live": (\{.{0,8000}\})\}', re.DOTALL)


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
        """How many bytes may be added at once."""
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
