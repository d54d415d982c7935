"""The script of every run: language, machine, navigation, window, then the page itself.

The guard keeps worker processes, which may execute the main script again, away from Streamlit.
"""

if __name__ == "__main__":
    import streamlit as st

    from ui import machine_picker, navigation, page_script, progress, student_page
    from ui.language import draw_picker, restore_language, say

    language = restore_language()
    progress.load_saved()
    page = st.navigation(navigation.sections(language), expanded=True)
    navigation.name_window(page.title if page.url_path else "")
    with st.sidebar:
        draw_picker(say("sidebar.language"))
        machine_picker.draw()
        student_page.draw_in_sidebar()
        navigation.draw_logout_link()
    navigation.note_page(page.url_path)
    page_script.follow_poll()
    page.run()
    page_script.draw(page.url_path)
