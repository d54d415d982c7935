"""What the pictures show: every number, key, device and curve in its place."""

import math

import pytest

from playground import catalog
from playground.lessons.save_and_load import figures
from playground.lessons.save_and_load.figures.keys import MOST_DRAWN
from playground.lessons.save_and_load.figures.storage import MOST_MARKS
from playground.lessons.save_and_load.records import (
    CompareKeys,
    Copying,
    LeftOut,
    LoadElsewhere,
    MapLocation,
    Optimizer,
    Other,
    Own,
    Part,
    Place,
    RestoreModel,
    ResumeTraining,
    RoundTrip,
    SaveInto,
    SaveView,
    Source,
    Thing,
)
from playground.modules.spec.starts import STARTS
from playground.palette import DARK, LIGHT, Words
from tests.answers import answer_once as answer
from tests.turns import in_turn

PALETTES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


@pytest.fixture(params=list(catalog.Language))
def words(request):
    labels = catalog.lesson("save_and_load").labels
    return Words({name: text.said(request.param) for name, text in labels.items()})


def traces(figure):
    return {trace.name: trace for trace in figure.data}


def annotations(figure):
    return [each.text for each in figure.layout.annotations]


@PALETTES
@in_turn("thing", Thing)
def test_every_tensor_goes_into_its_record_and_back(thing, palette, words):
    report = answer(RoundTrip(thing=thing, is_changed=True, length=6))
    figure = figures.trip(report, palette, words)

    drawn = traces(figure)
    records = {piece.record for piece in report.pieces}
    assert records <= drawn.keys()
    assert len(drawn) == len(records) + 2 * len(report.pieces)
    assert len([each for each in figure.layout.annotations if each.showarrow]) == 2 * len(
        report.pieces
    )
    assert drawn["0 x"].text[0] == "9 1 2 3 …"
    first = report.pieces[0].loaded_name
    assert drawn[f"0 {first}"].text[0] == "0 1 2 3 …"
    assert drawn[f"0 {first}"].textfont.color == palette.trouble  # it differs from memory
    assert {"48 B"} <= set(annotations(figure))  # six numbers of eight bytes


@PALETTES
@pytest.mark.parametrize(("own", "mark"), [(Own.MLP, "✓"), (Own.DROPOUT, "✗")])
def test_equal_outputs_are_marked(own, mark, palette, words):
    report = answer(RestoreModel(own=own, evaluates=False))
    figure = figures.outputs(report, palette, words)

    drawn = traces(figure)
    assert len(drawn) == 2 * 2 * 5
    clones = [trace.text[0] for name, trace in drawn.items() if name.startswith("Y_clone")]
    assert all(text.startswith(mark) for text in clones)
    number = float(drawn["Y[1, 2]"].text[0].replace("−", "-"))
    assert number == pytest.approx(report.output[1][2], abs=5e-4)
    assert repr(report.cloned_output[0][1]) in drawn["Y_clone[0, 1]"].hovertext[0]


def test_one_number_is_drawn_as_well(words):
    report = answer(RestoreModel(own=Own.FIXED))
    drawn = traces(figures.outputs(report, LIGHT, words))

    assert set(drawn) == {"Y[0, 0]", "Y_clone[0, 0]"}


@PALETTES
@pytest.mark.parametrize("is_swapped", [False, True])
def test_keys_are_joined_where_both_sides_have_them(is_swapped, palette, words):
    report = answer(CompareKeys(other=Other.MORE, is_swapped=is_swapped))
    figure = figures.keys(report, palette, words)

    lines = [shape for shape in figure.layout.shapes if shape.type == "line"]
    assert len(lines) == report.counts.fits == 4
    assert {line.line.dash for line in lines} == {"solid"}
    drawn = traces(figure)
    side, empty = ("file", "network") if is_swapped else ("network", "file")
    assert drawn[f"{side} 3.weight"].text[0] == "3.weight"
    assert drawn[f"{empty} 3.weight"].text[0] == "—"
    assert annotations(figure).count("<b>✓</b>") == 4
    assert annotations(figure).count("<b>✗</b>") == 2


def test_keys_of_another_size_come_first(words):
    report = answer(CompareKeys(other=Other.OUTPUTS))
    figure = figures.keys(report, LIGHT, words)

    assert [trace.name for trace in figure.data][:2] == ["file 2.weight", "network 2.weight"]
    assert annotations(figure).count("<b>≠</b>") == 2


def test_of_many_keys_some_are_drawn(words):
    report = answer(CompareKeys(network=STARTS["transformer"].to_json(), other=Other.SAME))
    figure = figures.keys(report, LIGHT, words)

    assert len(figure.data) == 2 * MOST_DRAWN
    assert words["more_keys"].format(count=len(report.rows) - MOST_DRAWN) in annotations(figure)


@PALETTES
@pytest.mark.parametrize("left_out", [LeftOut.OPTIMIZER, LeftOut.NOTHING])
def test_the_curves_are_the_losses(left_out, palette, words):
    report = answer(ResumeTraining(left_out=left_out, before=4, after=6))
    figure = figures.curves(report, palette, words)

    drawn = traces(figure)
    whole, resumed = drawn[words["uninterrupted"]], drawn[words["resumed"]]
    assert list(whole.x) == list(range(1, 11))
    assert list(whole.y) == pytest.approx([math.log10(each) for each in report.uninterrupted])
    assert list(resumed.x) == list(range(4, 11))
    assert list(resumed.y) == list(whole.y)[3:]  # they coincide
    if left_out is LeftOut.NOTHING:
        assert len(drawn) == 2
    else:
        without = drawn[words["without_it"]]
        assert list(without.y)[1:] == pytest.approx([math.log10(each) for each in report.without])
        assert list(without.y) != list(resumed.y)
    assert figure.layout.shapes[0].x0 == 4
    assert words["checkpoint"] in annotations(figure)


