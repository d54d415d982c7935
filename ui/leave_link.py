"""The way out, where there is a gate: a link to its door, which can take the cookie back."""

import streamlit as st

from hosting import settings
from hosting.gate.page import DOOR
from hosting.settings import Gate
from ui import quoting
from ui.words import say


def draw() -> None:
    """Draw it; in an open playground, nothing."""
    if settings.current().gate is not Gate.OPEN:
        label = quoting.quote(say("sidebar.leave"))
        st.html(f'<a href="{DOOR}" target="_self" style="color: inherit">{label}</a>')
