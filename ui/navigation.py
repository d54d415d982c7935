"""The pages of the sidebar, section by section."""

from typing import Any

import streamlit as st

from playground import catalog
from ui import visitor
from ui.address import PAGES, page_of
from ui.words import say

Sections = dict[str, list[Any]]  # of st.Page, which is a function
KEPT = "pages"  # in the session: making a page takes longer than to draw its entry


def sections(language: catalog.Language) -> Sections:
    """The pages of this visitor; home comes first.

    Args:
        language: Of the titles.
    """
    wanted = language, visitor.is_teacher()
    known, pages = st.session_state.get(KEPT, (None, {}))
    if known != wanted:
        pages = _sections(*wanted)
        st.session_state[KEPT] = wanted, pages
    return dict(pages)


def _sections(language: catalog.Language, is_teacher: bool) -> Sections:
    first = [st.Page(PAGES / "home.py", title=say("app.home"), icon="🏠", default=True)]
    for own in catalog.curriculum().lessons:
        if own.is_page:  # in the first section: Streamlit folds a long list, and all need these
            title = own.title.said(language)
            first.append(st.Page(page_of(own), title=title, icon=own.icon, url_path=own.name))
    first.append(
        st.Page(PAGES / "quiz.py", title=say("quiz.title"), url_path="quiz", visibility="hidden")
    )
    if is_teacher:
        title = say("teacher.title")
        first.append(st.Page(PAGES / "teacher.py", title=title, icon="📋", url_path="teacher"))
    pages: Sections = {"": first}
    titles = {chapter.id: chapter.title.said(language) for chapter in catalog.chapters()}
    for lesson in catalog.lessons():
        title = lesson.title.said(language)
        page = st.Page(page_of(lesson), title=title, icon=lesson.icon, url_path=lesson.name)
        pages.setdefault(titles[lesson.chapter], []).append(page)
    return pages
