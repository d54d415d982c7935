"""What is drawn when a run has ended."""

from collections.abc import Sequence

import plotly.graph_objects as go

from playground.lessons.training.figures.lines import (
    DASHES,
    class_colours,
    curve_colours,
    heights,
    patches,
)
from playground.lessons.training.records import (
    ClipGradientReport,
    TrainReport,
    TrainTwiceReport,
    TryRatesReport,
)
from playground.palette import Palette, Words, drawn_once
from playground.sketch import Sketch, tinted

HEIGHT = 260
Line = tuple[str, Sequence[float | None], Sequence[float], str, str]


@drawn_once
def run_curves(report: TrainReport, palette: Palette, words: Words) -> go.Figure:
    """The loss on a logarithmic scale, and the accuracy beneath it on its own."""
    loss = [(words["loss"], heights(report.losses), report.losses, palette.ink, "solid")]
    sketch = _chart(palette, words, loss)
    figure = sketch.spec()
    layout = figure["layout"]
    assert isinstance(layout, dict)
    layout["height"] = HEIGHT + 100
    layout["yaxis"] |= {"domain": [0.42, 1]}
    layout["yaxis2"] = {
        **_axis(palette),
        "domain": [0, 0.26],
        "range": [-0.05, 1.08],
        "tickvals": [0, 0.5, 1],
        "ticktext": ["0 %", "50 %", "100 %"],
        "fixedrange": True,
    }
    layout["xaxis"] |= {"anchor": "y2"}
    traces = figure["data"]
    assert isinstance(traces, list)
    traces.append(
        {
            "type": "scatter",
            "name": words["accuracy"],
            "x": list(range(1, report.epochs + 1)),
            "y": list(report.accuracies),
            "yaxis": "y2",
            "mode": "lines",
            "line": {"color": palette.success, "width": 2},
            "hovertemplate": "%{y:.1%}<extra></extra>",
        }
    )
    layout["annotations"].append(_title(words["accuracy"], 0.3, palette.success))
    return go.Figure(figure)


@drawn_once
def several_curves(
    report: TrainTwiceReport | TryRatesReport, palette: Palette, words: Words
) -> go.Figure:
    """The losses of several runs, on a logarithmic scale."""
    colours = curve_colours(report.curves, palette)
    lines = [
        (curve.name, heights(curve.losses), curve.losses, colour, DASHES[place % len(DASHES)])
        for place, (curve, colour) in enumerate(zip(report.curves, colours, strict=True))
    ]
    sketch = _chart(palette, words, lines)
    spec = sketch.spec()
    layout = spec["layout"]
    assert isinstance(layout, dict)
    layout |= {"showlegend": True, "legend": {"orientation": "h", "x": 0, "y": -0.4}}
    return go.Figure(spec)


@drawn_once
def plane(report: TrainReport, palette: Palette, words: Words) -> go.Figure:
    """The points it trained on, and to which class it gives every place."""
    reach = report.plane.REACH
    sketch = Sketch(
        palette,
        height=340,
        across=(-reach, reach),
        upwards=(-reach, reach),
        font={"size": 12},
        hover_font={"size": 12},
    )
    for label, colour in enumerate(class_colours(palette)):
        corners = [
            (x, y)
            for left, bottom, right, top in patches(report.plane, label)
            for x, y in ((left, bottom), (right, bottom), (right, top), (left, top), (None, None))
        ]
        own = [(x, y) for x, y, mine in report.plane.points if mine == label]
        if not own:
            continue
        sketch.add_scatter(
            x=[x for x, _ in corners],
            y=[y for _, y in corners],
            name=f"{words['told_class']} {label}",
            mode="lines",
            line={"width": 0},
            fill="toself",
            fillcolor=tinted(colour, 0.22),
            hoverinfo="skip",
        )
        sketch.add_scatter(
            x=[x for x, _ in own],
            y=[y for _, y in own],
            name=f"{words['points_class']} {label}",
            mode="markers",
            marker={"color": colour, "size": 6, "line": {"color": palette.paper, "width": 1}},
            hovertemplate=f"{words['points_class']} {label}<extra></extra>",
        )
    spec = sketch.spec()
    layout = spec["layout"]
    assert isinstance(layout, dict)
    layout["yaxis"] |= {"scaleanchor": "x"}
    return go.Figure(spec)


