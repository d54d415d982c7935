"""What stands above and below the steps of a lesson."""

from pathlib import Path

import streamlit as st

from playground import catalog, compute
from ui import answer_view, language, progress
from ui.quoting import quote_markdown
from ui.words import say

PAGES = Path(__file__).resolve().parents[1] / "pages"


def page_of(lesson: catalog.Lesson | catalog.PlannedLesson) -> str:
    """The page script of a lesson, as Streamlit's links want it."""
    return str(PAGES / f"{lesson.name}.py")


def draw(lesson: catalog.Lesson, machine: str) -> None:
    """Title, lead and machine."""
    tongue = language.current()
    lessons = catalog.lessons()
    chapter = next(each for each in catalog.chapters() if each.id == lesson.chapter)
    place = say(
        "app.lesson-of",
        number=[each.name for each in lessons].index(lesson.name) + 1,
        count=len(lessons),
    )
    st.html(
        f'<div class="tp-overline">{quote_markdown(chapter.title.said(tongue))} · {place}</div>'
    )
    status = compute.status()
    if status.problem:
        st.warning(say("failures.compute_unavailable"))
    elif status.gpu_problem:
        st.info(say("failures.gpu_unavailable"))
    st.title(lesson.title.said(tongue), anchor=False)
    st.html(
        f'<p class="tp-lead">{quote_markdown(lesson.lead.said(tongue))}</p>'
        f'<div class="tp-meta">{answer_view.badge(machine)}'
        f"<span>{say('app.steps', count=len(lesson.steps))} · "
        f"{say('app.minutes', minutes=lesson.minutes)}</span></div>"
    )


def draw_progress(lesson: catalog.Lesson) -> None:
    """Draw how far the visitor is."""
    done = progress.steps_done(lesson)
    st.progress(
        done / len(lesson.steps), text=say("home.progress", done=done, count=len(lesson.steps))
    )


def way_on(lesson: catalog.Lesson) -> None:
    """Link to the lessons before and after."""
    lessons = catalog.lessons()
    place = [each.name for each in lessons].index(lesson.name)
    tongue = language.current()
    with st.container(horizontal=True, horizontal_alignment="distribute", key="way-on"):
        if place:
            title = lessons[place - 1].title.said(tongue)
            st.page_link(
                page_of(lessons[place - 1]), label=say("app.previous", title=title), icon="⬅️"
            )
        else:
            st.page_link(str(PAGES / "home.py"), label=say("app.home"), icon="⬅️")
        if place + 1 < len(lessons):
            title = lessons[place + 1].title.said(tongue)
            st.page_link(
                page_of(lessons[place + 1]),
                label=say("app.next", title=title),
                icon="➡️",
                icon_position="right",
            )
