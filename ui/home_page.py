"""The parts of the home page; no chart, so that the first page stays light."""

from collections.abc import Mapping
from functools import lru_cache

import streamlit as st

from hosting import operator_api, settings
from hosting.settings import Gate
from playground import catalog, compute
from playground.errors import PlaygroundError
from playground.machines import Machine, MachineKind
from playground.steps import load_step
from playground.steps.answer import Plain
from ui import (
    error_page,
    html_markup,
    lesson_page,
    navigation,
    page_state,
    progress,
    visitor,
)
from ui.html_markup import inline_to_html
from ui.language import current_language, say

POLL_SECONDS = 1.0
FIRST = ("tensors", "same_device_error")  # the step that the home page begins with


def draw_step() -> None:
    """Draw the heading and one live step."""
    lesson_name, step_id = FIRST
    st.html(
        f'<h1 class="tp-home-title">{inline_to_html(say("home.headline"))}</h1>'
        f'<p class="tp-home-lead">{inline_to_html(say("home.lead"))}</p>'
    )
    draw_continue()
    page = page_state.open_page(catalog.lesson(lesson_name), key="home", current=step_id)
    page_state.follow_address(page)
    st.fragment(_draw_live, key="home-step")(page, had_earlier=progress.has_earlier())
    lesson_page.draw_footer()


def _draw_live(page: page_state.PageState, *, had_earlier: bool) -> None:
    """Draw the step, or the whole page again once the browser has sent its progress."""
    if progress.has_earlier() and not had_earlier:
        st.rerun()
    lesson_page.draw(page)


def draw_continue() -> None:
    """Draw a link to the visitor's last step."""
    place = progress.last_step()
    if place is None:
        return
    lesson, step_id = place
    found = [each for each in lesson.steps if each.id == step_id]
    title = (found[0].title if found else lesson.title).said(current_language())
    st.page_link(
        navigation.page_of(lesson),
        label=say("home.continue", title=title),
        icon="▶️",
        query_params={"step": step_id} if found else None,
    )


def draw_lessons() -> None:
    """Draw every lesson as a tile of one element; each element that is sent takes time."""
    language, lessons = current_language(), catalog.lessons()
    count = sum(len(each.steps) for each in lessons)
    st.header(say("home.lessons", lessons=len(lessons), steps=count), anchor=False)
    st.page_link(navigation.PAGES / "builder.py", label=say("builder.entry"), icon="🕸️")
    pages, shares = navigation.pages(), []
    with st.container(horizontal=True, gap="small", key="tiles"):
        for lesson in lessons:
            done, steps = progress.steps_done(lesson), len(lesson.steps)
            shares.append(f"{100 * done / steps:.0f}%")
            words = say("home.tile", count=steps, minutes=lesson.minutes)
            if done:
                words = f"{words} · {say('home.progress', done=done, count=steps)}"
            st.page_link(
                pages[lesson.name],
                label=f"**{lesson.title.said(language)}** :small[{words}]",
                icon=lesson.icon,
                width="stretch",
            )
    rules = "".join(
        f".st-key-tiles > :nth-child({number}) {{ --tp-done: {share}; }}"
        for number, share in enumerate(shares, start=1)
    )
    st.html(f"<style>{rules}</style>")


def draw_server() -> None:
    """Draw the server's hardware, once its workers have reported it."""
    st.header(say("home.server"), anchor=False)
    if compute.status().is_ready:
        _server()
    else:
        st.fragment(_server, run_every=POLL_SECONDS)()
    if note := operator_api.gpu_note(current_language()):
        st.caption(note)
    if settings.current().gate is Gate.OPEN and visitor.is_teacher():
        st.page_link(navigation.PAGES / "teacher.py", label=say("home.teacher"), icon="📋")


@lru_cache(maxsize=4)
def _facts(_gpus: int, _gpu_problem: str) -> Mapping[str, Plain]:
    """Read the server's hardware; again when the state of its GPUs changes."""
    real = Machine(kind=MachineKind.REAL)
    report = load_step("devices", "environment").of({"report": "environment"}, machine=real)
    return compute.run(report).facts


def _server() -> None:
    status = compute.status()
    if status.is_awaited or not all(pool.is_ready or pool.problem for pool in status.pools):
        st.caption(say("home.server-starting"))
        return
    try:
        found = _facts(compute.count_gpus(), status.gpu_problem)
    except PlaygroundError as error:
        st.caption(error_page.sentence(error, {}))
        return
    shown = {name: found[name] for name in ("torch", "python", "threads", "memory")}
    shown["accelerators"] = found["accelerators"] or say("home.none")
    facts = html_markup.facts({say(f"home.{name}"): value for name, value in shown.items()})
    more = inline_to_html(f"{say('home.simulated-note')} {say('home.server-more')}")
    st.html(f'{facts}<p class="tp-waiting">{more}</p>')
