"""Live output of a program: the current line, the results of lines, and progress bars.

The child calls ``BARS`` and writes ``LivePart``; the web process reads it back as untrusted values.
"""

from dataclasses import dataclass
from typing import ClassVar

from playground.sandbox.schema import MAX_INTEGER
from playground.sandbox.text import cut
from playground.steps.line_recorder import MAX_PRINTED, MAX_REPR, Line, Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A progress bar.

    Attributes:
        number: Which one; a later state of the same number replaces an earlier one.
        label: In front of it; may be empty.
        done: How many steps are done.
        total: Of how many; None if that is not known.
    """

    MAX_CHARACTERS: ClassVar[int] = 60
    MAX_BARS: ClassVar[int] = 6

    number: int
    label: str = ""
    done: int = 0
    total: int | None = None

    @property
    def fraction(self) -> float | None:
        """The part that is done, from 0 to 1; None if the total is not known."""
        return None if not self.total else min(max(self.done / self.total, 0.0), 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePart:
    """The progress of a run since the last part.

    Attributes:
        line: The line that is being run.
        lines: Lines with all their notes, and with what they have printed since.
        bars: The progress bars that are on the screen.
    """

    line: int | None = None
    lines: tuple[Line, ...] = ()
    bars: tuple[Bar, ...] = ()

    def __post_init__(self) -> None:
        """Refuse more than a page shows."""
        notes = [note for line in self.lines for note in line.notes]
        texts = [text for note in notes for text in (note.name, note.kind, note.size)]
        if (
            len(self.bars) > Bar.MAX_BARS
            or any(len(bar.label) > Bar.MAX_CHARACTERS for bar in self.bars)
            or max(map(len, texts), default=0) > MAX_REPR
            or sum(len(line.printed) for line in self.lines) > MAX_PRINTED
            or any(line.error or line.warnings for line in self.lines)
        ):
            raise ValueError("more than is shown of a run")


class Bars:
    """The progress bars of a program, which a package of the lab such as ``tqdm`` moves."""

    def __init__(self) -> None:
        self._bars: dict[int, Bar] = {}
        self._next = 0

    def add(self, label: str = "", total: float | None = None) -> int:
        """Add a bar with nothing done; return its number. The oldest goes if there are too many."""
        self._next += 1
        self._bars[self._next] = Bar(number=self._next)
        self.move(self._next, 0, total=total, label=label)
        while len(self._bars) > Bar.MAX_BARS:
            del self._bars[min(self._bars)]
        return self._next

    def move(
        self, number: int, done: float, *, total: float | None = None, label: str = ""
    ) -> None:
        """Set what is done of a bar that is on the screen; without ``total`` it has none.

        Numbers and text come from the program: they are kept within what a ``LivePart`` may have,
        since one that has more is dropped with all else that it says. Nothing is sent here: the
        timer sends the latest state, a few times a second.
        """
        if number in self._bars:
            self._bars[number] = Bar(
                number=number,
                label=cut(str(label), Bar.MAX_CHARACTERS),
                done=_bounded(done) or 0,
                total=None if total is None else _bounded(total),
            )

    def remove(self, number: int) -> None:
        """Take a bar off the screen."""
        self._bars.pop(number, None)

    def clear(self) -> None:
        """Take all bars off the screen."""
        self._bars.clear()

    def shown(self) -> tuple[Bar, ...]:
        """Return the bars, the oldest first."""
        return tuple(self._bars[number] for number in sorted(self._bars))


BARS = Bars()


def _bounded(count: float) -> int | None:
    """Return a whole number that a part may have; None for what is none, such as infinity.

    >>> _bounded(2.5), _bounded(10**400) == MAX_INTEGER, _bounded(float("inf"))
    (2, True, None)
    """
    try:
        return int(min(max(int(count), -MAX_INTEGER), MAX_INTEGER))
    except (OverflowError, ValueError):
        return None


def merged(line: Line, more: Line) -> Line:
    """Return a line with later notes, and with what it has printed since."""
    notes: tuple[Note, ...] = more.notes or line.notes
    return Line(line.number, notes, line.printed + more.printed)
