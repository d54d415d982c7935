"""A challenge under its step: the task, a check of what is on the screen now, a hint."""

import streamlit as st

from playground import catalog, challenges
from ui import progress
from ui.step import Step
from ui.words import say


def draw(step: Step, challenge: catalog.Challenge) -> None:
    """Draw a challenge and, where Check was pressed, what came of it."""
    lesson, part = step.lesson.name, f"challenge/{challenge.id}"
    sign = "✓ " if progress.is_done(lesson, part) else ""
    task = f"**{sign}{say('challenge.title')}** — {challenge.task.said(step.language)}"
    key = step.key(f"challenge-{challenge.id}")
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        st.markdown(task, width="stretch")
        is_pressed = st.button(say("challenge.check"), key=step.key(f"check-{challenge.id}"))
        with st.popover(say("challenge.hint"), type="tertiary"):
            st.markdown(challenge.hint.said(step.language))
    if not is_pressed:
        return
    report = step.reports.get(challenge.settings)
    if report is None:
        st.info(say("challenge.no-result"))
    elif challenges.grade(lesson, challenge, report):
        progress.mark(lesson, part)
        progress.mark(lesson, challenge.step)
        st.success(say("challenge.passed"))
    else:
        st.warning(say("challenge.not-yet"))
