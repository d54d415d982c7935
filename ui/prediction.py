"""Predict, then run: ask once, keep the answer with the settings it was given for, judge it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from playground.compute.outcome import Outcome
from ui import address, answer_view, keeping
from ui.words import say

if TYPE_CHECKING:
    from ui.step import Step

SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of asking.

    Attributes:
        is_revealed: The student has committed, or skipped: the answer may be seen.
        verdict: Whether it came true, as HTML; empty where there is nothing to judge.
        truth: What really happened, in the words of the answers.
    """

    is_revealed: bool
    verdict: str = ""
    truth: str = ""


def answer_id(actual: Outcome | str | bool | int) -> str:
    """Name what really happened by the id of an answer.

    >>> answer_id(Outcome(ok=True)), answer_id(False), answer_id("cuda:0")
    ('works', 'no', 'cuda:0')
    """
    if isinstance(actual, Outcome):
        return "works" if actual.ok else actual.error_type
    if isinstance(actual, bool):
        return "yes" if actual else "no"
    return str(actual)


def is_open(step: "Step") -> bool:
    """Whether the question can be asked before anything has run, and is not answered yet."""
    asked = step.catalog_step.prediction
    return asked is not None and bool(asked.answers) and not _settle(step, asked.answers)


def ask_first(step: "Step") -> None:
    """Draw the question before anything has run."""
    asked = step.catalog_step.prediction
    if asked is not None and step.right is not None:
        _question(step, asked.answers)
        step.right.html(answer_view.invitation())


def ask(step: "Step", actual: str, answers: tuple[str, ...] | None) -> Asked:
    """Draw the question, or judge what was said."""
    asked = step.catalog_step.prediction
    if asked is None or step.left is None or step.right is None:
        return Asked(is_revealed=True)
    answers = answers or asked.answers
    said = _settle(step, answers)
    if not said:
        _question(step, answers)
        step.right.html(answer_view.invitation())
        return Asked(is_revealed=False)
    truth = actual if actual in answers else "other"
    verdict = ""
    if said != SKIPPED and st.session_state.get(_given_for(step)) == _situation(step):
        verdict = answer_view.verdict(said == truth, _words(step, said))
        if st.session_state.pop(_is_new(step), False):  # kept before it is shown
            keeping.note_answer(step.lesson.name, step.catalog_step.id, said, truth)
    step.left.html(answer_view.question(asked.question.said(step.language)))
    step.left.button(
        say("step.again"), key=step.key("again"), type="tertiary", on_click=_forget, args=(step,)
    )
    return Asked(is_revealed=True, verdict=verdict, truth=_words(step, truth))


def _settle(step: "Step", answers: tuple[str, ...]) -> str:
    """What the student said, or "": kept in the session, and in the URL by id."""
    key = step.key("predicted")
    if key not in st.session_state:
        before = keeping.said_before(step.lesson.name, step.catalog_step.id)
        said = st.query_params.get(key, before)
        said = said if said in (*answers, SKIPPED) else ""
        if not said and keeping.is_awaited():  # an earlier answer may still come
            return ""
        st.session_state[key] = said
    said = str(st.session_state[key])  # from a link it is shown, and not judged: who said it?
    address.write(key, said, "")
    return said


def _question(step: "Step", answers: tuple[str, ...]) -> None:
    asked = step.catalog_step.prediction
    if asked is None or step.left is None:
        return
    with step.left.container(key=step.key("prediction")):
        st.pills(
            asked.question.said(step.language),
            answers,
            format_func=lambda answer: _words(step, answer),
            key=step.key("answer"),
            on_change=_commit,
            args=(step,),
            wrap=True,
        )
        st.button(
            say("step.skip"),
            key=step.key("skip"),
            type="tertiary",
            on_click=_say,
            args=(step, SKIPPED),
        )


def _words(step: "Step", answer: str) -> str:
    words = step.lesson.answers.get(answer)
    if words:
        return words.said(step.language)
    return say("step.other") if answer == "other" else _word_for(answer)


def _word_for(answer: str) -> str:
    return say(f"step.{answer}") if answer in {"yes", "no"} else answer


def _commit(step: "Step") -> None:
    _say(step, st.session_state.get(step.key("answer")) or "")


def reveal(step: "Step") -> None:
    """Show the answer of a step whose question is still open."""
    if not st.session_state.get(step.key("predicted")):
        _say(step, SKIPPED)


def _say(step: "Step", answer: str) -> None:
    st.session_state[step.key("predicted")] = answer
    st.session_state[_given_for(step)] = _situation(step)
    st.session_state[_is_new(step)] = True
    step.done()


def _forget(step: "Step") -> None:
    st.session_state[step.key("predicted")] = ""
    st.session_state.pop(_given_for(step), None)


def _given_for(step: "Step") -> str:
    return step.key("predicted-for")


def _is_new(step: "Step") -> str:
    return step.key("predicted-new")


def _situation(step: "Step") -> tuple[object, ...]:
    """The settings that a prediction belongs to: on other ones it is not judged."""
    return (step.machine_now, *sorted(step.values.items()))
