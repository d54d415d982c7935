"""Addresses: the script of each page, and choices by id, which a link restores in any language.

Numbers, switches and texts use Streamlit's own binding. For a choice that binding would write the
words of one language into the address.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import streamlit as st

from playground import catalog

PAGES = Path(__file__).resolve().parents[1] / "pages"
UNBOUND = "unbound-numbers"


def page_of(lesson: catalog.Lesson | catalog.PlannedLesson) -> str:
    """The page script of a lesson, as Streamlit's links want it."""
    return str(PAGES / f"{lesson.name}.py")


def settle_choice(key: str, allowed: Sequence[str], default: str) -> None:
    """Give the widget ``key`` a value it can have: its own, the URL's, or the default.

    A value that is not allowed (a nonsense link, a device that is gone) gives way silently; the
    control then shows what is in force.
    """
    if key not in st.session_state:
        st.session_state[key] = st.query_params.get(key, default)
    if st.session_state[key] not in allowed:
        st.session_state[key] = default


def binding(key: str) -> Literal["query-params"] | None:
    """How a number is bound to the URL: not at all, for this visit, where the link says infinity.

    Streamlit's binding gives way to every other nonsense; on an infinite number it raises.
    """
    unbound: set[str] = st.session_state.setdefault(UNBOUND, set())
    try:
        if not math.isfinite(float(st.query_params.get(key, "0"))):
            unbound.add(key)
            st.query_params.pop(key)
    except ValueError:
        pass  # no number at all
    return None if key in unbound else "query-params"


def write(key: str, value: str, default: str) -> None:
    """Keep the URL in step: a default needs no parameter."""
    if value == default:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != value:
        st.query_params[key] = value
