import re

import pytest

from playground import catalog
from playground.compute.outcome import Outcome
from playground.lessons.devices import figures
from playground.lessons.devices.records import (
    CompareMemoryFiguresReport,
    Landing,
    MemoryFigures,
    MemoryMoment,
    Moment,
    ReadGpusReport,
    TryGpuReport,
    UseCurrentDeviceReport,
    Variable,
    VisibleDevicesReport,
)
from playground.machines.hardware import Accelerator, AcceleratorKind
from playground.palette import DARK, LIGHT, Words
from playground.units import GIBIBYTE, MEBIBYTE
from tests.turns import in_turn

OK = Outcome(ok=True)
WORDS = {
    name: Words({key: text.said(name) for key, text in catalog.lesson("devices").labels.items()})
    for name in catalog.Language
}
EN = WORDS[catalog.Language.EN]


def gpus(count, *, is_simulated=True, **changed):
    listed = tuple(
        Accelerator(
            kind=AcceleratorKind.CUDA,
            device=f"cuda:{n}",
            memory_total_bytes=8 * GIBIBYTE,
            **changed,
        )
        for n in range(count)
    )
    return ReadGpusReport(
        accelerators=listed,
        chosen=listed[0] if listed else None,
        accelerator_type="cuda",
        is_simulated=is_simulated,
        driver_version=None,
    )


def request(device, requested, count=2):
    return TryGpuReport(
        requested=requested, device=device, device_count=count, is_simulated=True, insisted=OK
    )


def visible(mapping, physical=4):
    return VisibleDevicesReport(
        mapping=mapping,
        physical_gpus=physical,
        value="1",
        variable=Variable.CUDA_VISIBLE_DEVICES,
        moment=Moment.BEFORE,
    )


LANDINGS = UseCurrentDeviceReport(
    outcome=OK,
    device="cuda:1",
    is_simulated=True,
    landings=(
        Landing(code="x.cuda()", device="cuda:1", is_chosen=True),
        Landing(code="torch.ones(2)", device="cpu"),
        Landing(code='torch.ones(2, device="cuda:9")', device=None),
    ),
)
MEMORY = CompareMemoryFiguresReport(
    outcome=OK,
    figures=tuple(
        MemoryFigures(
            moment=moment,
            allocated_bytes=size,
            reserved_bytes=20 * MEBIBYTE,
            used_bytes=20 * MEBIBYTE,
        )
        for moment, size in zip(MemoryMoment, (0, 8 * MEBIBYTE, 0, 0), strict=True)
    ),
)
PICTURES = [
    (figures.machine, gpus(0)),
    (figures.machine, gpus(2)),
    (figures.machine, gpus(8)),
    (figures.request, request("cuda:1", "cuda:1")),
    (figures.request, request("cpu", "cuda:5")),
    (figures.request, request("cpu", "cuda:0", count=0)),
    (figures.visible, visible(())),
    (figures.visible, visible((3, 1))),
    (figures.visible, visible(tuple(range(8)), physical=8)),
    (figures.visible, visible((), physical=0)),
    (figures.landings, LANDINGS),
    (figures.memory, MEMORY),
    (figures.memory, CompareMemoryFiguresReport(outcome=Outcome(ok=False))),
]


def texts(figure):
    written = [trace.text[0] for trace in figure.data if trace.mode == "text"]
    return [re.sub(r"<[^>]+>", "", text) for text in written]


def traces_saying(figure, word):
    drawn = [trace for trace in figure.data if trace.mode == "lines" and trace.text]
    return [trace for trace in drawn if word in trace.text]


@in_turn("palette", [LIGHT, DARK])
@in_turn("language", catalog.Language)
@pytest.mark.parametrize(("draw", "report"), PICTURES)
def test_every_picture_is_calm_and_fits_a_phone(draw, report, palette, language):
    figure = draw(report, palette, WORDS[language])

    layout = figure.layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.title.text is None
    assert layout.width is None
    assert 0 < layout.height <= 420
    assert layout.xaxis.fixedrange
    assert layout.yaxis.fixedrange
    assert layout.showlegend is False
    assert layout.font.color == palette.ink


@in_turn(("draw", "report"), PICTURES)
def test_the_same_report_is_drawn_once_for_each_theme(draw, report):
    figure = draw(report, LIGHT, EN)

    assert draw(report, LIGHT, EN) is figure
    assert draw(report, DARK, EN) is not figure


