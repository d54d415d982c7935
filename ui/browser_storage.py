"""Progress in the browser's storage, for pages without the panel, whose script does the same."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from hosting.framework_internals.streamlit_session import register_component
from ui import panel, progress

KEY = "browser-storage"
FOLDER = Path(panel.__file__).parent


def draw() -> None:
    """Write the progress of this visit to the browser, and ask once for that of earlier visits."""
    mount = register_component("panel", "storage", FOLDER, js="storage.js")
    data = {
        "store": progress.stored(),
        "asks": not progress.is_restored(),
        "clearings": progress.clearings(),
    }
    mount(key=KEY, data=(data,), on_restore_change=_restore)  # in a tuple, as for the panel


def _restore() -> None:
    """Take the progress that the browser holds."""
    event = (st.session_state.get(KEY) or {}).get("restore")
    progress.restore(event.get("stored") if isinstance(event, Mapping) else None)
