"""The teacher's page: access, its parts, and how often they are refreshed."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import streamlit as st

from hosting import progress, settings
from hosting.progress import ProgressUnavailableError
from hosting.progress.exports import answers_csv, done_csv, steps_csv
from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.records import now
from hosting.progress.store import Store
from ui import error_page, visitor
from ui.html_markup import inline_to_html
from ui.language import say
from ui.teacher import (
    assignments,
    class_progress,
    lesson_links,
    live_control,
    program_links,
    server,
)

SURE, DELETE, OUTCOME = "delete-sure", "delete-all", "delete-outcome"
REFRESH_SECONDS = 5.0  # seconds between two readings
SHEET = Path(__file__).with_name("teacher.css")
IN_PLACE = "<i hidden></i>"  # style alone goes to a place that all cards share, and gets lost there
MIME = "text/csv"
FILES: dict[str, Callable[[Store], bytes]] = {
    "steps": steps_csv,
    "answers": answers_csv,
    "done": done_csv,
}


def draw() -> None:
    """Draw the page for a teacher, and one sentence for others."""
    if not visitor.is_teacher():  # the router lists it for teachers only; this does not rely on it
        st.info(say("teacher.closed"))
        return
    st.title(say("teacher.title"), anchor=False)
    st.html(f'<p class="tp-lead">{inline_to_html(say("teacher.lead"))}</p>')
    with st.container(key="teacher"):
        st.html(f"{IN_PLACE}<style>{_sheet()}</style>")
        writer = progress.current()
        st.fragment(live_control.draw, key="teacher-live", run_every=live_control.REFRESH_SECONDS)()
        if writer is None:
            st.info(say("teacher.nothing-kept"))
        else:
            st.fragment(_draw_class, key="teacher-class", run_every=REFRESH_SECONDS)(writer)
            st.fragment(_draw_answers, key="teacher-answers", run_every=REFRESH_SECONDS)(writer)
            st.fragment(assignments.draw, key="teacher-assignments")(writer)
        st.fragment(lesson_links.draw, key="teacher-links")()
        st.fragment(program_links.draw, key="teacher-program-links")()
        if writer is not None:
            draw_downloads(writer)
            st.fragment(draw_deletion, key="teacher-delete")(writer)
        st.fragment(server.draw, key="teacher-server", run_every=REFRESH_SECONDS)()


def _draw_class(writer: ProgressWriter) -> None:
    st.header(say("teacher.class"), anchor=False)
    try:
        class_progress.draw_students(writer.store)
    except ProgressUnavailableError as error:
        st.warning(error_page.sentence(error, {}))


def _draw_answers(writer: ProgressWriter) -> None:
    st.header(say("teacher.answers"), anchor=False)
    st.caption(say("teacher.answers-note"))
    try:
        class_progress.draw_answers(writer.store, class_progress.draw_lesson_choice(writer.store))
        st.header(say("teacher.errors"), anchor=False)
        class_progress.draw_errors(writer.store)
    except ProgressUnavailableError as error:
        st.warning(error_page.sentence(error, {}))


@cache
def _sheet() -> str:
    return SHEET.read_text("utf-8")


def draw_downloads(writer: ProgressWriter) -> None:
    """Draw a download button for each file."""
    st.header(say("teacher.files"), anchor=False)
    with st.container(horizontal=True, key="teacher-files"):
        for name, make in FILES.items():
            st.download_button(
                say(f"teacher.{name}-file"),
                file_maker(make, writer.store),
                f"{name}-{now():%Y-%m-%d}.csv",
                MIME,
                on_click="ignore",
                key=f"teacher-{name}-file",
                icon=":material/download:",
            )


def file_maker(make: Callable[[Store], bytes], store: Store) -> Callable[[], bytes]:
    """Return a function that makes a file; Streamlit calls it in another thread."""
    return lambda: make(store)


def draw_deletion(writer: ProgressWriter) -> None:
    """Draw the button that deletes the data of the class; it works once the teacher is sure."""
    with st.expander(say("teacher.delete"), key="delete-class"):
        st.markdown(say("teacher.delete-note"))
        if days := settings.current().keep_days:
            st.caption(say("teacher.delete-days", days=days))
        is_sure = st.checkbox(say("teacher.delete-sure"), key=SURE)
        label = say("teacher.delete-all")
        st.button(label, key=DELETE, disabled=not is_sure, on_click=_delete_all, args=(writer,))
        if outcome := st.session_state.pop(OUTCOME, ""):
            st.caption(outcome)


def _delete_all(writer: ProgressWriter) -> None:
    try:
        writer.delete_all()
    except ProgressUnavailableError as error:
        st.session_state[OUTCOME] = error_page.sentence(error, {})
    else:
        st.session_state[SURE] = False
        st.session_state[OUTCOME] = say("teacher.deleted")
