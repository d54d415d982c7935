"""What a figure is drawn on: plain lists, handed to plotly once; knows no plotly.

Plotly checks every call that changes a figure, for about a millisecond each time; a figure that is
given whole is checked once, in a quarter of the time.
"""

from collections.abc import Mapping

from playground.palette import Palette

CLEAR = "rgba(0,0,0,0)"
MONOSPACE = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"

Part = dict[str, object]
Span = tuple[float, float]


class Sketch:
    """A bare surface without axes, legend, title or background, as wide as its column.

    Args:
        palette: The colours of the theme.
        height: In pixels; fixed, while the width follows the page.
        across: Where the x axis begins and ends.
        upwards: Where the y axis begins and ends.
        margin: In pixels, to the sides, and above and below.
        font: Of all text that has none of its own: ``family`` and ``size``.
        hover_font: The same for what is told on hover.
    """

    def __init__(
        self,
        palette: Palette,
        *,
        height: float,
        across: Span,
        upwards: Span,
        margin: Span = (0, 0),
        font: Mapping[str, object],
        hover_font: Mapping[str, object],
    ) -> None:
        sides, ends = margin
        still = {"visible": False, "fixedrange": True}
        self._traces: list[Part] = []
        self._annotations: list[Part] = []
        self._shapes: list[Part] = []
        self._layout: Part = {
            "template": {},  # plotly's own is 7 kB in every figure, and decides nothing here
            "height": height,
            "autosize": True,
            "margin": {"l": sides, "r": sides, "t": ends, "b": ends},
            "paper_bgcolor": CLEAR,
            "plot_bgcolor": CLEAR,
            "font": {"color": palette.ink, **font},
            "showlegend": False,
            "dragmode": False,
            "barmode": "overlay",  # a bar stays where it was put
            "xaxis": {**still, "range": list(across)},
            "yaxis": {**still, "range": list(upwards)},
            "hoverlabel": {
                "bgcolor": palette.paper,
                "bordercolor": palette.muted,
                "font": {"color": palette.ink, **hover_font},
                "align": "left",
            },
        }

    def add_scatter(self, **properties: object) -> None:
        """Add points, lines, areas or texts, with the properties of plotly's ``Scatter``."""
        self._traces.append({"type": "scatter", **properties})

    def add_bar(self, **properties: object) -> None:
        """Add bars, with the properties of plotly's ``Bar``."""
        self._traces.append({"type": "bar", **properties})

    def add_heatmap(self, **properties: object) -> None:
        """Add a grid of coloured cells, with the properties of plotly's ``Heatmap``."""
        self._traces.append({"type": "heatmap", **properties})

    def add_annotation(self, **properties: object) -> None:
        """Add a text without an arrow, with the properties of plotly's ``Annotation``."""
        self._annotations.append({"showarrow": False, **properties})

    def add_shape(self, **properties: object) -> None:
        """Add a shape, with the properties of plotly's ``Shape``."""
        self._shapes.append(properties)

    def spec(self) -> Part:
        """The whole figure, as plotly's ``Figure`` takes it."""
        layout = {**self._layout, "annotations": self._annotations, "shapes": self._shapes}
        return {"data": self._traces, "layout": layout}


def tinted(colour: str, opacity: float) -> str:
    """A colour as a wash that lets through what is behind it.

    >>> tinted("#E69F00", 0.5)
    'rgba(230,159,0,0.5)'
    """
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"
