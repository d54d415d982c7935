"""Runs on every visit: page settings, language, machine, navigation. Kept cheap.

The guard keeps worker processes, which may re-execute the main script, away from Streamlit.
"""

if __name__ == "__main__":
    import streamlit as st

    from ui import (
        first_page,
        keeping_view,
        language,
        leave_link,
        machine_picker,
        navigation,
        page_script,
        progress,
        rerun,
        theme,
    )
    from ui.words import say

    tongue = language.settle()
    st.html(theme.style_sheet())
    progress.arrive()
    page = st.navigation(navigation.sections(tongue), expanded=True)
    name = say("app.name")
    title = page.title if page.url_path else ""
    st.set_page_config(
        page_title=f"{title} · {name}" if title else name, page_icon="🔥", layout="wide"
    )
    with st.sidebar:
        language.picker(say("sidebar.language"))
        machine_picker.picker()
        keeping_view.draw()
        leave_link.draw()
    rerun.leave_for(page.url_path)
    page.run()
    page_script.draw(page.url_path)
    first_page.tell_drawn()
