"""What a visit remembers of the lab: the text, where it came from, the run and its report."""

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import streamlit as st

from playground.errors import PlaygroundError
from playground.sandbox.limits import LIMITS

if TYPE_CHECKING:
    from playground.lab.exercises import Grade
    from playground.sandbox.report import SandboxReport
    from ui.lab.running import Running

Came: TypeAlias = "SandboxReport | Grade"
KEY = "lab-desk"
MOST_STEPS = 30  # back; each is a text of some thousand characters
MOST_CHARACTERS = 4 * LIMITS.source_characters  # more is not kept: no editor is a store


@dataclass(slots=True, eq=False)
class Desk:
    """The text on the screen, and how it came to be.

    Attributes:
        name: Of its widgets, which no two desks share.
        text: As the visitor last left it; kept whatever happens to a run of it.
        version: Another one tells the editor to take the text from here.
        origin: The text that the visitor started from.
        start: The id of the program of a lesson that it came from, or nothing.
        exercise: The id of the exercise that it is to solve, or nothing.
        earlier: Texts that were replaced by another start, the newest last.
        link: What the address says of this text, the start's id and the program; anything else
            there is a new arrival.
        session: Whose runs are counted.
        heard_at: When the editor said what it said last, by the browser's clock.
        is_begun: A first program was put here.
        problem: Why a program could not be brought here.
        is_ready: The editor has come up in this visitor's browser.
        lacks_editor: It has not, so the plain text field is to take its place.
        is_broken_link: The address held something that is no program.
        is_too_long_for_link: Only a file can hold this text.
        running: The run that is going on, or is over and not yet shown.
        latest: The run that was begun last, whatever became of it.
        shown: The last run whose report is on the screen.
        passed: Ids of exercises that were solved.
        hinted: How many hints of an exercise are shown, by its id.
    """

    name: str = "lab"
    text: str = ""
    version: int = 0
    origin: str = ""
    start: str = ""
    exercise: str = ""
    earlier: list[tuple[str, str, str, str]] = field(default_factory=list)
    link: tuple[str, str] = ("", "")
    session: str = field(default_factory=lambda: secrets.token_hex(8))
    heard_at: int = 0
    is_begun: bool = False
    problem: PlaygroundError | None = None
    is_ready: bool = False
    lacks_editor: bool = False
    is_broken_link: bool = False
    is_too_long_for_link: bool = False
    running: "Running[Came] | None" = None
    latest: "Running[Came] | None" = None
    shown: "Running[Came] | None" = None
    passed: set[str] = field(default_factory=set)
    hinted: dict[str, int] = field(default_factory=dict)

    @property
    def is_changed(self) -> bool:
        """The text is not the one that the visitor started from."""
        return self.text.strip() != self.origin.strip()

    def edit(self, text: str) -> None:
        """Take what the editor says."""
        self.text = text[:MOST_CHARACTERS]

    def put(self, text: str) -> None:
        """Take a text that does not come from the editor, which is to show it."""
        if text != self.text:
            self.edit(text)
            self.version += 1

    def open(self, text: str, *, start: str = "", exercise: str = "") -> None:
        """Begin with another text; what was there can be brought back, unless it was untouched.

        >>> desk = Desk(text="mine", origin="theirs")
        >>> desk.open("other"), desk.text, desk.go_back(), desk.text
        (None, 'other', None, 'mine')
        """
        self._keep_unless(text)
        self.put(text)
        self.origin, self.start, self.exercise = text, start, exercise
        self.shown = None

    def replace(self, text: str) -> None:
        """Put another text to the same start; what was there can be brought back.

        >>> desk = Desk(text="mine", origin="theirs")
        >>> desk.replace("a solution"), desk.origin, desk.go_back(), desk.text
        (None, 'theirs', None, 'mine')
        """
        self._keep_unless(text)
        self.put(text)

    def _keep_unless(self, text: str) -> None:
        """Keep what is there to be brought back, unless it is this text or an untouched start."""
        is_untouched = (self.start or self.exercise) and not self.is_changed
        if self.text.strip() and self.text != text and not is_untouched:
            self.earlier.append((self.text, self.origin, self.start, self.exercise))
            del self.earlier[:-MOST_STEPS]

    def reset(self) -> None:
        """Put the text of the start back; what was there can be brought back."""
        self.open(self.origin, start=self.start, exercise=self.exercise)

    def go_back(self) -> None:
        """Bring back the text that was replaced last."""
        if self.earlier:
            text, self.origin, self.start, self.exercise = self.earlier.pop()
            self.put(text)
            self.shown = None


def beside(start: str) -> Desk:
    """A new desk for the program of a step, beside the lab's; its runs count as the lab's do.

    Args:
        start: The lesson and the step, e.g. ``"tensors/move"``.
    """
    return Desk(name=f"{KEY}-{start.replace('/', '-')}", session=current().session)


def current() -> Desk:
    """The desk of this visit."""
    if KEY not in st.session_state:
        st.session_state[KEY] = Desk()
    desk: Desk = st.session_state[KEY]
    return desk
