"""A run that the visitor starts, watches and may stop; its step keeps what came of it.

Streamlit lets a click in a card wait until the card is drawn. So who draws a run asks between two
pictures whether the visitor did anything: whatever it was, the run makes way, and can be started
again. The picture is SVG: a Plotly chart would be mounted anew each time, and flicker.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import streamlit as st

from playground.palette import Palette, Words
from ui import answer_view, rerun
from ui.step import Mode, Step, Value
from ui.words import say

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

FRAME_SECONDS = 0.1  # between two pictures; what comes sooner is passed over


class Watched(Protocol):
    """What a run tells, so that a page can show it."""

    @property
    def fraction(self) -> float:
        """How much of the run is done, 0 to 1."""

    @property
    def facts(self) -> Mapping[str, Value | None]:
        """What it has come to, by label."""


class StoppedError(BaseException):
    """The visitor did something else; the run makes way."""


@dataclass(slots=True, eq=False)
class Kept:
    """What a step knows of its run, for as long as its settings stay.

    Attributes:
        settings: The settings of the run.
        is_wanted: It was started, and neither stopped nor finished.
        told: What it told last.
        report: What came of it.
    """

    settings: object
    is_wanted: bool = False
    told: Any = None
    report: Any = None


def recall(step: Step, settings: object) -> Kept:
    """What is known of a run with these settings; starts afresh where they have changed."""
    if step.mode is Mode.COLLECTING:  # happens outside of any session
        return Kept(settings)
    key = step.key("run")
    kept = st.session_state.get(key)
    if not isinstance(kept, Kept) or kept.settings != settings:
        kept = Kept(settings)
        if step.mode is Mode.DRAWING:
            st.session_state[key] = kept
    return kept


def offer(step: Step, kept: Kept, start: str) -> None:
    """Draw the button that starts the run."""
    if step.left is not None:
        step.left.button(
            step.label(start), key=step.key("start"), type="primary", on_click=_start, args=(kept,)
        )


def make_way(_: object = None) -> None:
    """Go on only while the visitor does nothing.

    Raises:
        StoppedError: There was a click, or the page was left.
    """
    if rerun.is_asked_for():
        raise StoppedError


class Screen:
    """Where a run is watched: a bar, a button that stops it, a picture and a few facts.

    Its three places are there in every run of the card, so that nothing below them moves.

    Args:
        step: The step that is being drawn.
        kept: What it knows of the run.
        draw: Makes the picture, as SVG.
    """

    def __init__(
        self, step: Step, kept: Kept, draw: Callable[[Any, Palette, Words], str] | None
    ) -> None:
        self._step, self._kept, self._draw = step, kept, draw
        self._drawn_at = -FRAME_SECONDS
        self._places: tuple[DeltaGenerator, ...] = ()
        if step.right is not None:
            self._places = (step.right.empty(), step.right.empty(), step.right.empty())

    def __enter__(self) -> "Screen":
        """Draw the bar and the button."""
        if self._places:
            bar, stop, _ = self._places
            bar.progress(0.0)
            stop.button(
                say("stream.stop"), key=self._step.key("stop"), on_click=_stop, args=(self._kept,)
            )
        return self

    def show(self, told: Watched) -> None:
        """Show what was told, unless it comes too soon after the last."""
        self._kept.told = told
        make_way()
        now = time.monotonic()
        if self._places and now - self._drawn_at >= FRAME_SECONDS:
            self._drawn_at = now
            bar, _, picture = self._places
            bar.progress(min(max(told.fraction, 0.0), 1.0))
            picture.html(self._picture(told))

    def __exit__(self, *_: object) -> None:
        """Take it all away again."""
        for place in self._places:
            place.empty()

    def wait(self, place: int) -> None:
        """Say which place in the queue the run has; nothing below moves."""
        if self._places:
            words = "step.waiting" if place else "step.starting"
            self._places[0].caption(say(words, place=place))

    def show_stopped(self) -> None:
        """Show how far a run came that was stopped."""
        told = self._kept.told
        if self._places and told is not None:
            bar, _, picture = self._places
            bar.caption(say("stream.stopped", percent=round(100 * told.fraction)))
            picture.html(self._picture(told))

    def _picture(self, told: Watched) -> str:
        named = {self._step.label(name): value for name, value in told.facts.items()}
        drawn = ""
        if self._draw is not None:
            svg = self._draw(told, self._step.palette, self._step.words)
            drawn = svg and answer_view.picture(
                svg, " · ".join(f"{k}: {v}" for k, v in named.items())
            )
        return f'<div class="tp-answer">{drawn}{answer_view.facts(named)}</div>'


def _start(kept: Kept) -> None:
    kept.is_wanted, kept.told, kept.report = True, None, None


def _stop(kept: Kept) -> None:
    kept.is_wanted = False
