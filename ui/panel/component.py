"""The Streamlit component of the program panel, and the events that it sends."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from hosting.framework_internals.streamlit_session import register_component

Event = Mapping[str, Any]


def draw(key: str, data: Mapping[str, object], handle: Callable[[], None]) -> None:
    """Mount the panel, or send it new data.

    Args:
        key: The component's key.
        data: Plain values, as ``view`` makes them.
        handle: Called in a callback after an event; reads ``events``.
    """
    mount = register_component(
        "panel", "program", Path(__file__).parent, js="panel.js", css="panel.css"
    )
    # In a tuple: Streamlit would import pandas to see whether a value of the mapping is a table.
    mount(key=key, data=(data,), on_event_change=handle)


def events(key: str, acknowledged: int) -> list[Event]:
    """Return the events since a serial number, oldest first.

    Streamlit may deliver only the second of two quick events, so each event carries those that the
    server had not acknowledged when it was sent.

    Args:
        key: The component's key.
        acknowledged: The serial number of the last event that was handled.
    """
    latest = (st.session_state.get(key) or {}).get("event")
    if not isinstance(latest, Mapping):
        return []
    earlier = latest.get("before")
    sent = [*(earlier if isinstance(earlier, list) else []), latest]
    known = {
        each["serial"]: each
        for each in sent
        if isinstance(each, Mapping) and isinstance(each.get("serial"), int)
    }
    return [known[serial] for serial in sorted(known) if serial > acknowledged]