def test_a_machine_shows_each_gpu_with_its_memory_and_the_chosen_one_strongly():
    figure = figures.machine(gpus(2), LIGHT, EN)

    assert texts(figure) == ["cpu", "cuda:0", "8.00 GiB", "cuda:1", "8.00 GiB"]
    first, second = traces_saying(figure, "cuda:0")[0], traces_saying(figure, "cuda:1")[0]
    assert first.line.width > second.line.width


@pytest.mark.parametrize(("is_simulated", "dash"), [(True, "dot"), (False, "solid")])
def test_only_simulated_gpus_have_a_dotted_outline(is_simulated, dash):
    figure = figures.machine(gpus(1, is_simulated=is_simulated), LIGHT, EN)

    assert traces_saying(figure, "cuda:0")[0].line.dash == dash
    assert traces_saying(figure, "cpu")[0].line.dash == "solid"


def test_the_fifth_gpu_repeats_a_colour_and_carries_a_pattern():
    figure = figures.machine(gpus(5), LIGHT, EN)

    first, fifth = traces_saying(figure, "cuda:0")[0], traces_saying(figure, "cuda:4")[0]
    assert fifth.line.color == first.line.color
    assert fifth.fillpattern.shape == "/"
    assert first.fillpattern.shape is None


def test_a_missing_gpu_is_drawn_as_missing_and_the_tensor_elsewhere():
    figure = figures.request(request("cpu", "cuda:5"), LIGHT, EN)

    assert texts(figure) == ["cpu", "Y", "cuda:0", "cuda:1", "cuda:5", "not there"]
    assert traces_saying(figure, "cuda:5")[0].line.color == LIGHT.trouble
    assert traces_saying(figure, "Y · cpu")


def test_visible_gpus_are_joined_with_their_new_names():
    figure = figures.visible(visible((3, 1)), LIGHT, EN)

    lines = [trace for trace in figure.data if trace.line.shape == "spline"]
    assert [line.line.color for line in lines] == [
        LIGHT.devices[0].fill,
        LIGHT.devices[1].fill,
    ]
    assert traces_saying(figure, "cuda:0 = GPU 3")
    assert traces_saying(figure, "cuda:1 = GPU 1")
    assert len(traces_saying(figure, "hidden")) == 2


def test_nothing_visible_is_said_in_words():
    assert EN["nothing-visible"] in texts(figures.visible(visible(()), LIGHT, EN))


def test_lines_of_code_stand_where_their_tensor_is():
    said = texts(figures.landings(LANDINGS, LIGHT, EN))

    assert said == [
        *("cpu", "torch.ones(2)"),
        *("cuda:1", "▸ x.cuda()"),
        *("refused", 'torch.ones(2, device="cuda:9")'),
    ]


def test_memory_bars_are_as_long_as_the_memory():
    figure = figures.memory(MEMORY, LIGHT, EN)

    allocated = traces_saying(figure, "while X lives<br>allocated")[0]
    reserved = traces_saying(figure, "while X lives<br>reserved")[0]

    def length(bar):
        return max(bar.x) - min(bar.x)

    assert length(allocated) / length(reserved) == pytest.approx(8 / 20)


def test_words_are_in_the_visitors_language():
    zh = WORDS[catalog.Language.ZH]

    assert "占用" in texts(figures.memory(MEMORY, LIGHT, zh))
    assert "used" not in texts(figures.memory(MEMORY, LIGHT, zh))


def contrast(text, paper):
    """The ratio of WCAG 2 between two colours given as (red, green, blue)."""

    def luminance(colour):
        parts = [part / 255 for part in colour]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(text), luminance(paper)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def rgb(colour):
    return tuple(int(colour[start : start + 2], 16) for start in (1, 3, 5))


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_names_can_be_read_on_their_tinted_places(palette):
    for colour in (palette.cpu, *palette.devices):
        fill, paper = rgb(colour.fill), rgb(palette.paper)
        tint = figures.drawing.TINT
        place = tuple(tint * f + (1 - tint) * p for f, p in zip(fill, paper, strict=True))
        for text in (colour.text, palette.ink):
            assert contrast(rgb(text), place) >= 4.5
