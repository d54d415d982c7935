"""The pages of the sidebar, the switch from one to another, and the link to log out."""

from pathlib import Path
from typing import Any

import streamlit as st

from hosting import framework_internals, settings
from hosting.framework_internals.streamlit_session import session_id
from hosting.requests import LOGIN_PATH
from hosting.settings import Gate
from playground import catalog
from ui import html_markup, visitor
from ui.language import say

PAGES = Path(__file__).resolve().parents[1] / "pages"
Sections = dict[str, list[Any]]  # of st.Page, which is a function
CACHE = "pages"  # in the session: making a page takes longer than drawing its entry
CURRENT = "here"  # in the session: the page of the last whole run
ARRIVALS = "page-arrivals"  # in the session: how often another page was opened


def page_of(lesson: catalog.Lesson | catalog.PlannedLesson) -> str:
    """Return the page script of a lesson, as Streamlit's links take it."""
    return str(PAGES / f"{lesson.name}.py")


def sections(language: catalog.Language) -> Sections:
    """Return the pages of this visitor by section; home comes first.

    Args:
        language: Of the titles.
    """
    wanted = language, visitor.is_teacher()
    known, pages = st.session_state.get(CACHE, (None, {}))
    if known != wanted:
        pages = _sections(*wanted)
        st.session_state[CACHE] = wanted, pages
    return dict(pages)


def pages() -> dict[str, Any]:
    """Return the visitor's pages by URL path; finding a page by its file takes longer."""
    _, known = st.session_state[CACHE]
    return {page.url_path: page for section in known.values() for page in section}


def _sections(language: catalog.Language, is_teacher: bool) -> Sections:
    first = [st.Page(PAGES / "home.py", title=say("app.home"), icon="🏠", default=True)]
    for own in catalog.curriculum().lessons:
        if own.is_page:  # in the first section: Streamlit folds a long list, and all need these
            title = own.title.said(language)
            first.append(st.Page(page_of(own), title=title, icon=own.icon, url_path=own.name))
    first.append(
        st.Page(PAGES / "quiz.py", title=say("quiz.title"), url_path="quiz", visibility="hidden")
    )
    first.append(  # the sidebar links to it where progress is kept
        st.Page(PAGES / "me.py", title=say("me.title"), url_path="me", visibility="hidden")
    )
    if is_teacher:
        is_signed_in = settings.current().gate is not Gate.OPEN  # else home links to it
        first.append(
            st.Page(
                PAGES / "teacher.py",
                title=say("teacher.title"),
                icon="📋",
                url_path="teacher",
                visibility="visible" if is_signed_in else "hidden",
            )
        )
        title = say("projector.title")
        first.append(
            st.Page(PAGES / "projector.py", title=title, url_path="projector", visibility="hidden")
        )
    pages: Sections = {"": first}
    titles = {chapter.id: chapter.title.said(language) for chapter in catalog.chapters()}
    for lesson in catalog.lessons():
        title = lesson.title.said(language)
        page = st.Page(page_of(lesson), title=title, icon=lesson.icon, url_path=lesson.name)
        pages.setdefault(titles[lesson.chapter], []).append(page)
    return pages


def name_window(*titles: str) -> None:
    """Set the window's title, icon and width: in the title what is shown, then the app.

    Args:
        titles: Empty ones are left out, and marks of code.
    """
    title = " · ".join(filter(None, (*titles, say("app.name"))))
    st.set_page_config(page_title=title.replace("`", ""), page_icon="🔥", layout="wide")


def note_page(page: str) -> None:
    """Free the files and widgets of the previous page if the visitor has come to another one.

    Args:
        page: The page that is drawn.
    """
    if st.session_state.get(CURRENT) != page:
        st.session_state[CURRENT] = page
        st.session_state[ARRIVALS] = arrivals() + 1
        framework_internals.delete_uploaded_files(session_id())
        framework_internals.drop_left_widgets()


def arrivals() -> int:
    """Return how often the visitor has come to a page from another one."""
    return int(st.session_state.get(ARRIVALS, 0))


def draw_logout_link() -> None:
    """Draw a link to the gate, which can delete its cookie; nothing in an open playground."""
    if settings.current().gate is not Gate.OPEN:
        label = html_markup.text_to_html(say("sidebar.leave"))
        st.html(f'<a href="{LOGIN_PATH}" target="_self" style="color: inherit">{label}</a>')
