import plotly.graph_objects as go
import pytest

from playground.palette import DARK, LIGHT
from playground.sketch import Sketch


def sketch(palette=LIGHT, **changed):
    given = {"height": 90, "across": (0, 2), "upwards": (-1, 90), "font": {}, "hover_font": {}}
    return Sketch(palette, **{**given, **changed})


def test_plotly_takes_a_sketch_with_all_that_was_added():
    drawn = sketch()
    drawn.add_scatter(x=[0, 1], y=[2, 3], mode="lines")
    drawn.add_bar(x=[4], y=[5], orientation="h")
    drawn.add_annotation(x=0, y=1, text="cpu")
    drawn.add_shape(type="rect", x0=0, x1=1, y0=0, y1=1)

    figure = go.Figure(drawn.spec())

    assert [type(trace) for trace in figure.data] == [go.Scatter, go.Bar]
    assert figure.data[0].x == (0, 1)
    assert [note.text for note in figure.layout.annotations] == ["cpu"]
    assert figure.layout.annotations[0].showarrow is False
    assert [shape.type for shape in figure.layout.shapes] == ["rect"]


def test_plotly_still_refuses_what_it_does_not_know():
    drawn = sketch()
    drawn.add_scatter(colour="red")

    with pytest.raises(ValueError, match="colour"):
        go.Figure(drawn.spec())


def test_axes_are_ranges_that_nobody_can_move():
    layout = go.Figure(sketch().spec()).layout

    assert layout.xaxis.range == (0, 2)
    assert layout.yaxis.range == (-1, 90)
    assert layout.xaxis.fixedrange is layout.yaxis.fixedrange is True
    assert layout.xaxis.visible is layout.yaxis.visible is False
    assert layout.dragmode is False


def test_margins_are_for_the_sides_and_for_above_and_below():
    margin = go.Figure(sketch(margin=(1, 4)).spec()).layout.margin

    assert (margin.l, margin.r, margin.t, margin.b) == (1, 1, 4, 4)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_hover_labels_have_the_colours_of_the_theme(palette):
    fonts = {"font": {"size": 11}, "hover_font": {"family": "monospace"}}
    layout = go.Figure(sketch(palette, **fonts).spec()).layout

    assert (layout.font.color, layout.font.size) == (palette.ink, 11)
    assert layout.hoverlabel.bgcolor == palette.paper
    assert layout.hoverlabel.font.color == palette.ink
    assert layout.hoverlabel.font.family == "monospace"


def test_a_figure_does_not_carry_plotlys_own_theme():
    assert "colorway" not in go.Figure(sketch().spec()).to_json()


def test_what_is_drawn_on_one_sketch_is_not_on_the_next():
    sketch().add_scatter(x=[0], y=[0])

    assert not go.Figure(sketch().spec()).data
