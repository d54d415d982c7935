"""A step's experiment that is watched while it runs: below the panel, with a button that stops it.

Streamlit lets a click wait until the page is drawn. So who draws a run asks between two pictures
whether the visitor did anything: whatever it was, the run makes way, and can be started again.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import streamlit as st

from hosting.limits import experiments
from hosting.metrics import times
from playground import compute
from playground.palette import Words
from playground.steps import Answer, Progress, Step
from ui import answer_view, rerun, theme
from ui.words import say

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

INK = re.compile(r"var\(--tp-(\w+)\)")
FRAME_SECONDS = 0.1  # between two pictures; what comes sooner is passed over


class StoppedError(BaseException):
    """The visitor did something else; the run makes way."""


@dataclass(slots=True, eq=False)
class Runs:
    """What a visit knows of the runs of one watched step.

    Attributes:
        answers: Of those that came to their end.
        told: What those reported last that were stopped.
    """

    answers: dict[Step, Answer] = field(default_factory=dict)
    told: dict[Step, Progress] = field(default_factory=dict)


def make_way(_: object = None) -> None:
    """Go on only while the visitor does nothing.

    Raises:
        StoppedError: There was a click, or the page was left.
    """
    if rerun.is_asked_for():
        raise StoppedError


def run(name: str, step: Step, runs: Runs, labels: Words) -> None:
    """Run a step's experiment and show it meanwhile; its answer is then among ``runs``.

    Args:
        name: Before the key of the button.
        step: The settings.
        runs: Of the step.
        labels: Its words.

    Raises:
        StoppedError: The visitor did something else; what it came to is among ``runs``.
        PlaygroundError: It could not run.
    """
    bar, stop, place = st.empty(), st.empty(), st.empty()
    bar.progress(0.0)
    stop.button(say("stream.stop"), key=f"{name}-stop", on_click=stop_it)
    drawn_at = -FRAME_SECONDS

    def wait(number: int) -> None:
        make_way()
        bar.caption(say("step.waiting" if number else "step.starting", place=number))

    try:
        experiments.admit(rerun.session())
        with times.experiment(), compute.stream(step, on_wait=wait, on_run=make_way) as told:
            for progress in told:
                runs.told[step] = progress
                make_way()
                if time.monotonic() - drawn_at >= FRAME_SECONDS:
                    drawn_at = time.monotonic()
                    bar.progress(min(max(progress.fraction, 0.0), 1.0))
                    draw(place, step, progress, labels)
            runs.answers[step] = told.report
            runs.told.pop(step, None)
    finally:
        for each in (bar, stop, place):
            each.empty()


def stop_it() -> None:
    """Do nothing: the run makes way for any click."""


def show_stopped(step: Step, runs: Runs, labels: Words) -> None:
    """Show how far a run came that was stopped."""
    if progress := runs.told.get(step):
        st.caption(say("stream.stopped", percent=round(100 * progress.fraction)))
        draw(st.empty(), step, progress, labels)


def draw(
    place: "DeltaGenerator", step: Step, progress: Progress, labels: Mapping[str, str]
) -> None:
    """Draw the picture of a report, and its facts."""
    named = {labels[name]: value for name, value in progress.facts.items()}
    drawn = ""
    if picture := step.live_picture(progress, Words(labels)):
        palette = theme.palette()  # an image does not know the colours of the page
        svg = INK.sub(lambda found: getattr(palette, found[1]), picture.svg)
        alt = " · ".join(f"{name}: {value}" for name, value in named.items())
        drawn = answer_view.picture(svg, alt)
    place.html(f'<div class="tp-answer">{drawn}{answer_view.facts(named)}</div>')