@drawn_once
def clipped(report: ClipGradientReport, palette: Palette, words: Words) -> go.Figure:
    """The norm before and after, and the limit."""
    most = max(report.before, report.after, report.most)
    sketch = Sketch(
        palette,
        height=130,
        across=(0, 1.05 * most),
        upwards=(-0.6, 2.4),
        font={"size": 12},
        hover_font={"size": 12},
    )
    for row, (label, norm) in enumerate(
        (("norm_after", report.after), ("norm_before", report.before))
    ):
        sketch.add_bar(
            x=[norm],
            y=[row],
            name=words[label],
            orientation="h",
            width=0.55,
            marker={"color": palette.accent if row else palette.success},
            hovertemplate=f"{norm:.4g}<extra></extra>",
        )
        sketch.add_annotation(
            x=0, y=row + 0.45, xanchor="left", yanchor="middle", text=f"{words[label]}: {norm:.3g}"
        )
    sketch.add_shape(
        type="line",
        x0=report.most,
        x1=report.most,
        y0=-0.5,
        y1=1.75,
        line={"color": palette.trouble, "width": 2, "dash": "dot"},
    )
    sketch.add_annotation(
        x=report.most,
        y=2.1,
        xanchor="center"
        if 0.2 < report.most / most < 0.8
        else "right"
        if report.most > most / 2
        else "left",
        text=f"{words['gradient_clip']}: {report.most:g}",
        font={"color": palette.trouble},
    )
    return go.Figure(sketch.spec())


def _chart(palette: Palette, words: Words, lines: Sequence[Line]) -> Sketch:
    """Lines over epochs; heights are powers of ten."""
    known = [each for _, ys, *_ in lines for each in ys if each is not None] or [0.0]
    low, high = min(known), max(known)
    room = max(0.08 * (high - low), 0.05)
    longest = max(len(ys) for _, ys, *_ in lines)
    sketch = _WithAxes(
        palette,
        height=HEIGHT,
        across=(1 - 0.02 * longest, 1.02 * longest),
        upwards=(low - room, high + room),
        margin=(48, 28),
        font={"size": 12},
        hover_font={"size": 12},
    )
    powers = range(round(low - 0.5), round(high + 0.5) + 1)
    sketch.show_axes(palette, words["epoch"], [float(power) for power in powers])
    for name, ys, values, colour, dash in lines:
        sketch.add_scatter(
            x=list(range(1, len(ys) + 1)),
            y=list(ys),
            name=name,
            mode="lines",
            line={"color": colour, "width": 2.2, "dash": dash},
            customdata=list(values),
            hovertemplate="%{x}: %{customdata:.4g}<extra>" + name + "</extra>",
        )
    sketch.add_annotation(**_title(words["loss_log"], 1.0, palette.ink))
    return sketch


def _title(text: str, height: float, colour: str) -> dict[str, object]:
    return {
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": height,
        "xanchor": "left",
        "yanchor": "bottom",
        "text": text,
        "font": {"color": colour, "size": 12},
    }


def _axis(palette: Palette) -> dict[str, object]:
    return {
        "visible": True,
        "showgrid": True,
        "gridcolor": palette.line,
        "zeroline": False,
        "color": palette.muted,
    }


class _WithAxes(Sketch):
    """A sketch whose axes are there."""

    def show_axes(self, palette: Palette, across: str, powers: Sequence[float]) -> None:
        """Name the x axis, and write powers of ten beside the y axis."""
        axes = {name: self._layout[name] for name in ("xaxis", "yaxis")}
        for axis in axes.values():
            assert isinstance(axis, dict)
            axis |= _axis(palette)
        axes["xaxis"] |= {"title": {"text": across, "standoff": 12}, "automargin": True}  # type: ignore[operator]
        axes["yaxis"] |= {  # type: ignore[operator]
            "tickvals": list(powers),
            "ticktext": [f"{10**power:g}" for power in powers],
        }
