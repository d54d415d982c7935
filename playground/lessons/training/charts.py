"""The curves of this lesson as figures of plotly, given as plain data."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from playground.lessons.training.drawing import Training
from playground.palette import Palette
from playground.steps import Labels

HEIGHT = 340
FONT = '"Source Sans", sans-serif'
DASHES = ("solid", "dash", "dot", "dashdot")
GHOST = 0.35  # the opacity of the run before
MAX_DECADES = 4  # of the loss, whose labels at 1, 2 and 5 have room above each other
MAX_POWERS = 10  # labels at powers of ten that have room


def losses(
    runs: Sequence[Training],
    earlier: Sequence[Training],
    labels: Labels,
    palette: Palette,
    said: str,
) -> Mapping[str, Any]:
    """Draw the loss of each run over its epochs, and of a single run its accuracy.

    Two runs that are compared also get their difference.

    Args:
        runs: The runs.
        earlier: Those before, drawn pale.
        labels: The step's.
        palette: The colours of the theme.
        said: The name of the run that the visitor predicted, which is drawn thick.
    """
    inks = (palette.muted, palette.accent, palette.success, palette.trouble)
    lines: list[dict[str, Any]] = []
    for group, is_earlier in ((earlier, True), (runs, False)):
        for place, run in enumerate(group):
            ink = inks[place] if len(group) > 1 else palette.accent
            name = labels.get(f"run_{run.name}", run.name) or labels["loss"]
            own = {"dash": DASHES[place], "width": 5 if said and run.name == said else 2.2}
            lines.append(_line(run.losses, name, ink, own, labels, is_earlier=is_earlier))
            if len(group) == 1:
                more = _line(
                    run.accuracies,
                    labels["correct"],
                    palette.success,
                    {"dash": "dash", "width": 2.2},
                    labels,
                    is_earlier=is_earlier,
                )
                lines.append({**more, "yaxis": "y2"})
    between = _difference(*runs) if len(runs) == 2 else ()
    layout = _layout(
        palette,
        labels,
        max(len(each.losses) for each in runs),
        _decades(lines),
        has_second=len(runs) == 1 or bool(between),
    )
    if len(runs) == 1:
        layout["yaxis2"] = _second(
            palette,
            labels["correct"],
            range=[0, 1.02],
            tickformat=".0%",
            tickmode="linear",
            dtick=0.25,
        )
    elif between:
        own = {"dash": "dot", "width": 2.2}
        more = _line(between, labels["difference"], palette.trouble, own, labels)
        lines.append({**more, "yaxis": "y2"})
        layout["yaxis2"] = _second(
            palette,
            labels["difference"],
            type="log",
            exponentformat="power",
            nticks=5,
            tickmode="auto",
        )
    return {"data": lines, "layout": layout}


def _decades(lines: Sequence[Mapping[str, Any]]) -> float:
    """Return the powers of ten that the losses span; 0 where none can be shown."""
    values = [each for line in lines if line.get("yaxis") != "y2" for each in line["y"] if each]
    return math.log10(max(values)) - math.log10(min(values)) if values else 0.0


def _difference(first: Training, second: Training) -> tuple[float, ...]:
    """Return the distance of two curves at each epoch; empty where there is none at all."""
    between = tuple(abs(a - b) for a, b in zip(first.losses, second.losses, strict=True))
    return between if any(between) else ()


def _line(
    values: Sequence[float],
    name: str,
    ink: str,
    line: Mapping[str, Any],
    labels: Labels,
    *,
    is_earlier: bool = False,
) -> dict[str, Any]:
    """Draw a curve from the first epoch on; what a logarithm cannot show is a gap."""
    said = f"{name} ({labels['earlier']})" if is_earlier else name
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": said,
        "x": list(range(1, len(values) + 1)),
        "y": [each if math.isfinite(each) and each > 0 else None for each in values],
        "line": {"color": ink, **line},
        "marker": {"size": 4, "color": ink},
        "opacity": GHOST if is_earlier else 1,
        "hovertemplate": f"{labels['epoch']} %{{x}}: %{{y:.4g}}<extra>{said}</extra>",
    }


def _layout(
    palette: Palette, labels: Labels, epochs: int, decades: float, *, has_second: bool
) -> dict[str, Any]:
    """Return axes with numbers: the loss with 1, 2 and 5 times the powers of ten.

    A loss over many decades has powers of ten alone, and as few as have room.
    The margins are fixed: plotly measures labels for automatic ones, and for a title with a
    standoff, and has none to measure where the chart is not shown yet.
    """
    axis = {
        "gridcolor": palette.line,
        "linecolor": palette.muted,
        "zeroline": False,
        "fixedrange": True,
        "tickfont": {"size": 13, "color": palette.muted},
    }
    return {
        "height": HEIGHT,
        "autosize": True,
        "template": {},
        "margin": {"l": 72, "r": 72 if has_second else 12, "t": 8, "b": 50},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": palette.ink, "size": 14, "family": FONT},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": palette.paper, "bordercolor": palette.muted},
        "xaxis": {
            **axis,
            "title": _title(labels["epoch"]),
            "range": [0.5, epochs + 0.5],
            "dtick": max(1, math.ceil(epochs / 10)),
            "tick0": 1,
        },
        "yaxis": {
            **axis,
            "type": "log",
            **_ticks(decades),
            "title": _title(labels["loss"]),
        },
    }


def _ticks(decades: float) -> dict[str, Any]:
    """Return the ticks of a logarithmic axis."""
    if decades <= MAX_DECADES:
        return {"dtick": "D2", "tickformat": "~g"}
    return {"dtick": math.ceil(decades / MAX_POWERS), "exponentformat": "power"}


def _title(words: str) -> dict[str, Any]:
    return {"text": words, "font": {"size": 14}}


def _second(palette: Palette, title: str, **more: Any) -> dict[str, Any]:
    """Return the axis at the right."""
    return {
        "overlaying": "y",
        "side": "right",
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "tickfont": {"size": 13, "color": palette.muted},
        "title": _title(title),
        **more,
    }
