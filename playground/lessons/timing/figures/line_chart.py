"""Lines on logarithmic axes: grid, ticks and labels that stay readable at 360 px."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from playground.palette import Palette
from playground.sketch import MONOSPACE, Sketch, Span

HEIGHT = 320
LEFT, ENDS = 54, 34
MARGIN = {"l": LEFT, "r": 6, "t": ENDS, "b": ENDS}
LABEL_HEIGHT = 14
MOST_LABELS = 16


class LineChart:
    """A chart that is filled line by line and then given away by ``spec``.

    Args:
        palette: The colours of the theme.
        x: The smallest and the largest value on the x axis.
        y: The same for the y axis; it is widened to whole decades.
        x_ticks: Which values of x are written.
        write_x: How.
        write_y: How the decades of the y axis are written.
        title: What the axes mean, above the chart.
        label_room: Room for the names of lines right of the last point, in widths of the rest.
    """

    def __init__(
        self,
        palette: Palette,
        *,
        x: Span,
        y: Span,
        x_ticks: Sequence[int],
        write_x: Callable[[int], str],
        write_y: Callable[[float], str],
        title: str,
        label_room: float,
    ) -> None:
        self._palette = palette
        self._left = math.log2(x[0])
        self._last = math.log2(x[1]) if x[1] > x[0] else self._left + 1
        self._right = self._last + (self._last - self._left) * label_room
        self._low = math.floor(math.log10(y[0]))
        self._high = max(math.ceil(math.log10(y[1])), self._low + 1)
        self._labels: list[tuple[float, float, str, str]] = []
        pad = (self._last - self._left) * 0.03
        self._sketch = Sketch(
            palette,
            height=HEIGHT,
            across=(self._left - pad, self._right),
            upwards=(self._low, self._high),
            font={"size": 12},
            hover_font={"family": MONOSPACE, "size": 12},
        )
        self._draw_grid(x_ticks, write_x, write_y, title)

    def _draw_grid(
        self,
        x_ticks: Sequence[int],
        write_x: Callable[[int], str],
        write_y: Callable[[float], str],
        title: str,
    ) -> None:
        muted = {"color": self._palette.muted, "size": 11}
        for decade in range(self._low, self._high + 1):
            self._sketch.add_shape(
                type="line",
                xref="paper",
                x0=0,
                x1=1,
                y0=decade,
                y1=decade,
                line={"color": self._palette.line, "width": 1},
                layer="below",
            )
            self._sketch.add_annotation(
                xref="paper",
                x=0,
                xshift=-6,
                y=decade,
                xanchor="right",
                text=write_y(10.0**decade),
                font=muted,
            )
        for value in x_ticks:
            self._sketch.add_annotation(
                x=math.log2(value),
                y=self._low,
                yanchor="top",
                yshift=-6,
                text=write_x(value),
                font=muted,
            )
        self._sketch.add_annotation(
            xref="paper",
            x=0,
            xshift=-LEFT,
            xanchor="left",
            yref="paper",
            y=1,
            yshift=10,
            yanchor="bottom",
            text=title,
            font={"color": self._palette.muted, "size": 12},
        )

    def add_line(
        self,
        points: Sequence[tuple[float, float]],
        *,
        name: str,
        label: str,
        colour: str,
        text_colour: str,
        dash: str,
        told: Sequence[str],
    ) -> None:
        """Add a line with a mark at each point and its label at its end.

        Args:
            points: x and y.
            name: Of the line, for tests and screen readers.
            label: At its end; empty for none.
            colour: Of the line.
            text_colour: Of its label.
            dash: ``"solid"``, ``"dash"`` or ``"dot"``.
            told: What each point says on hover.
        """
        self._sketch.add_scatter(
            x=[math.log2(x) for x, _ in points],
            y=[math.log10(y) for _, y in points],
            name=name,
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": dash},
            marker={"color": colour, "size": 6},
            text=list(told),
            hovertemplate="%{text}<extra></extra>",
        )
        if label:
            x, y = points[-1]
            self._labels.append((math.log2(x), math.log10(y), label, text_colour))

    def add_crossing(self, x: float, y: float, *, name: str, label: str) -> None:
        """Mark the place where two lines cross."""
        across = math.log2(x)
        ink = self._palette.ink
        self._sketch.add_shape(
            type="line",
            x0=across,
            x1=across,
            y0=self._low,
            y1=self._high,
            line={"color": self._palette.muted, "width": 1, "dash": "dot"},
            layer="below",
        )
        self._sketch.add_scatter(
            x=[across],
            y=[math.log10(y)],
            name=name,
            mode="markers",
            marker={
                "symbol": "circle-open",
                "size": 14,
                "color": ink,
                "line": {"color": ink, "width": 2},
            },
            text=[label],
            hovertemplate="%{text}<extra></extra>",
        )

    def spec(self) -> Mapping[str, object]:
        """The whole figure, as plotly takes it."""
        step = (self._high - self._low) * LABEL_HEIGHT / (HEIGHT - 2 * ENDS)
        latest = -math.inf
        for x, y, text, colour in sorted(self._labels[:MOST_LABELS], key=lambda label: label[1]):
            latest = max(y, latest + step)
            self._sketch.add_annotation(
                x=x,
                xshift=8,
                y=latest,
                xanchor="left",
                text=text,
                font={"color": colour, "size": 11},
            )
        spec = self._sketch.spec()
        return {
            **spec,
            "layout": {**cast("Mapping[str, object]", spec["layout"]), "margin": MARGIN},
        }
