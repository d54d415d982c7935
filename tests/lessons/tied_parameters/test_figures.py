"""What the pictures show: every number, name, line and mark in its place."""

from dataclasses import replace

import pytest

from playground import catalog
from playground.lessons.tied_parameters import figures
from playground.lessons.tied_parameters.figures.names import MOST_DRAWN
from playground.lessons.tied_parameters.records import (
    Action,
    CountTied,
    Handed,
    Position,
    ShareLayer,
    Sharing,
    StepTied,
    TiedBy,
    TiedGradient,
    TieReplay,
    shared_network,
)
from playground.machines import Machine
from playground.machines.machine import MachineKind
from playground.modules.spec.starts import STARTS
from playground.palette import LIGHT
from tests.answers import answer_once as answer
from tests.pictures import PALETTES
from tests.turns import in_turn


def traces(figure):
    return {trace.name: trace for trace in figure.data}


@PALETTES
@pytest.mark.parametrize("sharing", Sharing)
@pytest.mark.parametrize("position", Position)
def test_two_places_lead_to_one_weight_or_to_two(sharing, position, palette, words):
    report = answer(ShareLayer(sharing=sharing, position=position))
    figure = figures.places(report, palette, words)

    drawn = traces(figure)
    lines = [shape for shape in figure.layout.shapes if shape.type == "line"]
    corners = {each.name: each.text for each in figure.layout.annotations if each.name}
    assert len(lines) == 2
    if sharing is Sharing.LAYER:
        assert set(drawn) == {"shared"}
        assert len({line.x1 for line in lines}) == 1  # both end at the one weight
        assert "<b>100</b>" in corners["shared"]
    else:
        assert set(drawn) == {"net[2]", "net[4]"}
        assert len({line.x1 for line in lines}) == 2
        written = f"net[{position.number}]"
        assert {name for name, text in corners.items() if "<b>100</b>" in text} == {written}
    assert drawn[next(iter(drawn))].text[9].endswith(f"[1, 1] = {report.first[1][1]:.3g}")


@PALETTES
@pytest.mark.parametrize("uses", [2, 4])
def test_every_part_and_the_sum_are_written_out(uses, palette, words):
    report = answer(TiedGradient(uses=uses))
    figure = figures.addition(report, palette, words)

    drawn = traces(figure)
    assert list(drawn) == [*(f"part {index}" for index in range(uses)), "tied"]
    for index, part in enumerate([*report.parts, report.tied]):
        numbers = [float(text.replace("−", "-")) for text in figure.data[index].text]
        assert numbers == pytest.approx([each for row in part for each in row], abs=5e-4)
    signs = [
        each.text for each in figure.layout.annotations if each.text in ("<b>+</b>", "<b>=</b>")
    ]
    assert signs == ["<b>+</b>"] * (uses - 1) + ["<b>=</b>"]


@PALETTES
@pytest.mark.parametrize("places", [1, 2, 4])
def test_names_of_one_parameter_meet_in_one_box(places, palette, words):
    report = answer(CountTied(network=shared_network(places).to_json()))
    figure = figures.ledger(report, palette, words)

    boxes = [each.name for each in figure.layout.annotations if each.name]
    assert list(traces(figure)) == [row.name for row in report.rows]
    assert len(boxes) == report.objects + report.storages
    lines = [shape for shape in figure.layout.shapes if shape.type == "line"]
    ends = {}
    for row, line in zip(report.rows, lines[::2], strict=True):
        ends.setdefault(row.object_number, set()).add(line.y1)
    assert all(len(heights) == 1 for heights in ends.values())
    tied = [line for line in lines if line.line.color == palette.accent]
    assert len(tied) == (0 if places == 1 else 2 * 2 * places)


def test_of_many_names_the_tied_ones_are_drawn(words):
    report = answer(CountTied(network=STARTS["transformer"].to_json()))
    figure = figures.ledger(report, LIGHT, words)

    assert len(figure.data) == MOST_DRAWN < len(report.rows)
    more = words["more_names"].format(count=len(report.rows) - MOST_DRAWN)
    assert figure.layout.annotations[-1].text == more


@PALETTES
@in_turn("handed", Handed)
def test_a_step_that_is_done_twice_has_two_boxes(handed, palette, words):
    report = answer(StepTied(handed=handed))
    figure = figures.steps(report, palette, words)

    assert len(figure.layout.shapes) == 1 + 2
    drawn = traces(figure)
    assert "ValueError" in drawn["two_groups"].text[0]
    assert drawn["every_name"].text[0] == f"<b>{words['single_steps'].format(times='2')}</b>"


@PALETTES
def test_every_action_has_three_marks_and_one_is_framed(palette, words):
    report = answer(TieReplay(action=Action.DEEPCOPY, tied_by=TiedBy.STORAGE))
    figure = figures.replay(report, palette, words)

    drawn = traces(figure)
    assert len(drawn) == len(Action) * len(TiedBy) == len(report.every)
    for each in report.every:
        mark = "✓" if each.still_tied else "✗"
        assert mark in drawn[f"{each.action} {each.tied_by}"].text[0]
    framed = [shape for shape in figure.layout.shapes if shape.line.color == palette.ink]
    assert len(framed) == 1


def test_what_torch_refused_is_neither_kept_nor_broken(words):
    machine = Machine(kind=MachineKind.REAL)
    settings = TieReplay(machine=machine, action=Action.TO_DEVICE, device="cuda:63")
    drawn = traces(figures.replay(answer(settings), LIGHT, words))

    assert drawn["to_device module"].text[0] == "<b>—</b> "


def test_the_texts_that_stand_in_for_the_pictures_can_be_filled():
    alts = catalog.lesson("tied_parameters").alts
    drawn = [
        ("places", ShareLayer()),
        ("addition", TiedGradient()),
        ("ledger", CountTied()),
        ("ledger", CountTied(network=STARTS["mlp"].to_json())),
        ("steps", StepTied()),
        ("replay", TieReplay()),
    ]
    for alt, settings in drawn:
        for language in catalog.Language:
            text = alts[alt].filled(language, **answer(settings).pictured)
            assert "{" not in text.replace('{"params"', "")
            assert "None" not in text


def test_every_explanation_can_be_filled():
    whys = catalog.lesson("tied_parameters").whys
    asked = [
        *(ShareLayer(sharing=sharing) for sharing in Sharing),
        TiedGradient(),
        *(CountTied(network=shared_network(places).to_json()) for places in (1, 2)),
        CountTied(network=STARTS["residual"].to_json()),
        *(StepTied(handed=handed) for handed in Handed),
    ]
    reports = [answer(each) for each in asked]
    replayed = answer(TieReplay())
    reports += [replace(replayed, action=action, tied_by=by) for action in Action for by in TiedBy]
    for report in reports:
        for language in catalog.Language:
            assert "None" not in whys[report.why].filled(language, **report.mentions)
