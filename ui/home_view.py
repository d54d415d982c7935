"""The parts of the home page; no chart, so that the first page stays light."""

from collections.abc import Mapping
from functools import lru_cache

import streamlit as st

from playground import catalog, compute
from playground.errors import PlaygroundError
from playground.machines import Machine, MachineKind
from playground.steps import load_step
from playground.steps.answer import Plain
from ui import (
    address,
    answer_view,
    failures,
    language,
    lesson_page,
    page_state,
    progress,
)
from ui.quoting import quote_markdown
from ui.words import say

POLL_SECONDS = 1.0
FIRST = ("tensors", "same_device_error")  # the step that the home page begins with


def draw_step() -> None:
    """The first thing on the screen: one step, live and ready to be answered."""
    lesson_name, step_id = FIRST
    st.html(
        f'<h1 class="tp-home-title">{quote_markdown(say("home.headline"))}</h1>'
        f'<p class="tp-home-lead">{quote_markdown(say("home.lead"))}</p>'
    )
    draw_continue()
    page = page_state.open_page(catalog.lesson(lesson_name), key="home", current=step_id)
    page_state.follow_address(page)
    st.fragment(lesson_page.draw, key="home-step")(page)
    lesson_page.draw_foot()


def draw_continue() -> None:
    """For those who come back: one link to the step where they were."""
    place = progress.place()
    if place is None:
        return
    lesson, step_id = place
    found = [each for each in lesson.steps if each.id == step_id]
    title = (found[0].title if found else lesson.title).said(language.current())
    st.page_link(
        address.page_of(lesson),
        label=say("home.continue", title=title),
        icon="▶️",
        query_params={"step": step_id} if found else None,
    )


def draw_lessons() -> None:
    """Every lesson as a compact tile: one element each, since a run costs what it sends."""
    tongue, lessons = language.current(), catalog.lessons()
    count = sum(len(each.steps) for each in lessons)
    st.subheader(say("home.lessons", lessons=len(lessons), steps=count), anchor=False)
    shares = []
    with st.container(horizontal=True, gap="small", key="tiles"):
        for lesson in lessons:
            done, steps = progress.steps_done(lesson), len(lesson.steps)
            shares.append(f"{100 * done / steps:.0f}%")
            words = say("home.tile", count=steps, minutes=lesson.minutes)
            if done:
                words = f"{words} · {say('home.progress', done=done, count=steps)}"
            st.page_link(
                address.page_of(lesson),
                label=f"**{lesson.title.said(tongue)}** :small[{words}]",
                icon=lesson.icon,
                width="stretch",
            )
    rules = "".join(
        f".st-key-tiles > :nth-child({number}) {{ --tp-done: {share}; }}"
        for number, share in enumerate(shares, start=1)
    )
    st.html(f"<style>{rules}</style>")


def draw_server() -> None:
    """What the server has, as soon as its workers can say; nothing waits for it."""
    st.subheader(say("home.server"), anchor=False)
    is_ready = compute.status().is_ready
    st.fragment(_server, run_every=None if is_ready else POLL_SECONDS)()
    st.caption(f"{say('home.simulated-note')} {say('home.server-more')}")


@lru_cache(maxsize=4)
def _facts(_gpus: int, _gpu_problem: str) -> Mapping[str, Plain]:
    """What this server has; read once, and again where the state of its GPUs changes."""
    real = Machine(kind=MachineKind.REAL)
    report = load_step("devices", "environment").of({"report": "environment"}, machine=real)
    return compute.run(report).facts


def _server() -> None:
    status = compute.status()
    if status.is_awaited or not all(lane.is_ready or lane.problem for lane in status.lanes):
        st.caption(say("home.server-starting"))
        return
    try:
        found = _facts(compute.count_gpus(), status.gpu_problem)
    except PlaygroundError as error:
        st.caption(failures.sentence(error, {}))
        return
    shown = {name: found[name] for name in ("torch", "python", "threads", "memory")}
    shown["accelerators"] = found["accelerators"] or say("home.none")
    st.html(answer_view.facts({say(f"home.{name}"): value for name, value in shown.items()}))
