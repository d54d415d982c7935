"""The parts of the home page; no chart, so that the first page stays light."""

import streamlit as st

from playground import catalog, compute
from playground.errors import PlaygroundError
from playground.lessons.devices.records import ReadServer
from playground.units import GIBIBYTE
from ui import answer_view, failures, language, lesson_header, progress
from ui.quoting import quote_markdown
from ui.words import say

POLL_SECONDS = 1.0


def draw_start() -> None:
    """The first thing on the screen: what this is, and one button to begin or go on."""
    tongue = language.current()
    st.title(say("app.name"), anchor=False)
    st.html(f'<p class="tp-lead">{quote_markdown(say("home.lead"))}</p>')
    lessons = catalog.lessons()
    unfinished = [each for each in lessons if progress.steps_done(each) < len(each.steps)]
    is_begun = any(progress.steps_done(each) for each in lessons)
    target = (unfinished or list(lessons))[0]
    words = say("home.go-on" if is_begun else "home.start", title=target.title.said(tongue))
    if st.button(words, type="primary", key="start"):
        st.switch_page(lesson_header.page_of(target))
    how = "".join(
        f"<div>{quote_markdown(say(f'home.how-{part}'))}</div>"
        for part in ("predict", "run", "explain")
    )
    st.html(f'<div class="tp-how">{how}</div>')


def draw_map() -> None:
    """Every lesson of the curriculum by chapter, those in preparation too."""
    tongue = language.current()
    st.subheader(say("home.map"), anchor=False)
    there = {lesson.name: lesson for lesson in catalog.lessons()}
    curriculum = catalog.curriculum()
    done = sum(map(progress.steps_done, there.values()))
    if done:
        count = sum(len(lesson.steps) for lesson in there.values())
        st.progress(done / count, text=say("home.all-progress", done=done, count=count))
    for chapter in curriculum.chapters:
        st.markdown(f"#### {chapter.title.said(tongue)}")
        ready = [lesson for lesson in there.values() if lesson.chapter == chapter.id]
        for pair in (ready[place : place + 2] for place in range(0, len(ready), 2)):
            for column, lesson in zip(st.columns(2), pair, strict=False):
                with column.container(border=True, height="stretch", key=f"lesson-{lesson.name}"):
                    _draw_lesson(lesson)
        planned_here = [each for each in curriculum.lessons if each.chapter == chapter.id]
        for page in (each for each in planned_here if each.is_page):
            with st.container(border=True, key=f"lesson-{page.name}"):
                _draw_page(page)
        coming = " · ".join(
            each.title.said(tongue)
            for each in planned_here
            if each.name not in there and not each.is_page
        )
        if coming:
            words = quote_markdown(say("home.coming", titles=coming))
            st.html(f'<div class="tp-coming">{words}</div>')


def _draw_lesson(lesson: catalog.Lesson) -> None:
    tongue = language.current()
    done, count = progress.steps_done(lesson), len(lesson.steps)
    st.page_link(
        lesson_header.page_of(lesson), label=f"**{lesson.title.said(tongue)}**", icon=lesson.icon
    )
    st.html(f'<div class="tp-lesson-meta">{quote_markdown(lesson.lead.said(tongue))}</div>')
    st.progress(done / count, text=say("home.progress", done=done, count=count))


def _draw_page(page: catalog.PlannedLesson) -> None:
    tongue = language.current()
    st.page_link(
        lesson_header.page_of(page), label=f"**{page.title.said(tongue)}**", icon=page.icon
    )
    st.html(f'<div class="tp-lesson-meta">{quote_markdown(page.lead.said(tongue))}</div>')


def draw_server() -> None:
    """What the server has, as soon as its workers can say; nothing waits for it."""
    st.subheader(say("home.server"), anchor=False)
    is_ready = compute.status().is_ready
    st.fragment(_server, run_every=None if is_ready else POLL_SECONDS)()
    st.caption(f"{say('home.simulated-note')} {say('home.server-more')}")


def _server() -> None:
    status = compute.status()
    if status.is_awaited or not all(lane.is_ready or lane.problem for lane in status.lanes):
        st.caption(say("home.server-starting"))
        return
    try:
        server = compute.run(ReadServer())
    except PlaygroundError as error:
        st.caption(failures.sentence(error, {}))
        return
    found = server.inventory
    names = ", ".join(each.name or each.kind for each in found.accelerators) or say("home.none")
    memory = found.memory_total_bytes
    st.html(
        answer_view.facts(
            {
                say("home.torch"): found.torch_version,
                say("home.python"): found.python_version,
                say("home.threads"): found.threads,
                say("home.memory"): None if memory is None else f"{memory / GIBIBYTE:.1f} GiB",
                say("home.accelerators"): names,
            }
        )
    )
