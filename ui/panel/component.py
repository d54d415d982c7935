"""The component of the program panel, and what the browser sends back."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

PACKAGE, NAME = "panel", "program"
MANIFEST = ComponentManifest(
    name=PACKAGE, version="1", components=[ComponentConfig(name=NAME, asset_dir="assets")]
)
Event = Mapping[str, Any]


def draw(key: str, data: Mapping[str, object], handle: Callable[[], None]) -> None:
    """Mount the panel, or send it new data.

    Args:
        key: Of the component in the session.
        data: As ``view`` makes it; plain values, sequences as tuples.
        handle: Called in a callback, where the visitor has done something; reads ``events``.
    """
    full_name = f"{PACKAGE}.{NAME}"
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(full_name) is None:
        manager.register_from_manifest(MANIFEST, Path(__file__).parent)
    _component(full_name)(key=key, data=data, on_event_change=handle)


@cache
def _component(full_name: str) -> Callable[..., object]:
    """The function that mounts the panel; making it resolves the paths of its files."""
    return st.components.v2.component(
        full_name, js="panel.js", css="panel.css", isolate_styles=False
    )


def events(key: str, heard: int) -> list[Event]:
    """The events since a serial number, oldest first.

    Of two quick events Streamlit may deliver only the second, so each event carries those that the
    server had not acknowledged when it was sent.

    Args:
        key: Of the component.
        heard: The serial number of the last event that was handled.
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
    return [known[serial] for serial in sorted(known) if serial > heard]
