"""What the pictures show: which device, which tensor where, in colours that can be read."""

import itertools
import re

import pytest

from playground.compute.outcome import Outcome
from playground.lessons.tensors import figures
from playground.lessons.tensors.figures import canvas, places
from playground.lessons.tensors.records import (
    AddAcrossDevices,
    ComputeOnDevice,
    ConvertToNumpy,
    CreateTensor,
    DeviceMemory,
    Edit,
    FillMemory,
    FillMemoryReport,
    FixAcrossDevices,
    MeasureTensor,
    Meeting,
    MoveAndConvert,
    MoveTensor,
    NumpyChain,
    Operation,
    PrintTensor,
    Remedy,
    Resident,
    Scene,
)
from playground.machines import Machine, device_names
from playground.palette import DARK, LIGHT
from playground.units import format_bytes
from tests.answers import answer_once as report_of
from tests.pictures import PALETTES
from tests.turns import in_turn

READABLE = 4.5  # WCAG 2.2, success criterion 1.4.3


def tensors_in(figure):
    """Name and device of every tensor that is drawn, by the label in its square."""
    named = (trace.name for trace in figure.data if trace.mode == "markers+text")
    return dict(name.split(" @ ") for name in named if " @ " in name)


def luminance(colour):
    parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def washed(colour, paper, strength):
    """The colour that a thin wash leaves on paper."""
    mixed = (
        round(
            int(colour[start : start + 2], 16) * strength
            + int(paper[start : start + 2], 16) * (1 - strength)
        )
        for start in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02X}" for part in mixed)


# the device map


def test_every_device_is_a_place_and_simulated_gpus_are_dotted(words):
    figure = figures.device_map(report_of(AddAcrossDevices()), LIGHT, words)

    dashes = {trace.name: trace.line.dash for trace in figure.data if trace.fill == "toself"}
    assert dashes == {"cpu": "solid", "cuda:0": "dot", "cuda:1": "dot"}


def test_real_gpus_are_not_dotted(words):
    scene = Scene(devices=device_names(2), is_simulated=False)
    figure = figures.device_map(type("Drawn", (), {"scene": scene}), LIGHT, words)

    assert {trace.line.dash for trace in figure.data} == {"solid"}


@in_turn(
    ("settings", "where"),
    [
        (AddAcrossDevices(), {"X": "cuda:0", "Y": "cpu"}),
        (AddAcrossDevices(right="cuda:0"), {"X": "cuda:0", "Y": "cuda:0", "Z": "cuda:0"}),
        (
            AddAcrossDevices(operation=Operation.LINEAR, right="cuda:1"),
            {"X": "cuda:0", "Y": "cuda:1", "b": "cuda:1"},
        ),
        (
            FixAcrossDevices(remedy=Remedy.MOVE_BOTH, target="cuda:1"),
            {"X": "cuda:0", "Y": "cpu", "X′": "cuda:1", "Y′": "cuda:1", "Z": "cuda:1"},
        ),
        (PrintTensor(), {"x": "cpu", "y": "cuda:0"}),
        (CreateTensor(device="cuda:1"), {"x": "cpu", "y": "cuda:1"}),
        (MoveTensor(target="cpu"), {"x, y": "cpu"}),
        (MoveAndConvert(), {"x": "cpu", "other": "cuda:0", "y": "cuda:0"}),
        (ComputeOnDevice(device="cuda:1"), {"x": "cuda:1", "y": "cuda:1"}),
    ],
)
def test_every_tensor_is_drawn_in_its_place(settings, where, words):
    report = report_of(settings)
    figure = figures.device_map(report, LIGHT, words)

    assert tensors_in(figure) == where
    layout = places.lay_out(report.scene)
    for label, device in where.items():
        box, (x, y) = layout.boxes[device], layout.tiles[label]
        assert box.left < x < box.right
        assert box.bottom < y < box.top


@PALETTES
@pytest.mark.parametrize(
    ("right", "sign", "colour"), [("cpu", "✗", "trouble"), ("cuda:0", "✓", "success")]
)
def test_the_node_says_whether_it_works(right, sign, colour, palette, words):
    figure = figures.device_map(report_of(AddAcrossDevices(right=right)), palette, words)

    (node,) = (trace for trace in figure.data if trace.marker.symbol == "circle")
    assert sign in node.text[0]
    assert node.marker.color == getattr(palette, colour)
    assert node.textfont.color == palette.paper
    assert "X + Y" in [note.text for note in figure.layout.annotations]


def test_lines_join_the_inputs_to_the_node_and_the_node_to_the_result(words):
    figure = figures.device_map(report_of(AddAcrossDevices(right="cuda:0")), LIGHT, words)

    lines = {trace.name for trace in figure.data if trace.mode == "lines" and trace.fill is None}
    assert lines == {"X → X + Y", "Y → X + Y", "X + Y → Z"}


def test_a_refused_operation_leads_nowhere(words):
    figure = figures.device_map(report_of(AddAcrossDevices()), LIGHT, words)

    assert not [trace for trace in figure.data if (trace.name or "").endswith("→ Z")]


