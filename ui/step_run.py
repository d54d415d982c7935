"""Run a step's experiment: wait for its answer, or watch it while it runs.

Streamlit delays a click until the page is drawn. A watched run therefore checks between two
pictures whether the visitor did anything; if so, it stops, and can be started again.
"""

import html
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from hosting import limits
from hosting.framework_internals import streamlit_session
from hosting.logs_and_metrics import time_experiment
from playground import compute
from playground.compute.settings import Settings
from playground.errors import PlaygroundError
from playground.steps import Answer, Labels, Progress, Step
from ui import error_page, html_markup, theme
from ui.language import say
from ui.panel import plain

Report = TypeVar("Report")
PICTURE_SLOT = "slot-picture"  # lies over the panel's picture
FRAME_SECONDS = 0.1  # between two pictures; progress that comes sooner is skipped
MESSAGE_DELAY_SECONDS = 0.5  # a shorter run needs no message


class StoppedError(BaseException):
    """The visitor did something else, so the run stops."""


class WaitingNote:
    """A sentence that says why there is no answer yet; it takes no room before it is shown."""

    def __init__(self) -> None:
        self._element: DeltaGenerator | None = None

    def show(self, parent: DeltaGenerator, words: str, **values: object) -> None:
        """Show a sentence.

        Args:
            parent: The container it is added to.
            words: The text's id.
            values: For its placeholders.
        """
        if self._element is None:
            self._element = parent.empty()
        self._element.html(_waiting_html(words, **values))

    def end(self) -> None:
        """Remove the sentence."""
        if self._element is not None:
            self._element.empty()
            self._element = None


def _waiting_html(words: str, **values: object) -> str:
    return f'<p class="tp-waiting">{html.escape(say(words, **values))}</p>'


def fetch_answer(step: Settings[Report], notice: DeltaGenerator) -> Report | None:
    """Run a step and return its answer; on an error show a sentence and return None."""
    note = WaitingNote()

    def wait(place: int) -> None:
        words = "step.waiting" if place else "step.starting"
        note.show(notice.container(), words, place=place)

    def run(seconds: float) -> None:
        if seconds >= MESSAGE_DELAY_SECONDS:
            note.show(notice.container(), "step.running", seconds=f"{seconds:.0f}")

    try:
        limits.admit_experiment(streamlit_session.session_id())
        with time_experiment():
            return compute.run(step, on_wait=wait, on_run=run)
    except PlaygroundError as error:
        failed = error_page.sentence(error, {})
    finally:
        note.end()
    notice.warning(failed)
    return None


@dataclass(slots=True, eq=False)
class StreamState:
    """The runs of one watched step in this visit.

    Attributes:
        answers: Of the runs that ended.
        progress: The last report of the runs that were stopped.
        start: The settings that were drawn last without an answer, and the state before a run.
    """

    answers: dict[Step, Answer] = field(default_factory=dict)
    progress: dict[Step, Progress] = field(default_factory=dict)
    start: tuple[Step, Progress | None] | None = None


def state_before(step: Step, runs: StreamState, notice: DeltaGenerator) -> Progress | None:
    """Return the state that is drawn before the answer: where a run was stopped, or the start."""
    if step in runs.progress:
        return runs.progress[step]
    if runs.start is None or runs.start[0] != step:
        start = step.first_state()
        runs.start = (step, fetch_answer(start, notice) if start else None)
    return runs.start[1]


def yield_to_user(_: object = None) -> None:
    """Stop a run if the visitor did anything.

    Raises:
        StoppedError: There was a click, or the page was left.
    """
    if streamlit_session.is_rerun_requested():
        raise StoppedError


def watch(name: str, step: Step, runs: StreamState, labels: Labels) -> None:
    """Run a step's experiment and draw its progress; its answer is then in ``runs``.

    Args:
        name: Prefix of the button's key.
        step: The settings.
        runs: The runs of the step.
        labels: Its labels.

    Raises:
        StoppedError: The visitor did something else; the last progress is in ``runs``.
        PlaygroundError: It could not run.
    """
    bar, stop = st.empty(), st.empty()
    slot = None if plain.is_chosen() else PICTURE_SLOT  # there is no panel to lie over
    place, facts = st.container(key=slot).empty(), st.empty()
    bar.progress(0.0)
    stop.button(say("stream.stop"), key=f"{name}-stop")  # the run yields to any click
    drawn_at = -FRAME_SECONDS

    def wait(number: int) -> None:
        yield_to_user()
        bar.html(_waiting_html("step.waiting" if number else "step.starting", place=number))

    try:
        limits.admit_experiment(streamlit_session.session_id())
        with (
            time_experiment(),
            compute.stream(step, on_wait=wait, on_run=yield_to_user) as stream,
        ):
            for progress in stream:
                runs.progress[step] = progress
                yield_to_user()
                if time.monotonic() - drawn_at >= FRAME_SECONDS:
                    drawn_at = time.monotonic()
                    bar.progress(min(max(progress.fraction, 0.0), 1.0))
                    draw_progress(place, facts, step, progress, labels)
            runs.answers[step] = stream.report
            runs.progress.pop(step, None)
    finally:
        for each in (bar, stop, place, facts):
            each.empty()


def show_stopped(step: Step, runs: StreamState, labels: Labels) -> None:
    """Show the last progress of a run that was stopped."""
    if progress := runs.progress.get(step):
        st.caption(say("stream.stopped", percent=round(100 * progress.fraction)))
        draw_progress(None, st.empty(), step, progress, labels)  # the panel draws the picture


def draw_progress(
    place: DeltaGenerator | None,
    facts: DeltaGenerator,
    step: Step,
    progress: Progress,
    labels: Mapping[str, str],
) -> None:
    """Draw the picture of a report in one place, and its facts in another."""
    named = {labels[name]: value for name, value in progress.facts.items()}
    facts.html(f'<div class="tp-answer">{html_markup.facts(named)}</div>')
    if place is None:
        return
    if picture := step.live_picture(progress, Labels(labels)):
        alt = " · ".join(f"{name}: {value}" for name, value in named.items())
        place.html(html_markup.picture(theme.with_colours(picture.svg), alt))
