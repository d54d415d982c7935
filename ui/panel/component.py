"""The Streamlit components of the program panel: the program with its events, and the storage.

The panel keeps a visitor's progress in the browser. Pages without a panel mount the storage alone.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from hosting.framework_internals.streamlit_session import register_component
from ui import progress

FOLDER = Path(__file__).parent
STORAGE_KEY = "browser-storage"
Event = Mapping[str, Any]


def draw(key: str, data: Mapping[str, object], handle: Callable[[], None]) -> None:
    """Mount the panel, or send it new data.

    Args:
        key: The component's key.
        data: Plain values, as ``view`` makes them.
        handle: Called in a callback after an event; reads ``events``.
    """
    mount = register_component("panel", "program", FOLDER, js="panel.js", css="panel.css")
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


def draw_storage() -> None:
    """Write the progress of this visit to the browser, and ask once for that of earlier visits."""
    mount = register_component("panel", "storage", FOLDER, js="storage.js")
    data = {
        "store": progress.stored(),
        "asks": not progress.is_restored(),
        "clearings": progress.clearings(),
    }
    mount(key=STORAGE_KEY, data=(data,), on_restore_change=_restore)


def _restore() -> None:
    """Take the progress that the browser holds."""
    event = (st.session_state.get(STORAGE_KEY) or {}).get("restore")
    progress.restore(event.get("stored") if isinstance(event, Mapping) else None)
