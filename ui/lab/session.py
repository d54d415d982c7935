"""A visit's state of the lab: the text, its origin, the run and its report."""

import secrets
from collections import deque
from dataclasses import dataclass, field
from typing import TypeAlias

import streamlit as st

from playground.errors import PlaygroundError
from playground.lab.examples import examples
from playground.lab.exercises import Grade, exercises
from playground.sandbox.limits import LIMITS
from playground.sandbox.report import SandboxReport
from ui import progress
from ui.lab.run import SandboxRun

RunResult: TypeAlias = SandboxReport | Grade
Link: TypeAlias = tuple[str, str]
NO_LINK: Link = ("", "")
MAX_LINKS = 8  # that the browser may have at one press: each run in the meantime writes one
KEY = "lab-session"  # in the session, and in keys of widgets
MAX_STEPS = 30  # of undo; each is a text of some thousand characters
MAX_CHARACTERS = 4 * LIMITS.source_characters  # a longer text is cut


@dataclass(slots=True, eq=False)
class LabSession:
    """The text in the editor, its origin and its runs.

    Attributes:
        name: Prefix of the widgets' keys; two sessions of a visit have different ones.
        text: The visitor's text; a run does not change it.
        version: Increases when the editor must take the text from here.
        opened: Increases with each program that is opened: the editor gives it a tab.
        origin: The text that the visitor started from.
        title: Of the example or the exercise; empty for a program of the visitor's own.
        start: The id of the example that it came from, or empty.
        exercise: The id of the exercise that it is to solve, or empty.
        earlier: Texts that were replaced, the newest last.
        links: The last parameters ``from`` and ``code`` of the URL, those for this text at the end.
            A request has those that the browser had when it was sent, perhaps older ones; others
            mean that the visitor has followed a link.
        arrival: The number of ``navigation.arrivals`` at which the URL was read last.
        session: The id under which runs are counted.
        heard_at: The time of the editor's last event, by the browser's clock.
        is_begun: A first program was loaded.
        is_first: It is still the one that is shown, and the visitor has not asked for it.
        problem: The error of a program that could not be loaded.
        is_ready: The editor has started in the visitor's browser.
        lacks_editor: It has not, so the plain text field takes its place.
        is_broken_link: The URL held something that is no program.
        is_too_long_for_link: Only a file can hold this text.
        running: The current run, or one that has ended and is not shown yet.
        latest: The run that was started last, even if it was stopped.
        shown: The run whose report is on the screen.
        passed: Ids of exercises that were solved.
        hinted: The number of hints that are shown, by exercise.
    """

    name: str = "lab"
    text: str = ""
    version: int = 0
    opened: int = 0
    origin: str = ""
    title: str = ""
    start: str = ""
    exercise: str = ""
    earlier: list[tuple[str, str, str, str]] = field(default_factory=list)
    links: deque[Link] = field(default_factory=lambda: deque([NO_LINK], maxlen=MAX_LINKS))
    arrival: int = 0
    session: str = field(default_factory=lambda: secrets.token_hex(8))
    heard_at: int = 0
    is_begun: bool = False
    is_first: bool = False
    problem: PlaygroundError | None = None
    is_ready: bool = False
    lacks_editor: bool = False
    is_broken_link: bool = False
    is_too_long_for_link: bool = False
    running: SandboxRun[RunResult] | None = None
    latest: SandboxRun[RunResult] | None = None
    shown: SandboxRun[RunResult] | None = None
    passed: set[str] = field(default_factory=set)
    hinted: dict[str, int] = field(default_factory=dict)

    @property
    def link(self) -> Link:
        """The parameters ``from`` and ``code`` of the URL for this text."""
        return self.links[-1]

    @link.setter
    def link(self, link: Link) -> None:
        if link in self.links:
            self.links.remove(link)
        self.links.append(link)

    @property
    def is_changed(self) -> bool:
        """The text differs from the one that the visitor started from."""
        return self.text.strip() != self.origin.strip()

    @property
    def document(self) -> str:
        """The id of the example or the exercise under which the editor keeps the text."""
        return self.exercise or self.start

    def edit(self, text: str) -> None:
        """Set the text that the editor holds."""
        self.text = text[:MAX_CHARACTERS]

    def put(self, text: str) -> None:
        """Set a text that does not come from the editor, and make the editor show it.

        Also where it is the text known here: the editor may hold another one, not sent yet.
        """
        self.edit(text)
        self.version += 1

    def adopt(self, text: str, origin: str, document: str) -> None:
        """Note that the editor shows another program, one that it has kept.

        Args:
            text: The program.
            origin: The text that the visitor started from.
            document: Its id; of none that is known, the program is the visitor's own.
        """
        self.edit(text)
        self.origin = origin[:MAX_CHARACTERS]
        self.exercise = document if any(each.id == document for each in exercises()) else ""
        self.start = document if any(each.id == document for each in examples()) else ""
        self.shown = None
        self.is_first = False

    def open(self, text: str, *, start: str = "", exercise: str = "", title: str = "") -> None:
        """Start from another text; a text that was changed can be restored with ``go_back``.

        >>> lab = LabSession(text="mine", origin="theirs")
        >>> lab.open("other"), lab.text, lab.go_back(), lab.text
        (None, 'other', None, 'mine')
        """
        self._save_unless(text)
        self.put(text)
        self.opened += 1
        self.origin, self.start, self.exercise, self.title = text, start, exercise, title
        self.shown = None
        self.is_first = False

    def replace(self, text: str) -> None:
        """Replace the text, from the same start; it can be restored with ``go_back``.

        >>> lab = LabSession(text="mine", origin="theirs")
        >>> lab.replace("a solution"), lab.origin, lab.go_back(), lab.text
        (None, 'theirs', None, 'mine')
        """
        self._save_unless(text)
        self.put(text)

    def _save_unless(self, text: str) -> None:
        """Save the current text for ``go_back``, unless it equals ``text`` or was not changed."""
        is_untouched = (self.start or self.exercise) and not self.is_changed
        if self.text.strip() and self.text != text and not is_untouched:
            self.earlier.append((self.text, self.origin, self.start, self.exercise))
            del self.earlier[:-MAX_STEPS]

    def reset(self) -> None:
        """Return to the text of the start; ``go_back`` restores the current one."""
        self.replace(self.origin)
        self.shown = None

    def go_back(self) -> None:
        """Restore the text that was replaced last."""
        if self.earlier:
            text, self.origin, self.start, self.exercise = self.earlier.pop()
            self.put(text)
            self.shown = None


def session_for_step(start: str) -> LabSession:
    """Return a new session for the program of a step; its runs count like the lab's.

    Args:
        start: The lesson and the step, e.g. ``"tensors/move"``.
    """
    return LabSession(name=f"{KEY}-{start.replace('/', '-')}", session=current_session().session)


def current_session() -> LabSession:
    """Return the lab's session of this visit."""
    if KEY not in st.session_state:
        st.session_state[KEY] = LabSession()
    lab: LabSession = st.session_state[KEY]
    lab.passed |= progress.solved_exercises()
    return lab
