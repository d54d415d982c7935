"""Points of the visitor's own as a table or a CSV file, beside the clicks into the picture."""

import streamlit as st

from playground.errors import InvalidSettingError
from playground.lessons.training.own_points import (
    MAX_CHARACTERS,
    MAX_POINTS,
    parse,
    to_table,
    to_text,
)
from ui import error_page
from ui.language import current_language, say, translate_uploader
from ui.page_state import PageState, handle_event
from ui.panel import controls, view

MAX_MEBIBYTES = 1  # what the field of Streamlit takes; the text itself is bounded by its characters


def draw(page: PageState) -> None:
    """Draw the table and the field for a file, where the step takes points."""
    step = page.steps[page.current].step
    name = controls.points_field(step)
    if not name:
        return
    key, text = f"{page.key}-{page.current}-points", getattr(step, name)
    table = to_table(parse(text))
    with st.expander(say("panel.points_table"), key=key):
        st.caption(say("panel.points_note"))
        with st.form(f"{key}-form", border=False):
            given = st.text_area(
                say("panel.points_rows", most=MAX_POINTS),
                table,
                key=f"{key}-{hash(text)}",
                max_chars=MAX_CHARACTERS,
            )
            is_sent = st.form_submit_button(say("panel.points_use"))
        file = st.file_uploader(
            say("panel.points_csv"),
            ["csv", "txt"],
            max_upload_size=MAX_MEBIBYTES,
            key=f"{key}-file",
        )
        translate_uploader(st.container(), MAX_MEBIBYTES)
        try:
            if is_sent:
                take(page, name, given)
            elif file is not None and st.session_state.get(f"{key}-taken") != file.file_id:
                st.session_state[f"{key}-taken"] = file.file_id
                take(page, name, read(name, file.name, file.getvalue()))
        except InvalidSettingError as error:
            labels = view.labels_of(page.lesson.step(page.current), current_language())
            st.warning(error_page.sentence(error, labels))


def read(field: str, name: str, content: bytes) -> str:
    """Return the text of a file.

    Raises:
        InvalidSettingError: It is no text, or too long.
    """
    try:
        text = content[: 4 * MAX_CHARACTERS + 1].decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    if not text or len(text) > MAX_CHARACTERS:
        raise InvalidSettingError("points_file", field=field, given=name, most=MAX_CHARACTERS)
    return text


def take(page: PageState, name: str, text: str) -> None:
    """Use points, and draw the step with them.

    Raises:
        InvalidSettingError: The text has a row that is no point.
    """
    handle_event(page, {"type": "change", "field": name, "value": to_text(parse(text, name))})
    st.rerun(scope="fragment")
