"""The teacher's page: who may see it, its parts, and how often they are read again."""

from functools import cache
from pathlib import Path

import streamlit as st

from hosting import progress
from hosting.progress import ProgressUnavailableError
from hosting.progress.keeper import Keeper
from ui import failures, visitor
from ui.quoting import quote_markdown
from ui.teacher import answers, files, server, students
from ui.words import say

EVERY = 5.0  # seconds between two readings
SHEET = Path(__file__).with_name("teacher.css")
IN_PLACE = "<i hidden></i>"  # style alone goes to a place that all cards share, and gets lost there


def draw() -> None:
    """Draw the page for a teacher; for anybody else one sentence."""
    if not visitor.is_teacher():  # the router lists it for teachers only; this does not rely on it
        st.info(say("teacher.closed"))
        return
    st.title(say("teacher.title"), anchor=False)
    st.html(f'<p class="tp-lead">{quote_markdown(say("teacher.lead"))}</p>')
    with st.container(key="teacher"):
        st.html(f"{IN_PLACE}<style>{_sheet()}</style>")
        keeper = progress.current()
        if keeper is None:
            st.info(say("teacher.nothing-kept"))
        else:
            st.fragment(_draw_class, key="teacher-class", run_every=EVERY)(keeper)
            st.fragment(_draw_answers, key="teacher-answers", run_every=EVERY)(keeper)
        st.fragment(server.draw, key="teacher-server", run_every=EVERY)()
        if keeper is not None:
            files.draw(keeper)


def _draw_class(keeper: Keeper) -> None:
    st.subheader(say("teacher.class"), anchor=False)
    try:
        students.draw(keeper.store)
    except ProgressUnavailableError as error:
        st.warning(failures.sentence(error, {}))


def _draw_answers(keeper: Keeper) -> None:
    st.subheader(say("teacher.answers"), anchor=False)
    st.caption(say("teacher.answers-note"))
    try:
        answers.draw(keeper.store, answers.choose(keeper.store))
    except ProgressUnavailableError as error:
        st.warning(failures.sentence(error, {}))


@cache
def _sheet() -> str:
    return SHEET.read_text("utf-8")
