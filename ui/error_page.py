"""Errors as the visitor sees them: one sentence, never a path, never a traceback."""

import logging
from collections.abc import Mapping

import streamlit as st

from playground.errors import InvalidSettingError, PlaygroundError
from ui.html_markup import as_code
from ui.language import say, table

_log = logging.getLogger(__name__)


def sentence(error: PlaygroundError, labels: Mapping[str, str]) -> str:
    """Return an error as a sentence in Markdown; its values may be untrusted, so they are code.

    Args:
        error: The error.
        labels: The labels of the lesson, to name the control whose value was refused.
    """
    key = f"failures.{error.key}"
    if key not in table():
        return say("failures.unforeseen")
    values = {
        name: value if isinstance(value, int | float) else as_code(str(value))
        for name, value in error.values.items()
    }
    if isinstance(error, InvalidSettingError):
        values["label"] = labels.get(error.field, values["field"])
    return say(key, **values)


def show_unhandled(error: Exception) -> bool:
    """Log an unhandled exception and show one sentence; True keeps Streamlit from showing it.

    With ``make dev``, Streamlit's own display shows the traceback.
    """
    _log.error("a page failed", exc_info=error)
    if st.get_option("client.showErrorDetails") == "full":
        return False
    st.error(say("failures.unforeseen"))
    return True
