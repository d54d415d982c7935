"""Runs on every visit: page settings, language, machine, navigation. Kept cheap.

The guard keeps worker processes, which may re-execute the main script, away from Streamlit.
"""

if __name__ == "__main__":
    import streamlit as st

    from playground import catalog
    from ui import (
        first_page,
        keeping_view,
        language,
        leave_link,
        machine_picker,
        page_script,
        progress,
        rerun,
        theme,
        visitor,
    )
    from ui.address import PAGES, page_of
    from ui.words import say

    tongue = language.settle()
    st.set_page_config(page_title=say("app.name"), page_icon="🔥", layout="wide")
    st.html(theme.style_sheet())
    progress.arrive()

    home = st.Page(PAGES / "home.py", title=say("app.home"), icon="🏠", default=True)
    sections: dict[str, list[st.Page]] = {"": [home]}
    for own in catalog.curriculum().lessons:
        if own.is_page:
            title = own.title.said(tongue)
            pages = sections[""]  # Streamlit folds a long list, and these are for every lesson
            pages.append(st.Page(page_of(own), title=title, icon=own.icon, url_path=own.name))
    sections[""].append(
        st.Page(PAGES / "quiz.py", title=say("quiz.title"), url_path="quiz", visibility="hidden")
    )
    if visitor.is_teacher():
        sections[""].append(
            st.Page(PAGES / "teacher.py", title=say("teacher.title"), icon="📋", url_path="teacher")
        )
    titles = {chapter.id: chapter.title.said(tongue) for chapter in catalog.chapters()}
    for lesson in catalog.lessons():
        sections.setdefault(titles[lesson.chapter], []).append(
            st.Page(
                page_of(lesson),
                title=lesson.title.said(tongue),
                icon=lesson.icon,
                url_path=lesson.name,
            )
        )
    page = st.navigation(sections, expanded=True)
    name = say("app.name")
    st.set_page_config(page_title=name if page is home else f"{page.title} · {name}")
    with st.sidebar:
        language.picker(say("sidebar.language"))
        machine_picker.picker()
        keeping_view.draw()
        leave_link.draw()
    rerun.leave_for(page.url_path)
    page.run()
    page_script.draw(page.url_path)
    first_page.tell_drawn()
