"""A challenge under its step: the task, a check of what is on the screen now, a hint."""

import streamlit as st

from playground import catalog, challenges
from ui import machine_picker, prediction, progress
from ui.step import Step
from ui.words import say


def draw(step: Step, challenge: catalog.Challenge) -> None:
    """Draw a challenge and, where Check was pressed, what came of it."""
    lesson, part = step.lesson.name, f"challenge/{challenge.id}"
    check = step.key(f"check-{challenge.id}")
    report = step.reports.get(challenge.settings)
    is_checked = bool(st.session_state.get(check))  # pressed: known before it is drawn again
    is_passed = is_checked and report is not None and challenges.grade(lesson, challenge, report)
    if is_passed:
        progress.mark(lesson, part)
    sign = "✓ " if progress.is_done(lesson, part) else ""
    task = f"**{sign}{say('challenge.title')}** — {challenge.task.said(step.language)}"
    with st.container(
        horizontal=True, vertical_alignment="center", key=step.key(f"challenge-{challenge.id}")
    ):
        st.markdown(task, width="stretch")
        st.button(
            say("challenge.check"), key=check, on_click=prediction.reveal, args=(step,)
        )  # a check needs a report, and the report is the answer
        with st.popover(say("challenge.hint"), type="tertiary"):
            st.markdown(challenge.hint.said(step.language))
            if step.uses_machine and len(machine_picker.devices(step.machine_now)) == 1:
                st.markdown(say("step.only-cpu"))
    if not is_checked:
        return
    if report is None:
        st.info(say("challenge.no-result"))
    elif is_passed:
        st.success(say("challenge.passed"))
    else:
        st.warning(say("challenge.not-yet"))
