"""The teacher's control of the live poll: choose a question, ask it, show what comes of it."""

import html
from collections.abc import Callable

import streamlit as st

from hosting import live_poll as polls
from hosting.progress import ProgressUnavailableError
from hosting.progress.records import Poll, Snapshot, Stage
from playground import catalog
from ui import error_page, live_poll, machine_picker
from ui.html_markup import inline_to_html
from ui.language import KEY as LANGUAGE_KEY
from ui.language import current_language, say
from ui.teacher import join, projector

REFRESH_SECONDS = 2.0
LESSON, STEP, ROUND, STAGE = "live-lesson", "live-step", "live-round", "live-stage"
PROBLEM = "live-problem"  # in the session: a sentence about the last press


def draw() -> None:
    """Draw the choice of a question, or the control of the one that is asked."""
    st.header(say("teacher.live"), anchor=False)
    if problem := st.session_state.pop(PROBLEM, ""):
        st.warning(problem)
    snapshot = polls.current().snapshot()
    with st.container(key="live-control", border=True):
        if snapshot.poll is None:
            draw_choice(snapshot)
        else:
            draw_control(snapshot, snapshot.poll)
    draw_join()


def draw_choice(snapshot: Snapshot) -> None:
    """Draw the choice of lesson, question and round, with a preview."""
    language = current_language()
    lessons = {each.name: each for each in catalog.lessons() if questions(each)}
    left, middle, right = st.columns([3, 5, 2])
    lesson = lessons[
        left.selectbox(
            say("teacher.lesson"),
            tuple(lessons),
            format_func=lambda name: lessons[name].title.said(language),
            key=LESSON,
            persist_state="session",
        )
    ]
    steps = {each.id: each for each in questions(lesson)}
    numbers = {each.id: number for number, each in enumerate(lesson.steps, 1)}
    if st.session_state.get(STEP) not in steps:
        st.session_state[STEP] = next(iter(steps))
    words = steps[
        middle.selectbox(
            say("teacher.live-step"),
            tuple(steps),
            format_func=lambda name: (
                f"{numbers[name]} · {steps[name].title.said(language).replace('`', '')}"
            ),
            key=STEP,
            persist_state="session",
        )
    ]
    count = len(words.words.rounds) + 1
    if st.session_state.get(ROUND) not in range(1, count + 1):
        st.session_state[ROUND] = 1
    numbered = {
        each: say("teacher.live-round-of", number=each, count=count) for each in range(1, count + 1)
    }
    number = right.selectbox(
        say("teacher.live-round"),
        tuple(numbered),
        format_func=numbered.__getitem__,
        key=ROUND,
        persist_state="session",
    )
    poll = new_poll(lesson.name, words.id, number)
    st.html(f'<div class="tp-live-asked">{projector.question_html(poll, language)}</div>')
    if live_poll.polled_step(poll) is None:
        st.caption(say("teacher.live-impossible"))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        ask = polls.current().ask
        st.button(
            say("teacher.live-ask"),
            type="primary",
            key="live-ask",
            on_click=act,
            args=(lambda: ask(poll),),
        )
        draw_projector_link()
        st.caption(say("projector.present", count=snapshot.present))
    st.caption(say("teacher.live-note"))


def questions(lesson: catalog.Lesson) -> list[catalog.Step]:
    """Return the steps of a lesson that ask for a prediction."""
    return [each for each in lesson.steps if each.prediction is not None]


def new_poll(lesson: str, step: str, number: int) -> Poll:
    """Return a new poll on the machine that is chosen in the sidebar."""
    machine = machine_picker.current()
    return Poll(
        lesson=lesson,
        step=step,
        round=number,
        machine=machine.kind,
        gpus=machine.gpus,
        memory_gib=int(machine.memory_gib),
    )


def draw_control(snapshot: Snapshot, poll: Poll) -> None:
    """Draw the count of answers and what the teacher can do with the poll."""
    language = current_language()
    state = say("teacher.live-open" if poll.is_open else "projector.closed")
    counted = projector.answered(snapshot)
    st.html(
        f'<div class="tp-live-asked"><span class="tp-overline">{say("teacher.live-now")}</span>'
        f"{projector.question_html(poll, language)}"
        f'<p class="tp-live-count"><b>{html.escape(counted)}</b> · {html.escape(state)}</p>'
        f"{projector.bars_html(snapshot, poll, language, truth='')}</div>"
    )
    st.session_state[STAGE] = poll.stage
    stages = {each: say(f"teacher.live-stage-{each}") for each in Stage}
    st.segmented_control(
        say("teacher.live-stage"),
        tuple(stages),
        format_func=stages.__getitem__,
        key=STAGE,
        required=True,
        on_change=act,
        args=(lambda: show_stage(poll),),
        help=say("teacher.live-stage-help"),
    )
    live = polls.current()
    with st.container(horizontal=True, vertical_alignment="center"):
        if not poll.stage.has_answer:
            st.button(
                say("teacher.live-close" if poll.is_open else "teacher.live-reopen"),
                key="live-close",
                on_click=act,
                args=(lambda: live.change(poll.id, is_open=not poll.is_open),),
            )
        st.button(
            say("teacher.live-again"),
            key="live-again",
            help=say("teacher.live-again-help"),
            on_click=act,
            args=(lambda: live.ask(again(poll)),),
        )
        st.button(say("teacher.live-end"), key="live-end", on_click=act, args=(live.end,))
        draw_projector_link()


def show_stage(poll: Poll) -> None:
    """Show the chosen stage on the projector; the answer ends the vote.

    Raises:
        ProgressUnavailableError: The database does not answer.
    """
    stage = Stage(st.session_state[STAGE])
    polls.current().change(poll.id, stage=stage, is_open=False if stage.has_answer else None)


def again(poll: Poll) -> Poll:
    """Return a poll that asks the same again; a third one is compared with the second."""
    return Poll(
        lesson=poll.lesson,
        step=poll.step,
        round=poll.round,
        machine=poll.machine,
        gpus=poll.gpus,
        memory_gib=poll.memory_gib,
        first=poll.id,
    )


def act(change: Callable[[], object]) -> None:
    """Change the poll in a callback; if that fails, say so with the next drawing."""
    try:
        change()
    except ProgressUnavailableError as error:
        st.session_state[PROBLEM] = error_page.sentence(error, {})


def draw_projector_link() -> None:
    """Draw the link to the projector's page, which opens in a tab of its own."""
    url = f"/projector?{LANGUAGE_KEY}={current_language()}"
    st.link_button(say("teacher.live-projector"), url, icon=":material/open_in_new:")


def draw_join() -> None:
    """Draw the address of the class and its QR code."""
    with st.expander(say("teacher.live-join"), key="live-join"):
        url = join.address()
        if not url:
            st.markdown(say("teacher.live-join-local"))
            return
        st.html(
            f'<div class="tp-live-join">{join.qr_code(url)}<div>'
            f"<p>{inline_to_html(say('teacher.live-join-note'))}</p>"
            f"<p><b>{html.escape(join.short(url))}</b></p></div></div>"
        )
