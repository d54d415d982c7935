"""What the pictures show: every measured point in its place, in the colour of its device."""

import math
from xml.etree import ElementTree

import pytest

from playground import catalog
from playground.lessons.timing import figures
from playground.lessons.timing.records import (
    CompareClocks,
    DataType,
    LogLosses,
    MatmulProgress,
    MatmulSweep,
    MeasureBandwidth,
    SplitCopy,
)
from playground.palette import LIGHT
from tests.lessons.timing.measuring import REAL, measure, stand_in_gpus
from tests.lessons.timing.test_records import FLOAT32, sweep
from tests.pictures import PALETTES

NARROWEST = 296


@pytest.fixture(scope="module")
def reports():
    with stand_in_gpus(2):
        asked = (
            MatmulSweep(machine=REAL, sizes=(4, 16), repeats=1),
            CompareClocks(machine=REAL, size=64),
            MeasureBandwidth(machine=REAL, mebibytes=1),
            SplitCopy(machine=REAL, mebibytes=1, pieces=16),
            LogLosses(machine=REAL, steps=10, width=16),
        )
        return {type(each).__name__: measure(each)[0] for each in asked}


@PALETTES
def test_every_product_is_a_point_in_its_place_and_colour(reports, palette, words):
    report = reports["MatmulSweep"]
    figure = figures.product_times(report, palette, words)

    drawn = {trace.name: trace for trace in figure.data if not trace.name.startswith("crossover")}
    assert set(drawn) == {f"{d} {t.value}" for d in report.devices for t in DataType}
    for device in report.devices:
        for dtype in DataType:
            trace, line = drawn[f"{device} {dtype.value}"], report.curve(device, dtype)
            assert trace.line.color == palette.device(device).fill
            assert list(trace.x) == pytest.approx([math.log2(point.size) for point in line])
            assert list(trace.y) == pytest.approx([math.log10(p.median_seconds) for p in line])
    low, high = figure.layout.yaxis.range
    assert all(low <= y <= high for trace in drawn.values() for y in trace.y)


def test_dtypes_are_told_apart_without_colour(reports, words):
    figure = figures.product_times(reports["MatmulSweep"], LIGHT, words)

    assert len({trace.line.dash for trace in figure.data if trace.name.startswith("cpu")}) == 3


@PALETTES
def test_the_crossover_is_marked_where_the_lines_cross(palette, words):
    cpu = {2**power: 4.0**power * 1e-9 for power in (5, 6, 8, 9)}
    gpu = dict.fromkeys(cpu, 2**14 * 1e-9)
    report = sweep({("cpu", FLOAT32): cpu, ("cuda:0", FLOAT32): gpu})
    figure = figures.product_times(report, palette, words)

    (mark,) = (trace for trace in figure.data if trace.name == "crossover cuda:0 float32")
    assert (mark.x[0], mark.y[0]) == pytest.approx((7.0, math.log10(2**14 * 1e-9)))
    assert "n ≈ 128" in mark.text[0]
    assert any(shape.x0 == shape.x1 == mark.x[0] for shape in figure.layout.shapes)


def test_labels_at_the_ends_of_lines_do_not_overlap(words):
    same = {16: 1e-5, 64: 1e-4}
    lines = {(device, dtype): same for device in ("cpu", "cuda:0") for dtype in DataType}
    figure = figures.product_times(sweep(lines), LIGHT, words)

    low, high = figure.layout.yaxis.range
    margin = figure.layout.margin
    pixels = (figure.layout.height - margin.t - margin.b) / (high - low)
    names = set(DataType)
    heights = sorted(note.y * pixels for note in figure.layout.annotations if note.text in names)
    assert len(heights) == 6
    assert all(b - a >= 11 for a, b in zip(heights, heights[1:], strict=False))


def test_a_sweep_without_points_is_drawn_as_nothing(words):
    assert len(figures.product_times(sweep({}), LIGHT, words).data) == 0


@PALETTES
def test_every_way_of_bytes_is_a_line(reports, palette, words):
    report = reports["MeasureBandwidth"]
    figure = figures.bandwidths(report, palette, words)

    assert {trace.name for trace in figure.data} == {
        f"{device} {way.value}" for device, way in report.lines
    }
    for trace, line in zip(figure.data, report.lines, strict=True):
        points = report.line(*line)
        assert trace.line.color == palette.device(line[0]).fill
        assert [10**y for y in trace.y] == pytest.approx([p.gigabytes_per_second for p in points])


@PALETTES
@pytest.mark.parametrize(
    ("name", "draw", "rows"),
    [("CompareClocks", figures.clocks, "readings"), ("SplitCopy", figures.pieces, "points")],
)
def test_every_time_is_a_mark_on_its_spread(reports, name, draw, rows, palette, words):
    report = reports[name]
    figure = draw(report, palette, words)

    times = getattr(report, rows)
    assert [10 ** trace.x[0] for trace in figure.data] == pytest.approx(
        [each.median_seconds for each in times]
    )
    assert [trace.marker.color for trace in figure.data] == [
        palette.device(each.device).fill for each in times
    ]
    spreads = [(shape.x0, shape.x1) for shape in figure.layout.shapes if shape.line.width == 7]
    assert [(10**low, 10**high) for low, high in spreads] == [
        pytest.approx((each.low_seconds, each.high_seconds)) for each in times
    ]


@PALETTES
def test_runs_are_bars_that_begin_at_nothing(reports, palette, words):
    report = reports["LogLosses"]
    figure = figures.runs(report, palette, words)

    assert [trace.x[0] for trace in figure.data] == [p.median_seconds for p in report.points]
    assert figure.layout.xaxis.range[0] == 0
    assert all(trace.base is None for trace in figure.data)


@PALETTES
def test_the_live_picture_is_one_dot_for_each_point_in_the_colour_of_its_device(palette, words):
    report = sweep({("cpu", FLOAT32): {16: 1e-6, 64: 1e-4}, ("cuda:0", FLOAT32): {16: 1e-5}})
    told = MatmulProgress(
        done=3, total=4, device="cuda:0", dtype=FLOAT32, size=64, points=report.points
    )
    drawn = ElementTree.fromstring(figures.live(told, palette, words))  # our own text

    lines = drawn.findall("{*}g")
    assert [line.get("fill") for line in lines] == [
        palette.device("cpu").fill,
        palette.device("cuda:0").fill,
    ]
    dots = [(float(d.get("cx")), float(d.get("cy"))) for d in drawn.findall(".//{*}circle")]
    assert len(dots) == 3
    assert dots[0][0] == dots[2][0] < dots[1][0]  # 16, 16, 64
    assert dots[0][1] > dots[2][1] > dots[1][1]  # the longer, the higher
    width, height = map(float, drawn.get("viewBox").split()[2:])
    assert all(0 < x < width and 0 < y < height for x, y in dots)


def test_there_is_no_live_picture_before_the_first_point(words):
    told = MatmulProgress(done=0, total=4, device="cpu", dtype=FLOAT32, size=16, points=())

    assert figures.live(told, LIGHT, words) == ""


@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("MatmulSweep", figures.product_times),
        ("CompareClocks", figures.clocks),
        ("MeasureBandwidth", figures.bandwidths),
        ("SplitCopy", figures.pieces),
        ("LogLosses", figures.runs),
    ],
)
def test_every_picture_has_its_alternative_text(reports, name, draw):
    report = reports[name]
    for language in catalog.Language:
        alt = catalog.lesson("timing").alts[draw.__name__].filled(language, **report.told)

        assert "{" not in alt