def test_few_epochs_are_marked_with_whole_numbers(words):
    few, many = (answer(ResumeTraining(before=each, after=each)) for each in (1, 6))

    assert figures.curves(few, LIGHT, words).layout.xaxis.dtick == 1
    assert figures.curves(many, LIGHT, words).layout.xaxis.dtick is None
    for report in (few, many):
        marks = figures.curves(report, LIGHT, words).layout.yaxis.tickvals
        assert len([mark for mark in marks if _within(mark, report.uninterrupted)]) > 1


def _within(mark, losses):
    """Whether a mark stands near the losses; one says nothing of their scale."""
    heights = [math.log10(each) for each in losses]
    return min(heights) - 0.1 <= mark <= max(heights) + 0.1


@PALETTES
@pytest.mark.parametrize("gpus", [0, 1, 4])
def test_the_file_leaves_one_device_and_comes_to_another(gpus, palette, words):
    report = answer(LoadElsewhere(source=Source.SECOND_GPU, gpus=gpus))
    figure = figures.machines(report, palette, words)

    drawn = traces(figure)
    loaded = [name for name in drawn if name.startswith("loaded ")]
    assert len(loaded) == 1 + gpus
    assert drawn["saved cuda:1"].text[0] == "<b>cuda:1</b>"
    arrows = [each for each in figure.layout.annotations if each.showarrow]
    if gpus < 2:
        assert len(arrows) == 1
        assert "<b>✗</b>" in annotations(figure)
    else:
        assert len(arrows) == 2
        assert drawn["loaded cuda:1"].text[0] == "<b>cuda:1</b>"
        assert arrows[1].arrowcolor == palette.device("cuda:1").fill
    dotted = [shape for shape in figure.layout.shapes if shape.line.dash == "dot"]
    assert len(dotted) == 2 + gpus  # simulated


@PALETTES
def test_bars_are_as_long_as_the_files_are_large(palette, words):
    report = answer(SaveView(part=Part.EVERY_THOUSANDTH, length=100_000))
    figure = figures.storage(report, palette, words)

    bars = [shape for shape in figure.layout.shapes if shape.x1 - shape.x0 > 0.05]
    assert [bar.x1 for bar in bars] == pytest.approx([report.big_bytes / report.file_bytes, 1])
    marks = [shape for shape in figure.layout.shapes if shape.fillcolor == palette.ink]
    assert len(marks) == MOST_MARKS  # of a hundred numbers
    assert bars[1].line.color == palette.trouble


def test_a_copy_marks_nothing_in_the_storage(words):
    report = answer(SaveView(copying=Copying.CLONE, length=1000))
    figure = figures.storage(report, LIGHT, words)

    assert len(figure.layout.shapes) == 3
    assert figure.layout.shapes[1].line.color == LIGHT.success


ASKED = [
    *(RoundTrip(thing=thing, is_changed=changed) for thing in Thing for changed in (False, True)),
    *(SaveInto(place=place) for place in Place),
    *(
        RestoreModel(own=own, loads=loads, evaluates=False)
        for own in Own
        for loads in (True, False)
    ),
    RestoreModel(),
    *(CompareKeys(other=other, is_strict=strict) for other in Other for strict in (True, False)),
    *(
        ResumeTraining(optimizer=optimizer, left_out=left_out, before=2, after=2)
        for optimizer, left_out in (
            *((Optimizer.ADAM, each) for each in LeftOut),
            (Optimizer.SGD, LeftOut.OPTIMIZER),
        )
    ),
    *(
        LoadElsewhere(source=source, gpus=gpus, map_location=way)
        for source, gpus, way in (
            (Source.FIRST_GPU, 0, MapLocation.LEFT_OUT),
            (Source.SECOND_GPU, 0, MapLocation.BY_NAME),
            (Source.SECOND_GPU, 1, MapLocation.LEFT_OUT),
            (Source.FIRST_GPU, 1, MapLocation.LEFT_OUT),
            (Source.FIRST_GPU, 0, MapLocation.CPU),
            (Source.CPU, 0, MapLocation.LEFT_OUT),
        )
    ),
    *(SaveView(part=part, copying=way, length=1000) for part in Part for way in Copying),
]
DRAWN = {
    RoundTrip: "trip",
    RestoreModel: "outputs",
    CompareKeys: "keys",
    ResumeTraining: "curves",
    LoadElsewhere: "machines",
    SaveView: "storage",
}


def test_every_explanation_and_every_text_for_a_picture_can_be_filled():
    lesson = catalog.lesson("save_and_load")
    told = set()
    for settings in ASKED:
        report = answer(settings)
        told.add(report.why)
        for language in catalog.Language:
            text = lesson.whys[report.why].filled(language, **report.mentions)
            if type(settings) in DRAWN:
                text += lesson.alts[DRAWN[type(settings)]].filled(language, **report.pictured)
            assert "None" not in text
        assert report.facts.keys() <= lesson.labels.keys()
        for columns, _ in report.tables(dict.fromkeys(lesson.labels, "")):
            assert set(columns) <= lesson.labels.keys()
    assert told <= lesson.whys.keys()
