"""A figure on the page; what plotly makes of it is made once, however often it is shown."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import plotly.graph_objects as go  # a type only: figures alone import plotly
    from streamlit.delta_generator import DeltaGenerator

CONFIG = {"displayModeBar": False, "responsive": True}


def draw(place: "DeltaGenerator", figure: "go.Figure", *, key: str, alt: str) -> None:
    """Show a figure as it is, without Streamlit's theme."""
    _make_plain_once(figure)
    place.plotly_chart(figure, theme=None, config=CONFIG, key=key, alt=alt)


def _make_plain_once(figure: "go.Figure") -> None:
    """Streamlit asks a figure for its plain form at every run, and plotly copies all of it then.

    Nobody changes a figure that was drawn (``playground.palette.drawn_once``), so one copy serves.
    """
    if "to_dict" not in vars(figure):
        plain: dict[str, Any] = figure.to_dict()
        object.__setattr__(figure, "to_dict", lambda: plain)
