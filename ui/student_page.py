"""A student's own page, with progress, predictions and what is kept; its part of the sidebar."""

from typing import TYPE_CHECKING

import streamlit as st

from hosting import progress as saved
from hosting import settings
from hosting.progress import ProgressUnavailableError
from hosting.progress.records import MAX_NAME
from playground import catalog
from ui import error_page, html_markup, navigation, progress
from ui.html_markup import inline_to_html
from ui.language import COLONS, current_language, say
from ui.panel import component, view
from ui.progress import ProgressSync

if TYPE_CHECKING:
    from hosting.progress.progress_writer import ProgressWriter

NAME = "progress-name"
DELETE = "progress-forget"
CONFIRMED = "progress-sure"
OUTCOME = "progress-outcome"
LOADING_INTERVAL_SECONDS = 1.0  # between two looks while the database is read
RETRY_INTERVAL_SECONDS = 10.0  # while it does not answer


def draw() -> None:
    """Draw the page; in an open playground it shows what this browser holds."""
    session = progress.current_sync()
    st.title(say("me.title"), anchor=False)
    outcome: str = st.session_state.pop(OUTCOME, "")
    if outcome:
        st.success(outcome)
    if session is not None and session.assignments:
        _draw_assignments(session)
    _draw_progress()
    _draw_predictions()
    st.header(say("me.kept"), anchor=False)
    writer = saved.current()
    if session is None or writer is None:
        st.markdown(say("me.kept-here"))
    else:
        _draw_saved(session, writer)
    is_sure = st.checkbox(say("progress.sure"), key=CONFIRMED)
    st.button(say("progress.forget"), key=DELETE, disabled=not is_sure, on_click=_delete)
    component.draw_storage()


def _draw_assignments(session: ProgressSync) -> None:
    """Draw what the class has to do until when, and what of it is done."""
    from ui.teacher.assignments import list_html  # with the database's library

    st.header(say("teacher.assignments"), anchor=False)
    solved = progress.solved_exercises()
    st.html("".join(list_html(each, solved) for each in session.assignments))


def _draw_progress() -> None:
    language = current_language()
    rows = tuple(
        (
            lesson.title.said(language),
            say("teacher.of", count=progress.steps_done(lesson), all=len(lesson.steps)),
        )
        for lesson in catalog.lessons()
        if progress.steps_done(lesson)
    )
    if not rows:
        st.html(f'<div class="tp-invite">{inline_to_html(say("me.nothing"))}</div>')
        return
    table = html_markup.table((say("teacher.lesson"), say("me.steps")), rows)
    st.html(f'<div class="tp-words">{table}</div>')


def _draw_predictions() -> None:
    """Draw a prediction of each step, and what PyTorch did."""
    given = dict(progress.earlier_predictions())
    for lesson in catalog.lessons():
        own = progress.predictions(lesson)
        given |= {f"{lesson.name}/{step}": pair for step, pair in own.items()}
    st.header(say("me.predictions"), anchor=False)
    language = current_language()
    items = []
    for lesson in catalog.lessons():
        for step in lesson.steps:
            said, truth = given.get(f"{lesson.name}/{step.id}", ("", ""))
            if not said or step.prediction is None:
                continue
            sign, kind = ("✓", "tp-hit") if said == truth else ("✗", "tp-miss")
            words = view.answer_words(step.words, said, language)
            right = view.answer_words(step.words, truth, language)
            after = "" if said == truth else f" · {inline_to_html(say('me.really'))} {right}"
            title = inline_to_html(step.title.said(language))
            known = f"{title}{COLONS[language]}{words}{after}"
            items.append(f'<li><span class="{kind}">{sign}</span> {known}</li>')
    if not items:
        st.caption(say("me.no-predictions"))
        return
    hits = sum(said == truth for said, truth in given.values())
    st.caption(say("panel.score", hits=hits, count=len(given)))
    st.html(f'<ul class="tp-plain">{"".join(items)}</ul>')


def _draw_saved(session: ProgressSync, writer: "ProgressWriter") -> None:
    days = settings.current().keep_days
    st.markdown(say("progress.kept"))
    st.markdown(say("me.kept-days", days=days) if days else say("me.kept-until"))
    if NAME not in st.session_state:
        st.session_state[NAME] = session.name
    st.text_input(
        say("progress.name"),
        key=NAME,
        max_chars=MAX_NAME,
        help=say("progress.name-help"),
        on_change=lambda: progress.set_student_name(str(st.session_state[NAME])),
    )
    from hosting.progress.exports import own_data_json  # an open playground does without

    store, student = writer.store, session.student
    st.download_button(
        say("me.file"),
        lambda: own_data_json(store, student),  # called in another thread, at the click
        "torch-playground.json",
        "application/json",
        on_click="ignore",
        key="me-file",
        icon=":material/download:",
    )


def _delete() -> None:
    try:
        progress.delete_progress()
    except ProgressUnavailableError as error:
        st.session_state[OUTCOME] = error_page.sentence(error, {})
        return
    progress.clear()
    for name in [name for name in st.session_state if str(name).startswith("page-")]:
        del st.session_state[name]  # the states of lessons, with their predictions
    st.session_state[NAME] = ""
    st.session_state[CONFIRMED] = False
    st.session_state[OUTCOME] = say("progress.forgotten")


def draw_in_sidebar() -> None:
    """Draw whether progress is saved, and the link to the page; nothing if nobody has signed in."""
    if progress.current_sync() is None:
        return
    if progress.is_pending():
        every = LOADING_INTERVAL_SECONDS if progress.is_loading() else RETRY_INTERVAL_SECONDS
        st.fragment(_rerun_when_loadable, key="progress-look", run_every=every)()
    if progress.is_write_failing():
        st.caption(say("progress.troubled"))
    st.page_link(navigation.PAGES / "me.py", label=say("me.title"), icon="🎒")


def _rerun_when_loadable() -> None:
    """Redraw the page once the stored progress has arrived."""
    if progress.is_loadable():
        st.rerun()
