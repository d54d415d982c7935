"""Which steps of a lesson are open; the others are one line each, a click away.

A lesson opens with the step that the visitor is at, and with the steps that its address speaks of.
An answer opens the step that follows. What is open stays open until the page is left.
"""

from dataclasses import dataclass, field

import streamlit as st
from streamlit.errors import StreamlitAPIException

from hosting.limits import kept_files, left_widgets
from playground import catalog
from ui import address, language, progress, rerun
from ui.words import say

HERE = "here"  # the page of the last whole run
ALL = "steps"  # in the address: steps=all
PROGRESS = "progress"  # the part of a lesson that is no step
ASKED = "step"  # in the address: the id of a step


@dataclass(slots=True)
class Opened:
    """The open steps of a lesson, and the one that was opened last."""

    steps: set[str] = field(default_factory=set)
    latest: str = ""


def arrive(page: str) -> None:
    """Note which page is drawn; one that was not there before begins folded."""
    if st.session_state.get(HERE) != page:
        st.session_state[HERE] = page
        kept_files.forget(rerun.session())
        left_widgets.forget()
        for lesson in catalog.lessons():
            opened = _opened(lesson)
            opened.steps.clear()
            if lesson.name == page:
                opened.steps |= {*_linked(lesson), _current(lesson, opened)}


def is_open(lesson: catalog.Lesson, step: catalog.Step) -> bool:
    """Whether a step is drawn whole."""
    return bool(st.session_state.get(ALL)) or step.id in _opened(lesson).steps


def is_begun(lesson: catalog.Lesson) -> bool:
    """Whether the visitor has done anything here: what is only to be read then counts too."""
    return bool(_opened(lesson).latest) or progress.steps_done(lesson) > 0


def fragment_key(lesson: catalog.Lesson, part: str) -> str:
    """The key by which a callback has a part of a lesson drawn again."""
    return f"{lesson.name}_{part}"


def draw_row(lesson: catalog.Lesson, step: catalog.Step, number: int) -> None:
    """Draw a step as one line that opens it."""
    sign = " ✓" if progress.is_done(lesson.name, step.id) else ""
    st.button(
        f"**{number}**&ensp;{step.title.said(language.current())}{sign}",
        key=f"open-{lesson.name}-{step.id}",
        type="tertiary",
        width="stretch",
        on_click=_open,
        args=(lesson, step),
    )


def draw_switch(lesson: catalog.Lesson) -> None:
    """Draw the switch that opens all steps: to skim, to search, to print."""
    if ALL not in st.session_state:
        st.session_state[ALL] = st.query_params.get(ALL) == "all"
    is_all = st.toggle(
        say("app.all-steps"), key=ALL, persist_state="session", on_change=_fold, args=(lesson,)
    )
    address.write(ALL, "all" if is_all else "", "")


def go_on(lesson: catalog.Lesson, step: catalog.Step) -> None:
    """In a callback: a step was done, so open the one after it; draw again only what changes."""
    is_new = not progress.is_done(lesson.name, step.id)
    progress.mark(lesson.name, step.id)
    place = lesson.steps.index(step) + 1
    following = lesson.steps[place : place + 1]
    opens = [each for each in following if is_new and not is_open(lesson, each)]
    for each in opens:
        _note(lesson, each)
    if is_new or opens:
        _draw_again(lesson, step, *opens)


def _open(lesson: catalog.Lesson, step: catalog.Step) -> None:
    _note(lesson, step)
    st.query_params[ASKED] = step.id
    _draw_again(lesson, step)


def _draw_again(lesson: catalog.Lesson, *steps: catalog.Step) -> None:
    parts = (*(step.id for step in steps), PROGRESS)
    try:
        st.rerun([fragment_key(lesson, part) for part in parts])
    except StreamlitAPIException:  # clicked before the page was there: not all parts are known
        st.rerun()


def _fold(lesson: catalog.Lesson) -> None:
    if not st.session_state[ALL]:
        opened = _opened(lesson)
        opened.steps = {_current(lesson, opened)}


def _note(lesson: catalog.Lesson, step: catalog.Step) -> None:
    opened = _opened(lesson)
    opened.steps.add(step.id)
    opened.latest = step.id


def _opened(lesson: catalog.Lesson) -> Opened:
    opened: Opened = st.session_state.setdefault(f"opened-{lesson.name}", Opened())
    return opened


def _current(lesson: catalog.Lesson, opened: Opened) -> str:
    left = [step.id for step in lesson.steps if not progress.is_done(lesson.name, step.id)]
    return opened.latest or (left or [lesson.steps[0].id])[0]


def _linked(lesson: catalog.Lesson) -> set[str]:
    """The steps that the address asks for, or holds a value of."""
    given = st.query_params.to_dict()
    return {
        step.id
        for step in lesson.steps
        if given.get(ASKED) == step.id
        or any(name.startswith(f"{lesson.name}_{step.id}_") for name in given)
    }
