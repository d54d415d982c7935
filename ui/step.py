"""One step of a lesson while it is drawn: the student's side left, PyTorch's answer right.

A step has a mode. Drawing is what a visit does. Replaying draws the answer side again from the
last values that worked, after a bad one. Collecting draws nothing and gathers the program.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Self, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground import catalog
from playground.compute.outcome import Outcome
from playground.machines import Machine
from playground.palette import LIGHT, Palette, Words
from ui import answer_view, chart, folding, language, prediction, theme, waiting
from ui.modes import AnswerFirstError, Mode
from ui.words import labels, say

if TYPE_CHECKING:
    import plotly.graph_objects as go  # a type only: figures alone import plotly

__all__ = ["AnswerFirstError", "Mode", "Step", "Value"]
Value = str | int | float | bool
T = TypeVar("T", bound=Value)


class Step:
    """What a page's step function is given: controls read through it, results are shown by it.

    Args:
        lesson: The lesson's words.
        words: The step's own words.
        machine: The machine that the visitor chose.
        values: The values of its controls, by field; drawing fills it, the other modes read it.
        mode: What the step is being run for.
    """

    _current: ContextVar["Step"] = ContextVar("step")

    def __init__(
        self,
        lesson: catalog.Lesson,
        words: catalog.Step,
        machine: Machine,
        values: dict[str, Value],
        mode: Mode = Mode.DRAWING,
    ) -> None:
        self.lesson = lesson
        self.catalog_step = words
        self.mode = mode
        self.values = values
        self.defaults: dict[str, Value] = {}
        self.reports: dict[str, object] = {}  # by the name of the settings class
        self.program = ""
        self.is_revealed = mode is not Mode.DRAWING or words.prediction is None
        self.uses_machine = False
        self.simulates = False  # whatever the visitor's machine is
        self.is_changed = False
        self.left: DeltaGenerator | None = None
        self.right: DeltaGenerator | None = None
        self.machine_now = machine
        self._waiting = waiting.Waiting()
        self._truth = ""  # the id of what really happened
        self._judged = ""  # whether it was predicted
        self._answered = ""  # both in words, for the head of the answer
        self._has_head = False
        self._markup: list[str] = []  # shown together: fewer messages to the browser
        self._charts = 0
        self.language = catalog.Language.EN if mode is Mode.COLLECTING else language.current()
        self.palette: Palette = LIGHT if mode is Mode.COLLECTING else theme.palette()

    def __enter__(self) -> Self:
        """Become the step that ``ui.compute`` reports to."""
        self._token = self._current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Show what is left to show, and give the place back."""
        self._current.reset(self._token)
        self._flush()

    @classmethod
    def current(cls) -> "Step":
        """The step that is being drawn in this thread."""
        return cls._current.get()

    # -- what the page asks ------------------------------------------------------------------

    @property
    def machine(self) -> Machine:
        """The machine that the visitor chose; asking for it badges the answer."""
        self.uses_machine = True
        return self.machine_now

    @property
    def words(self) -> Words:
        """The lesson's labels in the visitor's language, for figures."""
        return labels(self.lesson.name, self.language)

    def key(self, field: str) -> str:
        """The key of a control: its widget, its CSS class and its URL parameter."""
        return f"{self.lesson.name}_{self.catalog_step.id}_{field}"

    def label(self, field: str) -> str:
        """The label of a control, a column or a fact."""
        return self.lesson.labels[field].said(self.language)

    def option(self, field: str, option_id: str) -> str:
        """The words of a choice; an id without words is shown as itself."""
        words = self.lesson.options.get(field, {}).get(option_id)
        return words.said(self.language) if words else option_id

    def read(self, field: str, default: T, draw: Callable[[DeltaGenerator], T]) -> T:
        """A control's value: drawn now, or as it was when the step last worked."""
        if self.left is None or self.mode is not Mode.DRAWING:
            kept = self.values.get(field, default)
            return kept if isinstance(kept, type(default)) else default
        value = draw(self.left)
        self.is_changed |= value != default
        self.defaults[field] = default
        self.values[field] = value
        return value

    def await_prediction(self) -> None:
        """Before an experiment runs: go no further while its answer may not be seen.

        Raises:
            AnswerFirstError: The question stands, and its answers are known without a report.
        """
        if self.mode is Mode.DRAWING and prediction.is_open(self):
            raise AnswerFirstError

    def predicted(
        self, actual: Outcome | str | bool | int, answers: tuple[str, ...] | None = None
    ) -> bool:
        """Ask for a prediction; True once the student has committed to one, or skipped it."""
        if self.mode is not Mode.DRAWING:
            return True
        self._truth = prediction.answer_id(actual)
        asked = prediction.ask(self, self._truth, answers)
        self.is_revealed, self._judged = asked.is_revealed, asked.verdict
        if asked.truth:
            self._answered = answer_view.answered(asked.truth, asked.verdict)
        return self.is_revealed

    # -- what the page shows -----------------------------------------------------------------

    def place(self) -> DeltaGenerator | None:
        """Where else to draw on the answer side: below what was shown so far."""
        self._flush()
        return self.right

    def outcome(self, outcome: Outcome, value: str = "") -> None:
        """Show what PyTorch answered, in its own words."""
        if self.right is None:
            return
        verdict, badge = "", ""
        if not self._truth or self._truth == prediction.answer_id(outcome):
            self._has_head = True  # the panel says what happened, so the verdict stands in it
            verdict, badge = self._judged, self._badge()
        self._show(answer_view.outcome(outcome, value, verdict, badge))

    def facts(self, facts: Mapping[str, Value | None]) -> None:
        """Show a short list of names and values."""
        if self.right is not None:
            named = {self.label(name): value for name, value in facts.items()}
            self._show(answer_view.facts(named))

    def table(self, columns: tuple[str, ...], rows: tuple[tuple[Value | None, ...], ...]) -> None:
        """Show a table; it scrolls in itself where the screen is narrow."""
        if self.right is not None:
            self._show(answer_view.table(tuple(map(self.label, columns)), rows))

    def figure(self, figure: "go.Figure", alt: str, **placeholders: object) -> None:
        """Show a picture, with its alternative text from the lesson's ``[alts]``."""
        if self.right is None:
            return
        self._charts += 1
        self._flush()
        chart.draw(
            self.right,
            figure,
            key=self.key(f"figure{self._charts}"),
            alt=self.lesson.alts[alt].filled(self.language, **placeholders),
        )

    def why(self, why: str, **placeholders: object) -> None:
        """Say why, in the words of the lesson's ``[whys]``."""
        if self.right is not None:
            text = self.lesson.whys[why].filled(self.language, **placeholders)
            self._show(answer_view.why(text))

    def fix(self, line: str) -> None:
        """Show the one line that makes it work."""
        if self.right is None:
            return
        self._show(answer_view.heading(say("step.fix")))
        self._flush()
        self.right.code(line, language="python", wrap_lines=True)

    def diff(self, before: str, after: str) -> None:
        """Show a line, and the line that replaces it."""
        if self.right is None:
            return
        self._show(answer_view.heading(say("step.fix")))
        self._flush()
        self.right.code(f"- {before}\n+ {after}", language="diff", wrap_lines=True)

    def printed(self, text: str, *, height: int | None = None) -> None:
        """Show what a program prints, if anything, with a button that copies it."""
        if text and self.right is not None:
            self._flush()
            self.right.code(text, language=None, wrap_lines=True, height=height or "content")

    def code(self, program: str) -> None:
        """Offer the program, one click away; it is sent when it is opened."""
        self.program = program
        if self.right is None:
            return
        self._flush()
        box = self.right.expander(say("step.code"), key=self.key("code"), on_change="rerun")
        if box.open:
            box.code(f"{program.rstrip()}\nprint(result)", language="python", wrap_lines=True)

    def download(self, label: str, data: str, file_name: str) -> None:
        """Offer a text as a file."""
        if self.right is not None:
            self._flush()
            self.right.download_button(
                self.label(label),
                data,
                file_name,
                on_click="ignore",
                key=self.key(f"download-{label}"),
            )

    def measure(self, label: str) -> bool:
        """Offer a measurement; True from the press on, until a control of the step changes."""
        if self.left is None:
            return False
        kept = self.key("measured")
        asked = dict(self.values)
        self.left.button(
            self.label(label),
            key=self.key(f"measure-{label}"),
            on_click=self._note_measured,
            args=(kept, asked),
        )
        return st.session_state.get(kept) == asked

    def _note_measured(self, kept: str, asked: dict[str, Value]) -> None:
        st.session_state[kept] = asked
        self.done()

    def done(self) -> None:
        """In a callback: the step counts as done from now on."""
        folding.go_on(self.lesson, self.catalog_step)

    def touched(self) -> None:
        """In a callback of a control: where nothing is predicted, its use makes the step done."""
        if self.catalog_step.prediction is None:
            self.done()

    # -- while an experiment runs --------------------------------------------------------------

    def wait(self, place: int) -> None:
        """Say which place in the queue the run has."""
        words = "step.waiting" if place else "step.starting"
        self._waiting.tell(self.right, words, place=place)

    def tell_running(self, seconds: float) -> None:
        """Say that the run takes its time; telling is also where a page that was left stops."""
        if seconds >= waiting.PATIENCE_SECONDS:
            self._waiting.tell(self.right, "step.running", seconds=round(seconds))

    def stop_waiting(self) -> None:
        """Take the word about waiting away."""
        self._waiting.end()

    def _show(self, markup: str) -> None:
        self._markup += [self._head(), markup]

    def _flush(self) -> None:
        if self.right is None:
            return
        whole = self._head() + "".join(self._markup)
        self._markup.clear()
        if whole:
            self.right.html(f'<div class="tp-answer">{whole}</div>')

    def _head(self) -> str:
        """The verdict and the badge, once, above the first thing shown."""
        if self._has_head or not self.is_revealed:
            return ""
        self._has_head = True
        return answer_view.head(self._answered, self._badge())

    def _badge(self) -> str:
        is_simulated = self.simulates or (self.uses_machine and self.machine_now.is_simulated)
        return say("machine.simulated-result") if is_simulated else ""
