"""The exercises on the page: the task over the editor, what its checks said, the list of all."""

import html
from collections.abc import Callable

import streamlit as st

from playground import catalog
from playground.lab import exercises
from playground.lab.exercises import Exercise, Grade
from ui import answer_view, language, page_script, visitor
from ui.lab import editor, starts
from ui.lab.desk import Desk
from ui.quoting import quote, quote_markdown
from ui.words import say

TASK = "lab-task"


def draw_task(desk: Desk, again: Callable[[], None]) -> None:
    """Draw the task of the exercise on the desk, if there is one, with its hints and solution.

    Args:
        desk: Holds the text.
        again: Called in a callback, where the parts of the lab are to be drawn again.
    """
    known = exercises.exercises()
    here = next((each for each in known if each.id == desk.exercise), None)
    if here is None:
        return
    tongue = language.current()
    with st.container(border=True, key=TASK):
        number = known.index(here) + 1
        shown = desk.hinted.get(here.id, 0)
        hints = "".join(
            f"<li>{quote_markdown(each.said(tongue))}</li>" for each in here.hints[:shown]
        )
        st.html(
            f'<div class="tp-overline">'
            f"{say('lab.exercise-of', number=number, count=len(known))}</div>"
            f'<div class="tp-heading">{quote_markdown(here.title.said(tongue))}</div>'
            f"<p>{quote_markdown(here.task.said(tongue))}</p>"
            f"{f'<ol class=tp-hints>{hints}</ol>' if hints else ''}"
        )
        with st.container(horizontal=True, key="lab-task-bar"):
            if shown < len(here.hints):
                word = say("lab.next-hint" if shown else "panel.hint")
                st.button(
                    f"{word} ({shown + 1}/{len(here.hints)})",
                    key="lab-hint",
                    icon=":material/lightbulb:",
                    on_click=_show_hint,
                    args=(desk, again),
                )
            st.button(
                say("lab.leave"),
                key="lab-leave",
                type="tertiary",
                on_click=_leave,
                args=(desk, again),
            )
        if here.id in desk.passed or visitor.is_teacher():
            with st.expander(say("lab.solution"), key=f"lab-solution-{here.id}"):
                st.code(here.model.strip(), language="python")
                st.button(
                    say("lab.solution-take"),
                    key="lab-solution-take",
                    help=say("lab.solution-take-help"),
                    on_click=_take_solution,
                    args=(desk, here, again),
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
        sign = "✓" if each.id in desk.passed else ":gray[○]"
        lesson = catalog.lesson(each.lesson).title.said(tongue)
        rows.button(
            f"{sign}&ensp;**{number}**&ensp;{each.title.said(tongue)}&ensp;:gray[{lesson}]",
            key=f"open-lab-{each.id}",
            type="tertiary",
            width="stretch",
            on_click=_open,
            args=(desk, each),
        )


def show_verdict(desk: Desk, grade: Grade) -> None:
    """Show what the checks said, note whether the exercise is solved, and offer the next one."""
    st.html(verdict(grade))
    if not grade.is_solved:
        return
    desk.passed.add(grade.exercise.id)
    known = exercises.exercises()
    place = known.index(grade.exercise)
    left = [each for each in known[place:] + known[:place] if each.id not in desk.passed]
    if left:
        title = left[0].title.said(language.current())
        st.button(
            say("lab.next-exercise", title=title),
            key="lab-next",
            on_click=_open,
            args=(desk, left[0]),
        )


def verdict(grade: Grade) -> str:
    """What the checks said, as HTML, each in a line."""
    tongue = language.current()
    lines = []
    told = iter(grade.told)
    for check, is_passed in zip(grade.exercise.checks, grade.passed, strict=True):
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
    editor.catch_up(desk)
    starts.put(desk, exercise.id)
    page_script.scroll_to(TASK)
    st.rerun()  # all of it: the task stands above


def _show_hint(desk: Desk, again: Callable[[], None]) -> None:
    desk.hinted[desk.exercise] = desk.hinted.get(desk.exercise, 0) + 1
    again()


def _take_solution(desk: Desk, exercise: Exercise, again: Callable[[], None]) -> None:
    editor.catch_up(desk)
    desk.replace(exercise.model)
    again()


def _leave(desk: Desk, again: Callable[[], None]) -> None:
    desk.exercise = ""
    desk.shown = None
    again()