def test_a_tensor_tells_shape_dtype_bytes_and_values_on_hover(words):
    figure = figures.device_map(report_of(AddAcrossDevices()), LIGHT, words)

    (x,) = (trace for trace in figure.data if trace.name == "X @ cuda:0")
    told = x.hovertemplate
    assert f"{words['shape']}: (2, 2)" in told
    assert f"{words['dtype']}: float32" in told
    assert f"{words['size_bytes']}: 16" in told
    assert f"{words['values']}: [[1.0, 2.0], [3.0, 4.0]]" in told


@pytest.mark.parametrize("gpus", range(9))
def test_places_never_overlap_and_stay_on_the_canvas(gpus):
    layout = places.lay_out(Scene(devices=device_names(gpus), is_simulated=True))

    boxes = list(layout.boxes.values())
    assert len(boxes) == gpus + 1
    assert layout.columns <= 3
    for box in boxes:
        assert 0 <= box.left < box.right <= 1
        assert 0 <= box.bottom < box.top <= layout.height
    for one, other in itertools.combinations(boxes, 2):
        is_beside = one.right < other.left or other.right < one.left
        is_above = one.bottom > other.top or other.bottom > one.top
        assert is_beside or is_above


@pytest.mark.parametrize("gpus", range(1, 9))
def test_a_line_crosses_no_place_but_its_own(gpus):
    devices = device_names(gpus)
    for start, target in itertools.permutations(devices, 2):
        scene = Scene(
            devices=devices,
            is_simulated=True,
            residents=(resident("X", start), resident("Y", target), resident("b", target)),
            meeting=Meeting(formula="F.linear(X, Y, b)", inputs=("X", "Y", "b"), works=False),
        )
        layout = places.lay_out(scene)
        for lane, each in enumerate(scene.residents):
            for device, box in layout.boxes.items():
                if device != each.device:
                    assert not any(
                        box.left < x < box.right and box.bottom < y < box.top
                        for x, y in layout.way(each, lane)
                    )


def resident(label, device):
    return Resident(
        label=label, device=device, shape=(1,), dtype="float32", size_bytes=4, values="[1.0]"
    )


@pytest.mark.parametrize(("operation", "count"), [(Operation.ADD, 3), (Operation.LINEAR, 4)])
def test_tensors_stand_apart_on_a_phone(operation, count):
    scene = report_of(AddAcrossDevices(operation=operation, right="cuda:0")).scene
    layout = places.lay_out(scene)

    xs = sorted(x * canvas.NARROWEST for x, _ in layout.tiles.values())
    assert len(xs) == count
    size = layout.tile_size("cuda:0")
    assert all(right - left > size + 1 for left, right in itertools.pairwise(xs))


def test_a_formula_stays_on_a_phone():
    for operation in Operation:
        report = report_of(
            FixAcrossDevices(operation=operation, remedy=Remedy.MOVE_BOTH, target="cuda:1")
        )
        layout = places.lay_out(report.scene)
        half = len(report.scene.formula) * places.CHARACTER / 2
        middle = layout.node[0] * canvas.NARROWEST
        assert half <= middle <= canvas.NARROWEST - half


def test_gpus_whose_colour_repeats_carry_a_pattern(words):
    report = report_of(PrintTensor(machine=Machine(gpus=8)))
    figure = figures.device_map(report, LIGHT, words)

    patterned = [trace.name for trace in figure.data if trace.fillpattern.shape]
    assert patterned == ["cuda:4", "cuda:5", "cuda:6", "cuda:7"]


@PALETTES
def test_a_device_has_its_colour(palette, words):
    figure = figures.device_map(report_of(AddAcrossDevices()), palette, words)

    for trace in figure.data:
        name, _, device = (trace.name or "").partition(" @ ")
        if device:
            assert trace.marker.color == palette.device(device).fill
            assert trace.textfont.color == palette.device(device).on_fill


@PALETTES
def test_text_in_figures_can_be_read(palette):
    pairs = [(palette.paper, palette.success), (palette.paper, palette.trouble)]
    pairs += [(palette.ink, palette.paper), (palette.muted, palette.paper)]
    for device in device_names(4):
        colour = palette.device(device)
        pairs.append((colour.on_fill, colour.fill))
        pairs.append((colour.text, palette.paper))
        pairs.append((colour.text, washed(colour.fill, palette.paper, 0.08)))

    too_faint = [pair for pair in pairs if contrast(*pair) < READABLE]
    assert not too_faint


def test_contrast_is_measured_as_wcag_does():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


# tensors and arrays


def cells(figure):
    return {
        trace.name: tuple(re.sub("</?b>", "", text) for text in trace.text)
        for trace in figure.data
        if trace.mode == "markers+text"
    }


def test_one_memory_is_drawn_once_under_two_names(words):
    figure = figures.shared_memory(report_of(ConvertToNumpy()), LIGHT, words)

    assert cells(figure) == {"x @ cpu": ("100", "2", "3", "4")}
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert [line.name for line in lines] == ["x →", "a →"]
    assert lines[0].y[1] == lines[1].y[1]


