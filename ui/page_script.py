"""The script of every page: the document's language, the sidebar on a phone, and scrolling."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from playground.catalog import Language
from ui import language

PACKAGE, NAME = "page", "script"
TARGET = "page-script-target"
MANIFEST = ComponentManifest(
    name=PACKAGE, version="1", components=[ComponentConfig(name=NAME, asset_dir="assets")]
)


def draw(page: str) -> None:
    """Mount the script, and tell it the page.

    Args:
        page: The path of the page; another one closes the sidebar of a narrow window.
    """
    full_name = f"{PACKAGE}.{NAME}"
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(full_name) is None:
        manager.register_from_manifest(MANIFEST, Path(__file__).parent)
    lang = "zh-CN" if language.current() is Language.ZH else "en"
    _component(full_name)(
        key="page-script", data={"lang": lang, "page": page, "target": st.session_state.get(TARGET)}
    )


def scroll_to(key: str) -> None:
    """Scroll to a container with the next run of the whole page.

    Args:
        key: Of the container.
    """
    count = (st.session_state.get(TARGET) or {"count": 0})["count"]
    st.session_state[TARGET] = {"selector": f".st-key-{key}", "count": count + 1}


@cache
def _component(full_name: str) -> Callable[..., object]:
    """The function that mounts the script; making it resolves the path of its file."""
    return st.components.v2.component(full_name, js="page.js", isolate_styles=False)
