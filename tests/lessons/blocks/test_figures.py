"""The pictures of the lesson say what the reports say."""

import pytest

from playground import catalog
from playground.catalog import Language
from playground.lessons.blocks import figures
from playground.lessons.blocks.records import (
    Call,
    CallSequential,
    CheckDuties,
    CompareWithSequential,
    Container,
    Copying,
    CountLoops,
    DutyBlock,
    Infinite,
    MoveConstant,
    NestBlocks,
    Piece,
    TrainShared,
    UseMySequential,
)
from playground.palette import DARK, LIGHT, Words
from tests.answers import answer_once as answer
from tests.turns import in_turn

THEMES = pytest.mark.parametrize("palette", [LIGHT, DARK])


def words(language=Language.EN):
    texts = catalog.lesson("blocks").labels
    return Words({name: text.said(language) for name, text in texts.items()})


def traces(figure, name):
    return [trace for trace in figure.data if trace.name == name]


def written(figure):
    return " ".join(str(each.text) for each in figure.layout.annotations)


@THEMES
@pytest.mark.parametrize("call", Call)
def test_the_flow_has_a_full_dot_for_every_hook_that_ran(call, palette):
    figure = figures.flow(answer(CallSequential(call=call)), palette, words())

    assert len(traces(figure, "hook")) == (4 if call == Call.NET else 3)
    assert len(traces(figure, "no hook")) == (0 if call == Call.NET else 1)
    assert "✗" not in written(figure)


def test_a_bar_of_the_flow_is_as_wide_as_its_features():
    figure = figures.flow(answer(CallSequential()), LIGHT, words())

    widths = {
        name: max(bar.x) - min(bar.x) for name in ("X", "0", "2") for bar in traces(figure, name)
    }
    assert widths["0"] / widths["X"] == pytest.approx(256 / 20)
    assert widths["X"] / widths["2"] == pytest.approx(2)


def test_the_flow_stops_at_the_layer_that_refused():
    figure = figures.flow(answer(CallSequential(width=3)), LIGHT, words())

    assert written(figure).count("✗") == 1
    assert traces(figure, "0") == []


@THEMES
def test_the_dots_of_equal_networks_lie_in_their_rings(palette):
    equal = figures.outputs(answer(CompareWithSequential(copying=Copying.LAYERS)), palette, words())
    other = figures.outputs(answer(CompareWithSequential()), palette, words())

    for figure, is_equal in ((equal, True), (other, False)):
        (rings,), (dots,) = traces(figure, "nn.Sequential"), traces(figure, "MLP")
        assert len(rings.x) == 10
        assert (tuple(rings.y) == tuple(dots.y)) is is_equal


@THEMES
def test_what_is_not_registered_hangs_on_a_dotted_line(palette):
    hidden = figures.tree(answer(UseMySequential()), palette, words())
    known = figures.tree(answer(UseMySequential(container=Container.MODULES)), palette, words())

    assert sum(trace.line.dash == "dot" for trace in hidden.data if trace.mode == "lines") == 8
    assert sum(trace.line.dash == "dot" for trace in known.data if trace.mode == "lines") == 0
    assert words()["not_registered"] in written(hidden)


@THEMES
def test_a_tensor_of_the_tree_has_the_colour_of_its_device(palette):
    figure = figures.tree(answer(MoveConstant()), palette, words())

    (constant,), (weight,) = traces(figure, "rand_weight"), traces(figure, "weight")
    assert constant.marker.color == palette.device("cpu").fill
    assert weight.marker.color == palette.device("cuda:0").fill


def test_the_module_that_refused_is_marked_in_the_tree():
    figure = figures.tree(answer(NestBlocks(first=Piece.LINEAR)), LIGHT, words())

    assert written(figure).count("✗") == 1


@THEMES
def test_the_loop_has_a_dot_for_every_scale_and_a_ring_for_the_chosen_one(palette):
    report = answer(CountLoops(exponent=20))
    figure = figures.loops(report, palette, words())

    (rounds,), (endless,), (chosen,) = (
        traces(figure, name) for name in ("rounds", "endless", "chosen")
    )
    assert len(rounds.x) + len(endless.x) == len(report.curve)
    assert (chosen.x[0], chosen.y[0]) in list(zip(rounds.x, rounds.y, strict=True))


@pytest.mark.parametrize(("infinite", "text"), [(Infinite.INPUT, []), (Infinite.CONSTANT, ["∞"])])
def test_a_loop_without_end_is_at_the_upper_edge(infinite, text):
    figure = figures.loops(answer(CountLoops(infinite=infinite)), LIGHT, words())

    assert [trace.text[0] for trace in traces(figure, "chosen")] == text
    levels = [y for trace in traces(figure, "rounds") for y in trace.y]
    assert all(trace.y[0] > max(levels) for trace in traces(figure, "chosen"))


@THEMES
def test_the_shares_end_where_the_gradient_is(palette):
    report = answer(TrainShared())
    figure = figures.shares(report, palette, words())

    for index, second in enumerate(traces(figure, "second")):
        (mark,) = traces(figure, f"bias[{index}]")
        assert second.x[1] == pytest.approx(mark.x[0], abs=1e-5)


@THEMES
@in_turn("block", DutyBlock)
def test_slopes_that_differ_are_crosses_off_the_diagonal(block, palette):
    report = answer(CheckDuties(block=block))
    figure = figures.slopes(report, palette, words())

    counts = {
        name: len(trace.x)
        for name in ("input", "parameters", "off")
        for trace in traces(figure, name)
    }
    assert sum(counts.values()) == len(report.slopes)
    assert (counts["off"] > 0) == (block == DutyBlock.WITH_DATA)


@pytest.mark.parametrize("language", Language)
def test_every_picture_can_be_written_in_both_languages(language):
    said = words(language)
    for draw, settings in (
        (figures.flow, CallSequential()),
        (figures.outputs, CompareWithSequential()),
        (figures.tree, UseMySequential()),
        (figures.loops, CountLoops()),
        (figures.shares, TrainShared()),
        (figures.slopes, CheckDuties()),
    ):
        report = answer(settings)
        alt = catalog.lesson("blocks").alts[draw.__name__]
        assert draw(report, LIGHT, said).data
        assert "{" not in alt.filled(language, **report.pictured)
