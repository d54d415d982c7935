"""A run as seen from the web process while it goes on: what it has printed, made and drawn."""

import codecs
import threading
import time
from dataclasses import dataclass

from playground.sandbox import schema
from playground.sandbox.cell_answer import CellAnswer
from playground.sandbox.jail.request import Watcher
from playground.sandbox.live import Bar, LivePart, merged
from playground.sandbox.picture import Picture
from playground.sandbox.schema import JsonObject
from playground.sandbox.text import clean
from playground.steps.line_recorder import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A run at one moment. Every text is the student's: plain text, never markup.

    Attributes:
        version: Grows with every change.
        output: What it has printed.
        line: The line that was being run.
        lines: What its lines have made and printed.
        bars: Its progress bars.
        figures: What it has drawn.
        elapsed_seconds: Since it has left the queue; None before.
    """

    version: int = 0
    output: str = ""
    line: int | None = None
    lines: tuple[Line, ...] = ()
    bars: tuple[Bar, ...] = ()
    figures: tuple[Picture, ...] = ()
    elapsed_seconds: float | None = None


class LiveRun(Watcher):
    """Collects what a run says, from the thread that waits for it, for the thread that draws it."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self.begin()
        self._began: float | None = None

    def begin(self) -> None:
        """Forget an earlier run: one that the jail has lost, or that only tried a fix."""
        with self._lock:
            self._version = 0
            self._began = time.monotonic()
            self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
            self._output = ""
            self._line: int | None = None
            self._lines: dict[int, Line] = {}
            self._bars: tuple[Bar, ...] = ()
            self._figures: dict[int, Picture] = {}

    @property
    def has_begun(self) -> bool:
        """It has left the queue."""
        return self._began is not None

    def write(self, text: bytes) -> None:
        with self._lock:
            self._output += self._decoder.decode(text)
            self._version += 1

    def receive(self, part: JsonObject, image: bytes) -> None:
        try:
            match part:
                case {"run": dict(run), **others} if not others and not image:
                    self._update(schema.read(LivePart, run))
                case {"picture": dict(caption), **others} if not others and image:
                    self._add(Picture.read(image, caption))
        except (ValueError, TypeError, RecursionError):
            return  # not what an honest child sends

    def is_cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Have the run ended, also one that has not begun."""
        self._cancelled.set()

    def snapshot(self) -> Snapshot:
        """Return what is known now."""
        with self._lock:
            began = self._began
            return Snapshot(
                version=self._version,
                output=clean(self._output),
                line=self._line,
                lines=tuple(self._lines[number] for number in sorted(self._lines)),
                bars=self._bars,
                figures=tuple(self._figures[number] for number in sorted(self._figures)),
                elapsed_seconds=None if began is None else time.monotonic() - began,
            )

    def _update(self, part: LivePart) -> None:
        with self._lock:
            lines = dict(self._lines)
            for line in part.lines:
                lines[line.number] = merged(lines.get(line.number, Line(line.number)), line)
            CellAnswer(lines=tuple(lines.values()))  # raises if it is more than is shown
            self._lines, self._line, self._bars = lines, part.line, part.bars
            self._version += 1

    def _add(self, picture: Picture) -> None:
        number = picture.caption.number
        if not 0 <= number < Picture.MAX_PICTURES:
            raise ValueError("more figures than are shown")
        with self._lock:
            self._figures[number] = picture
            self._version += 1
