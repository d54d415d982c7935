"""What the pictures show: every stop, mark, decided size and draw in its place."""

import pytest

from playground import catalog
from playground.lessons.lazy_layers import figures
from playground.lessons.lazy_layers.figures.draws import MOST_ROWS
from playground.lessons.lazy_layers.figures.timeline import MOST_ROWS as MOST_LAYERS
from playground.lessons.lazy_layers.records import (
    Action,
    Batch,
    CompareSeeds,
    FeedLazyLayer,
    LazyTimeline,
    Recipe,
    TryTooEarly,
)
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.starts import STARTS
from playground.palette import LIGHT
from tests.answers import answer_once as answer
from tests.pictures import PALETTES

LONG = Network(
    Block([Layer("Linear", {"in_features": 4, "out_features": 4}, times=12)]), InputSpec((2, 4))
).to_json()


def texts(figure):
    return {trace.name: trace.text[0] for trace in figure.data}


@PALETTES
def test_a_layer_is_dotted_until_it_has_its_shape(palette, words):
    figure = figures.timeline(answer(LazyTimeline()), palette, words)

    assert texts(figure) == {
        "0 constructed": "?",
        "0 moved": "?",
        "0 first_forward": "256×20",
        "0 materialised": "256×20",
        "2 constructed": "?",
        "2 moved": "?",
        "2 first_forward": "?",
        "2 materialised": "10×256",
    }
    dashes = [shape.line.dash for shape in figure.layout.shapes]
    assert dashes == ["dot", "dot", "solid", "solid", "dot", "dot", "dot", "solid"]
    colours = [shape.line.color for shape in figure.layout.shapes[:4]]
    assert colours == [palette.cpu.fill, *[palette.device("cuda:0").fill] * 3]


def test_a_long_network_is_cut_and_says_so(words):
    figure = figures.timeline(answer(LazyTimeline(network=LONG)), LIGHT, words)

    assert len(figure.data) == 4 * MOST_LAYERS
    assert figure.layout.annotations[-1].text.startswith(f"+ {12 - MOST_LAYERS} ")


@PALETTES
def test_every_action_has_its_two_marks(palette, words):
    report = answer(TryTooEarly(action=Action.ADAGRAD))
    figure = figures.marks(report, palette, words)

    shown = texts(figure)
    assert len(shown) == 2 * len(Action)
    assert ("✗" in shown["adagrad before"], "✓" in shown["adagrad after"]) == (True, True)
    assert ("✓" in shown["sgd before"], "✗" in shown["count before"]) == (True, True)
    framed = [shape for shape in figure.layout.shapes if shape.line.color == palette.ink]
    assert len(framed) == 2


@PALETTES
def test_the_size_that_decides_is_marked_in_batch_and_weight(palette, words):
    figure = figures.decided(answer(FeedLazyLayer()), palette, words)

    shown = texts(figure)
    assert shown["batch[1]"] == shown["weight[1]"] == "<b>3</b>"
    assert sum("<b>" in text for text in shown.values()) == 2
    assert [shape.name for shape in figure.layout.shapes].count("way") == 1


def test_a_layer_that_decided_nothing_has_a_question_mark(words):
    report = answer(FeedLazyLayer(layer="LazyConv2d", dimensions=2))

    shown = texts(figures.decided(report, LIGHT, words))
    assert (shown["weight ?"], shown["bias ?"]) == ("?", "?")


@PALETTES
@pytest.mark.parametrize(("recipe", "crosses"), [(Recipe.ALL, False), (Recipe.BACKWARDS, True)])
def test_lines_cross_where_the_order_differs(recipe, crosses, palette, words):
    report = answer(CompareSeeds(recipe=recipe))
    figure = figures.draws(report, palette, words)

    ways = [shape for shape in figure.layout.shapes if shape.type == "line"]
    assert len(ways) == 4
    assert any(way.y0 != way.y1 for way in ways) == crosses
    colour = palette.trouble if crosses else palette.success
    assert {way.line.color for way in ways} == {colour}


def test_many_draws_are_cut_and_say_so(words):
    report = answer(CompareSeeds(network=LONG))
    figure = figures.draws(report, LIGHT, words)

    assert len(figure.data) == 2 * MOST_ROWS
    assert figure.layout.annotations[-1].text.startswith(f"+ {24 - MOST_ROWS} ")


def test_the_texts_that_stand_in_for_the_pictures_can_be_filled():
    alts = catalog.lesson("lazy_layers").alts
    transformer = STARTS["transformer"].to_json()
    drawn = [
        ("timeline", LazyTimeline(batch=Batch.WRONG_TYPE)),
        ("timeline", LazyTimeline(network=transformer)),
        ("marks", TryTooEarly()),
        ("decided", FeedLazyLayer()),
        ("decided", FeedLazyLayer(dimensions=1)),
        ("draws", CompareSeeds(recipe=Recipe.BATCH)),
        ("draws", CompareSeeds(network=transformer)),
    ]
    for alt, settings in drawn:
        for language in catalog.Language:
            text = alts[alt].filled(language, **answer(settings).pictured)
            assert "{" not in text
            assert "None" not in text


def test_every_reason_can_be_told():
    whys = catalog.lesson("lazy_layers").whys
    asked = [LazyTimeline(batch=batch, network=each) for batch in Batch for each in (LONG,)]
    asked += [TryTooEarly(action=action) for action in Action]
    asked += [CompareSeeds(recipe=recipe) for recipe in Recipe]
    for settings in asked:
        report = answer(settings)
        for language in catalog.Language:
            assert "{" not in whys[report.why].filled(language, **report.mentions)
