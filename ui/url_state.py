"""State of widgets in the URL, restored from a link in any language.

Numbers, switches and texts use Streamlit's own binding. A choice writes its id here instead, since
a binding would write the words of one language into the URL.
"""

import math
from collections.abc import Sequence
from typing import Literal

import streamlit as st

NETWORK = "network"  # the parameter that holds a network from the builder, on every page
BUILDER_PARAMETER = "blocks_build_network"  # opens the step of the builder with a network
UNBOUND = "unbound-numbers"  # in the session


def restore_choice(key: str, allowed: Sequence[str], default: str) -> None:
    """Set the widget ``key`` to its own value, the URL's, or the default.

    A value that is not allowed (a broken link, a missing device) becomes the default.
    """
    if key not in st.session_state:
        st.session_state[key] = st.query_params.get(key, default)
    if st.session_state[key] not in allowed:
        st.session_state[key] = default


def number_binding(key: str) -> Literal["query-params"] | None:
    """Return the ``bind`` argument of a number: None for this visit if the link says infinity.

    Streamlit's binding ignores all other invalid values, but raises on an infinite number.
    """
    unbound: set[str] = st.session_state.setdefault(UNBOUND, set())
    try:
        if not math.isfinite(float(st.query_params.get(key, "0"))):
            unbound.add(key)
            st.query_params.pop(key)
    except ValueError:
        pass  # no number at all
    return None if key in unbound else "query-params"


def write_parameter(key: str, value: str, default: str) -> None:
    """Write a parameter into the URL; a default value needs none."""
    if value == default:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != value:
        st.query_params[key] = value
