"""The frame of every lesson: header, numbered step cards, challenges, and the way on.

A page registers one function per step and calls ``show``. The words of the open steps are all on
the screen before the first experiment runs; each step is a fragment, so a click reruns it alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground import catalog
from playground.errors import InvalidSettingError, InvalidSpecError, PlaygroundError
from playground.machines import Machine
from ui import (
    challenge_view,
    failures,
    folding,
    language,
    lesson_header,
    machine_picker,
    prediction,
    progress,
    rerun,
    take_away,
)
from ui.step import AnswerFirstError, Mode, Step, Value
from ui.words import say

__all__ = ["Lesson", "Step"]  # all that a page imports from here

Body = Callable[[Step], None]
P = ParamSpec("P")
SIDES = (5, 7)


@dataclass
class LastGood:
    """The values that last gave a result, by step: what a bad value falls back to."""

    machine: Machine
    values: dict[str, dict[str, Value]] = field(default_factory=dict)
    revealed: set[str] = field(default_factory=set)


class Lesson:
    """A lesson page.

    Args:
        name: The lesson's one name.
    """

    def __init__(self, name: str) -> None:
        self.words = catalog.lesson(name)
        self.bodies: dict[str, Body] = {}

    def step(self, step_id: str) -> Callable[[Body], Body]:
        """Register the function that draws a step."""

        def register(body: Body) -> Body:
            self.bodies[step_id] = body
            return body

        return register

    def show(self) -> None:
        """Draw the page: first all words, then step by step what PyTorch answers."""
        expected = [step.id for step in self.words.steps]
        if list(self.bodies) != expected:
            raise ValueError(f"{self.words.name}: the page has {list(self.bodies)}, not {expected}")
        good = self._last_good()
        lesson_header.draw(self.words, machine_picker.badge(good.machine))
        with st.container(horizontal=True, vertical_alignment="bottom", key="lesson-bar"):
            self._part(folding.PROGRESS, lesson_header.draw_progress)(self.words)
            folding.draw_switch(self.words)
            tongue = language.current()
            take_away.draw(
                self.words,
                good.machine,
                lambda: take_away.shown_steps(self.words, self.bodies, good, tongue),
            )
        cards = []
        for number, words in enumerate(self.words.steps, 1):
            if folding.is_open(self.words, words):
                cards.append((words, self._card(number, words)))
            else:
                self._part(words.id, self._unfold)(number, words, good)
        lesson_header.way_on(self.words)
        for words, card in cards:
            with card:
                self._part(words.id, self._run)(words, good)

    def _part(self, part: str, draw: Callable[P, None]) -> Callable[P, None]:
        """What draws a part of the page alone when it is clicked."""
        return st.fragment(draw, key=folding.fragment_key(self.words, part))

    def _unfold(self, number: int, words: catalog.Step, good: LastGood) -> None:
        """Draw a step as one line, or whole, once it was opened."""
        rerun.send_whole()
        if folding.is_open(self.words, words):
            with self._card(number, words):
                self._run(words, good)
        else:
            folding.draw_row(self.words, words, number)

    def _last_good(self) -> LastGood:
        key = f"last-good-{self.words.name}"
        if key not in st.session_state:
            st.session_state[key] = LastGood(machine=machine_picker.current())
        good: LastGood = st.session_state[key]
        good.machine = machine_picker.current()
        return good

    def _card(self, number: int, words: catalog.Step) -> DeltaGenerator:
        card = st.container(border=True, key=f"card-{self.words.name}-{words.id}")
        tongue = language.current()
        card.markdown(f"### {number}&ensp;{words.title.said(tongue)}\n\n{words.prose.said(tongue)}")
        return card

    def _run(self, words: catalog.Step, good: LastGood) -> None:
        rerun.send_whole()
        left, right = st.columns(SIDES, gap="medium")
        step = Step(self.words, words, machine_picker.current(), {})
        step.left, step.right = left, right
        try:
            with step:
                self.bodies[words.id](step)
        except AnswerFirstError:
            prediction.ask_first(step)
            self._note_good(good, step)
        except (InvalidSettingError, InvalidSpecError) as error:
            step.left.warning(failures.sentence(error, step.words))
            self._replay(words, good, step.right)
        except PlaygroundError as error:
            step.right.warning(failures.sentence(error, step.words))
            step.right.button(say("failures.retry"), key=step.key("retry"))
        else:
            self._note_good(good, step)
        if step.is_changed:
            step.left.button(
                say("step.reset"),
                key=step.key("reset"),
                type="tertiary",
                on_click=_reset,
                args=(step,),
            )
        is_to_read = not step.defaults and words.prediction is None
        if is_to_read and folding.is_begun(self.words):
            progress.mark(self.words.name, words.id)
        for challenge in self.words.challenges:
            if challenge.step == words.id:
                challenge_view.draw(step, challenge)

    def _note_good(self, good: LastGood, step: Step) -> None:
        name = step.catalog_step.id
        good.values[name] = step.values
        if step.is_revealed:
            good.revealed.add(name)
        else:
            good.revealed.discard(name)

    def _replay(self, words: catalog.Step, good: LastGood, right: DeltaGenerator) -> None:
        """Show the last good result again: nothing is lost by a bad value."""
        if words.id not in good.revealed:
            return
        step = Step(self.words, words, good.machine, good.values[words.id], Mode.REPLAYING)
        step.right = right
        with step:
            self.bodies[words.id](step)


def _reset(step: Step) -> None:
    for name, default in step.defaults.items():
        st.session_state[step.key(name)] = default
