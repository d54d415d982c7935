"""The exercises on the page: the task over the editor, what its checks said, the list of all."""

import html

import streamlit as st

from playground import catalog
from playground.lab import exercises
from playground.lab.exercises import Exercise, Grade
from ui import answer_view, language
from ui.lab import starts
from ui.lab.desk import Desk
from ui.quoting import quote, quote_markdown
from ui.words import say


def draw_task(desk: Desk) -> None:
    """Draw the task of the exercise on the desk, if there is one."""
    known = exercises.exercises()
    here = next((each for each in known if each.id == desk.exercise), None)
    if here is None:
        return
    tongue = language.current()
    with st.container(border=True, key="lab-task"):
        number = known.index(here) + 1
        st.html(
            f'<div class="tp-overline">'
            f"{say('lab.exercise-of', number=number, count=len(known))}</div>"
            f'<div class="tp-heading">{quote_markdown(here.title.said(tongue))}</div>'
            f"<p>{quote_markdown(here.task.said(tongue))}</p>"
        )
        with st.container(horizontal=True, key="lab-task-bar"):
            hint = st.expander(say("panel.hint"), key=f"lab-hint-{here.id}")
            hint.html(f"<p>{quote_markdown(here.hint.said(tongue))}</p>")
            st.button(
                say("lab.leave"), key="lab-leave", type="tertiary", on_click=_leave, args=(desk,)
            )


def draw(desk: Desk) -> None:
    """Draw the list of all exercises, each a line that opens it."""
    known = exercises.exercises()
    if not known:
        return
    tongue = language.current()
    done = sum(each.id in desk.passed for each in known)
    st.subheader(say("lab.exercises"), anchor=False)
    st.caption(say("lab.exercises-note"))
    st.progress(done / len(known), text=say("lab.progress", done=done, count=len(known)))
    rows = st.container(key="lab-list", gap=None)
    for number, each in enumerate(known, 1):
        sign = " ✓" if each.id in desk.passed else ""
        lesson = catalog.lesson(each.lesson).title.said(tongue)
        rows.button(
            f"**{number}**&ensp;{each.title.said(tongue)}&ensp;:gray[{lesson}]{sign}",
            key=f"open-lab-{each.id}",
            type="tertiary",
            width="stretch",
            on_click=_open,
            args=(desk, each),
        )


def show_verdict(desk: Desk, grade: Grade) -> None:
    """Show what the checks of the exercise on the desk said, and note whether it is solved."""
    if not desk.exercise:
        return
    st.html(verdict(exercises.exercise(desk.exercise), grade))
    if grade.is_solved:
        desk.passed.add(desk.exercise)


def verdict(task: Exercise, grade: Grade) -> str:
    """What the checks said, as HTML, each in a line."""
    tongue = language.current()
    lines = []
    told = iter(grade.told)
    for check, is_passed in zip(task.checks, grade.passed, strict=True):
        kind, sign = ("tp-hit", "✓") if is_passed else ("tp-miss", "✗")
        seen = "" if is_passed else next(told, "")
        lines.append(
            f'<li><span class="{kind}">{sign}</span> {quote_markdown(check.said(tongue))}'
            f"{f'<div class=tp-said>{quote(seen)}</div>' if seen else ''}</li>"
        )
    kind, words = ("tp-ok", "passed") if grade.is_solved else ("tp-refused", "not-passed")
    head = answer_view.head(f"<b>{html.escape(say(f'lab.{words}'))}</b>", "")
    return (
        f'<div class="tp-outcome {kind}" role="status">{head}'
        f'<ul class="tp-checks">{"".join(lines)}</ul></div>'
    )


def _open(desk: Desk, exercise: Exercise) -> None:
    starts.put(desk, exercise.id)
    st.rerun()  # all of it: the task stands above


def _leave(desk: Desk) -> None:
    desk.exercise = ""
    desk.shown = None
