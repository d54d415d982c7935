"""What a program has plotted, as plotly is given it."""

import pytest

from playground.lab.figures import plotted
from playground.palette import DARK, LIGHT
from playground.sandbox.figures import Figure, Series, SeriesKind


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_every_kind_of_series_is_drawn(palette):
    figure = Figure(
        series=(
            Series(kind=SeriesKind.LINE, x=(0.0, 1.0), y=(2.0, None)),
            Series(kind=SeriesKind.SCATTER, x=(0.0, 1.0), y=(2.0, 3.0)),
            Series(kind=SeriesKind.BAR, names=("a", "b"), y=(2.0, 3.0)),
            Series(kind=SeriesKind.IMAGE, y=(1.0, 2.0, 3.0, 4.0), columns=2),
        ),
        is_log_y=True,
    )

    line, points, bars, image = plotted(figure, palette).data

    assert (line.type, line.mode, tuple(line.y)) == ("scatter", "lines", (2.0, None))
    assert points.mode == "markers"
    assert tuple(bars.x) == ("a", "b")
    assert [list(row) for row in image.z] == [[1.0, 2.0], [3.0, 4.0]]


def test_a_strangers_text_is_no_markup_in_a_chart():
    evil = '<a href="https://example.org">x</a>'
    series = Series(kind=SeriesKind.BAR, label=evil, names=(evil,), y=(1.0,))
    figure = plotted(Figure(title=evil, x_label=evil, y_label=evil, series=(series,)), LIGHT)

    assert "<a" not in figure.to_json()
    assert "&lt;a" in figure.layout.title.text
