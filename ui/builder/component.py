"""The Streamlit component of the builder: one script, mounted for the library and for the graph.

The library (words and layers) is sent once, outside the fragment; an edit sends the network alone.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from ui.panel import component as panel
from ui.streamlit_internals import register_component


def draw(key: str, data: Mapping[str, object], handle: Callable[[], None] | None = None) -> None:
    """Mount the component, or send it new data.

    Args:
        key: The component's key.
        data: Plain values.
        handle: Called in a callback after an event; reads ``events``.
    """
    mount = register_component(
        "builder", "graph", Path(__file__).parent, js="builder.js", css="builder.css"
    )
    # In a tuple: Streamlit would import pandas to see whether a value of the mapping is a table.
    mount(key=key, data=(data,), on_event_change=handle or (lambda: None))


events = panel.events