def test_two_memories_are_drawn_apart(words):
    settings = ConvertToNumpy(device="cuda:0", chain=NumpyChain.CPU)
    figure = figures.shared_memory(report_of(settings), LIGHT, words)

    assert cells(figure) == {"x @ cuda:0": ("1", "2", "3", "4"), "a @ cpu": ("100", "2", "3", "4")}
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert lines[0].y[1] != lines[1].y[1]


def test_only_the_edited_cells_are_framed(words):
    settings = ConvertToNumpy(device="cuda:0", chain=NumpyChain.CPU)
    figure = figures.shared_memory(report_of(settings), LIGHT, words)

    frames = {
        trace.name: trace.marker.line.width for trace in figure.data if trace.mode == "markers+text"
    }
    assert frames == {"x @ cuda:0": (0, 0, 0, 0), "a @ cpu": (3, 0, 0, 0)}


def test_a_name_given_anew_leaves_the_array_behind(words):
    figure = figures.shared_memory(report_of(ConvertToNumpy(edit=Edit.REBOUND)), LIGHT, words)

    assert cells(figure) == {"x @ cpu": ("2", "3", "4", "5"), "a @ cpu": ("1", "2", "3", "4")}


def test_a_refused_conversion_leaves_no_array(words):
    figure = figures.shared_memory(report_of(ConvertToNumpy(device="cuda:1")), LIGHT, words)

    assert cells(figure) == {"x @ cuda:1": ("1", "2", "3", "4")}
    assert "<b>✗</b>" in [note.text for note in figure.layout.annotations]


# memory


def bars(figure):
    return [(trace.name, trace.base[0], trace.x[0]) for trace in figure.data]


def test_a_bar_for_each_device_and_only_one_is_used(words):
    report = report_of(MeasureTensor(device="cuda:1"))
    figure = figures.memory_bars(report, LIGHT, words)

    assert {name.split()[1] for name, _, _ in bars(figure)} == {"cuda:1"}
    assert bars(figure)[0] == ("used cuda:1", 0, 4 * 2**20)
    assert [(shape.name, shape.x1) for shape in figure.layout.shapes] == [
        ("cuda:0", 8 * 2**30),
        ("cuda:1", 8 * 2**30),
    ]


def test_sizes_are_written_beside_the_names(words):
    report = report_of(MeasureTensor())
    figure = figures.memory_bars(report, LIGHT, words)

    free = format_bytes(report.memory[1].free_bytes)
    written = [note.text for note in figure.layout.annotations]
    assert f"{words['used']} 4.00 MiB · {words['free']} {free}" in written
    assert "<b>cuda:1</b>" in written


def test_what_found_no_room_sticks_out(words):
    gibibyte = 2**30
    figure = figures.memory_bars(report_of(FillMemory()), LIGHT, words)

    assert bars(figure) == [
        ("used cuda:0", 0, 3 * gibibyte),
        ("used cuda:0", 3 * gibibyte, 3 * gibibyte),
        ("refused cuda:0", 6 * gibibyte, 3 * gibibyte),
    ]
    assert figure.layout.xaxis.range[1] >= 9 * gibibyte


def test_what_pytorch_keeps_and_others_take_have_bars_of_their_own(words):
    gibibyte = 2**30
    host = DeviceMemory(device="cpu", is_simulated=False, used_bytes=0)
    gpu = DeviceMemory(
        device="cuda:0",
        is_simulated=False,
        used_bytes=gibibyte,
        reserved_bytes=gibibyte + 2**20,
        total_bytes=8 * gibibyte,
        free_bytes=5 * gibibyte,
    )
    report = FillMemoryReport(
        device="cuda:0",
        piece_bytes=gibibyte,
        pieces=1,
        fitted=1,
        memory=(host, gpu),
        outcome=Outcome(ok=True),
    )
    figure = figures.memory_bars(report, DARK, words)

    kept = 2**20
    assert bars(figure) == [
        ("used cuda:0", 0, gibibyte),
        ("kept cuda:0", gibibyte, kept),
        ("other cuda:0", gibibyte + kept, 2 * gibibyte - kept),
    ]
    assert figure.layout.shapes[0].line.dash == "solid"


EVERY_PICTURE = pytest.mark.parametrize(
    ("draw", "settings"),
    [
        (figures.device_map, AddAcrossDevices(machine=Machine(gpus=8))),
        (figures.shared_memory, ConvertToNumpy()),
        (figures.memory_bars, FillMemory()),
    ],
)


@EVERY_PICTURE
def test_equal_reports_are_drawn_once_for_each_theme(draw, settings, words):
    figure = draw(report_of(settings), LIGHT, words)

    assert draw(report_of(settings), LIGHT, words) is figure
    assert draw(report_of(settings), DARK, words) is not figure


@PALETTES
@EVERY_PICTURE
def test_figures_are_quiet_and_fit_their_page(draw, settings, palette, words):
    layout = draw(report_of(settings), palette, words).layout

    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.font.color == palette.ink
    assert layout.title.text is None
    assert layout.showlegend is False
    assert layout.autosize is True
    assert layout.width is None
    assert layout.xaxis.fixedrange is layout.yaxis.fixedrange is True
    assert 100 <= layout.height <= 480
