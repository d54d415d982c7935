"""One step of a lesson while it is drawn: the student's side left, PyTorch's answer right.

A step has a mode. Drawing is what a visit does. Replaying draws the answer side again from the
last values that worked, after a bad one. Collecting draws nothing and gathers the program.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Self, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground import catalog
from playground.compute.outcome import Outcome
from playground.machines import Machine
from playground.palette import LIGHT, Palette, Words
from ui import answer_view, folding, language, prediction, theme, waiting
from ui.answer_side import AnswerSide, Value
from ui.modes import AnswerFirstError, Mode
from ui.words import labels

__all__ = ["AnswerFirstError", "Mode", "Step", "Value"]
T = TypeVar("T", bound=Value)


class Step(AnswerSide):
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
        is_collecting = mode is Mode.COLLECTING
        super().__init__(
            lesson,
            words,
            catalog.Language.EN if is_collecting else language.current(),
            is_revealed=mode is not Mode.DRAWING or words.prediction is None,
        )
        self.palette: Palette = LIGHT if is_collecting else theme.palette()
        self.mode = mode
        self.values = values
        self.defaults: dict[str, Value] = {}
        self.reports: dict[str, object] = {}  # by the name of the settings class
        self.uses_machine = False
        self.simulates = False  # whatever the visitor's machine is
        self.is_changed = False
        self.left: DeltaGenerator | None = None
        self.machine_now = machine
        self._waiting = waiting.Waiting()

    def __enter__(self) -> Self:
        """Become the step that ``ui.compute`` reports to."""
        self._token = self._current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Show what is left to show, and give the place back."""
        self._current.reset(self._token)
        del self._token  # it holds all that was known to the run
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
    def is_simulated(self) -> bool:
        """Asked for by the experiment, or by the visitor where the machine has a say."""
        return self.simulates or (self.uses_machine and self.machine_now.is_simulated)

    @property
    def words(self) -> Words:
        """The lesson's labels in the visitor's language, for figures."""
        return labels(self.lesson.name, self.language)

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

    # -- what the visitor does ---------------------------------------------------------------

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
