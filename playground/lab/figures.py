"""Charts of what a program has plotted; every text is untrusted and escaped."""

import html

import plotly.graph_objects as go

from playground.palette import Palette
from playground.sandbox.figures import Figure, Series, SeriesKind

CLEAR = "rgba(0,0,0,0)"
HEIGHT = 300
DASHES = ("solid", "dash", "dot", "dashdot")
Part = dict[str, object]


def plotted(figure: Figure, palette: Palette) -> go.Figure:
    """Draw one pair of axes.

    Args:
        figure: The calls of ``plt``.
        palette: The colours of the theme.
    """
    colours = (palette.accent, *(each.text for each in (palette.cpu, *palette.devices)))
    traces = [
        _trace(series, colours[place % len(colours)], DASHES[place // len(colours) % len(DASHES)])
        for place, series in enumerate(figure.series)
    ]
    has_image = any(series.kind is SeriesKind.IMAGE for series in figure.series)
    upwards = _axis(figure.y_label, palette, is_log=figure.is_log_y)
    if has_image:
        upwards |= {"autorange": "reversed", "scaleanchor": "x", "constrain": "domain"}
    layout: Part = {
        "template": {},
        "height": HEIGHT,
        "autosize": True,
        "margin": {"l": 56, "r": 12, "t": 34 if figure.title else 12, "b": 44},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"color": palette.ink, "size": 12},
        "title": {"text": html.escape(figure.title), "font": {"size": 14}, "x": 0.5},
        "showlegend": figure.has_legend,
        "legend": {"orientation": "h", "x": 0, "y": -0.28},
        "dragmode": False,
        "xaxis": _axis(figure.x_label, palette, is_log=figure.is_log_x),
        "yaxis": upwards,
        "hoverlabel": {"bgcolor": palette.paper, "font": {"color": palette.ink}},
    }
    return go.Figure({"data": traces, "layout": layout})


def _trace(series: Series, colour: str, dash: str) -> Part:
    if series.kind is SeriesKind.IMAGE:
        return {
            "type": "heatmap",
            "z": [list(row) for row in series.rows],
            "colorscale": "Viridis",
            "showscale": True,
            "colorbar": {"thickness": 10, "outlinewidth": 0},
        }
    across: list[object] = [*map(html.escape, series.names)] or [*series.x]
    common: Part = {"x": across, "y": list(series.y), "name": html.escape(series.label)}
    if series.kind is SeriesKind.BAR:
        return {"type": "bar", "marker": {"color": colour}, **common}
    if series.kind is SeriesKind.SCATTER:
        return {"type": "scatter", "mode": "markers", "marker": {"color": colour}, **common}
    line = {"color": colour, "width": 2, "dash": dash}
    return {"type": "scatter", "mode": "lines", "line": line, **common}


def _axis(label: str, palette: Palette, *, is_log: bool) -> Part:
    return {
        "title": {"text": html.escape(label), "standoff": 6},
        "type": "log" if is_log else "-",
        "gridcolor": palette.line,
        "linecolor": palette.line,
        "zerolinecolor": palette.line,
        "fixedrange": True,
    }
