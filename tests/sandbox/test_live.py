import base64
import json
import threading
import zlib
from dataclasses import replace

import numpy
import pytest

from playground import sandbox
from playground.sandbox import schema
from playground.sandbox.cell.run_cell import LiveState
from playground.sandbox.jail import StoppedBecause
from playground.sandbox.jail.request import ResultCapture, Watcher
from playground.sandbox.jail.run_task import CHANNEL, IMAGE, LIVE, TICK_SECONDS, Channel
from playground.sandbox.limits import LIMITS
from playground.sandbox.live import BARS, Bar, LivePart
from playground.sandbox.live_run import LiveRun
from playground.sandbox.picture import CHUNK, HEADER, SIGNATURE, Caption, Picture
from playground.steps.line_recorder import Line, Note, Recorder
from tests.sandbox.cells import execute, travelled
from tests.sandbox.conftest import PATIENT
from tests.waiting import wait_until

ENDLESS = """import time
import torch
import matplotlib.pyplot as plt
x = torch.ones(2, 3)
print("begun", 1)
plt.plot([1, 2])
plt.show()
while True:
    time.sleep(0.01)
"""
CAPTION = schema.write(Caption(number=0, scale=1.5))


def png(width=3, height=2, depth=8, colours=6, kinds=(b"IDAT", b"IEND"), header=b"IHDR"):
    """A PNG image as its standard has it, written by hand."""
    chunks = [(header, HEADER.pack(width, height, depth, colours, 0, 0, 0))]
    chunks += [(kind, zlib.compress(b"\0" * 26) if kind == b"IDAT" else b"") for kind in kinds]
    return SIGNATURE + b"".join(
        CHUNK.pack(len(data), kind) + data + zlib.crc32(kind + data).to_bytes(4, "big")
        for kind, data in chunks
    )


@pytest.mark.usefixtures("open_jail")
def test_a_run_is_heard_while_it_goes_on_and_stopped_with_what_it_said():
    live, reports = LiveRun(), []
    waiting = threading.Thread(
        target=lambda: reports.append(sandbox.run(ENDLESS, live=live, limits=PATIENT))
    )
    waiting.start()
    wait_until(lambda: live.snapshot().line in (8, 9) and live.snapshot().figures)
    seen = live.snapshot()
    assert seen.output == "begun 1\n"
    assert Line(4, (Note("x", "float32", "(2, 3)", ("cpu",)),)) in seen.lines
    assert Line(5, (), "begun 1\n") in seen.lines
    assert not reports
    live.cancel()
    waiting.join(60)

    [report] = reports
    assert report.stopped_because is StoppedBecause.STOPPED
    assert report.explanation.id == "stopped"
    assert report.line in (8, 9)
    assert (report.output, report.lines) == (seen.output, seen.lines)
    assert report.figures == seen.figures


def parts(*written, size=10**9):
    """Return the parts that arrive of a child's output, and the rest, which is its answer."""
    heard, watcher = [], Watcher()
    watcher.receive = lambda *part: heard.append(part)
    capture, text = ResultCapture(LIMITS, watcher), b"".join(written)
    while text and not capture.is_full:
        count = min(capture.room, size)
        capture.add(text[:count])
        text = text[count:]
    return heard, capture


def live_line(part):
    return b'{"live": ' + json.dumps(part).encode() + b"}\n"


def image_line(image, part):
    encoded = base64.b64encode(image)
    return b'{"image": "' + encoded + b'", "live": ' + json.dumps(part).encode() + b"}\n"


@pytest.mark.parametrize("size", [1, 7, 10**9])
def test_parts_come_through_however_they_are_cut(size):
    answer = b'{"value": {"x": 1}}'
    heard, capture = parts(
        live_line({"a": 1}), image_line(b"abc", {"b": 2}), live_line({}), answer, size=size
    )

    assert heard == [({"a": 1}, b""), ({"b": 2}, b"abc"), ({}, b"")]
    assert capture.held == answer
    assert not capture.is_full


def test_a_channel_writes_what_a_capture_reads():
    written, ticks, channel = [], [], Channel()
    channel.open(written.append, replace(LIMITS, live_parts=2))

    sent = [channel.send({"x": "é"}), channel.send({}, b"\0\1"), channel.send({"y": 1})]
    sent.append(channel.send({"z": 1}))  # one more than the limit
    channel.on_tick(lambda: ticks.append(channel.tick()))  # the next one comes while it is handled
    channel.tick()
    channel.close()

    assert ([*sent, channel.send({})], ticks) == ([True, True, True, False, False], [None])
    assert parts(*written)[0] == [({"x": "é"}, b""), ({}, b"\0\1"), ({"y": 1}, b"")]


def test_all_is_sent_what_is_too_long_for_one_part_what_could_not_be_and_the_same_again():
    written, recorder = [], Recorder("<cell>")
    state = LiveState(recorder, clock=lambda: 0.0)
    recorder.at(3).printed.append("中" * 20_000 + "\n1%\r2%")  # its end may be overwritten yet
    state.report()  # nobody reads it yet
    CHANNEL.open(written.append)
    for _ in range(15):
        state.report()
    is_sent = CHANNEL.send({"x": "y" * 70_000})
    CHANNEL.close()

    heard, capture = parts(*written)
    said = [line["printed"] for part, _ in heard for line in part["run"]["lines"]]
    assert ("".join(said), len(said)) == ("中" * 20_000 + "\n", len(written))  # nothing twice
    assert (is_sent, capture.is_full) == (False, False)


def test_a_run_of_four_minutes_is_watched_to_its_end_and_has_a_figure_then():
    written, recorder, clock = [], Recorder("<cell>"), iter(numpy.arange(0.0, 241.0, TICK_SECONDS))
    state = LiveState(recorder, clock=lambda: next(clock))
    CHANNEL.open(written.append)
    for recorder.current in range(1, 240 * 20):
        state.report()
    is_drawn = CHANNEL.send({}, b"\0\1")
    CHANNEL.close()

    assert (is_drawn, json.loads(written[-2])["live"]["run"]["line"] > 230 * 20) == (True, True)


@pytest.mark.parametrize(
    "forged",
    [
        LIVE + b"1}\n",
        LIVE + b'{}, "more": 1}\n',
        LIVE + b'{"x": NaN}}\n',
        LIVE + b"[" * 60_000 + b"\n",
        IMAGE + b'not base64!", "live": {}}\n',
        IMAGE + b'YQ=", "live": {}}\n',
        IMAGE + b'YWJj", "live": {"x": "' + b"y" * 20_100 + b'"}}\n',
        IMAGE + b'YWJj", "live": {}}, "more": {}}\n',
    ],
    ids=["number", "key", "nan", "deep", "letters", "padding", "long", "more"],
)
def test_a_forged_part_is_dropped(forged):
    heard, capture = parts(forged, live_line({"fine": 1}))
    assert heard == [({"fine": 1}, b"")]
    assert not capture.held


@pytest.mark.parametrize(
    "written",
    [
        live_line({}) * (LIMITS.live_parts + LIMITS.image_parts + 1),
        live_line({"x": "y" * 60_000}) * 4,
        image_line(b"x" * 10**6, {}) * 2,
        LIVE + b"x" * 70_000,
        IMAGE + b"x" * (LIMITS.image_bytes + 1),
    ],
    ids=["many", "long", "images", "a line", "an image"],
)
def test_more_than_a_run_may_say_ends_it(written):
    _, capture = parts(written)
    assert capture.is_full
    assert len(capture.held) > LIMITS.result_bytes  # which is the answer RESULT_TOO_LARGE


@pytest.mark.parametrize(
    ("image", "caption", "is_shown"),
    [
        (png(), {}, True),
        (png(colours=2), {}, True),
        (png(), {"scale": 0.0}, False),
        (png(), {"number": 99}, False),
        (png(), {"title": "x" * 121}, False),
        (png(), {"labels": ["x"] * 13}, False),
        (png(), {"more": 1}, False),
        (png(width=2_001), {}, False),
        (png(height=0), {}, False),
        (png(depth=16), {}, False),
        (png(colours=3), {}, False),
        (png(kinds=(b"IDAT",)), {}, False),
        (png(kinds=(b"acTL", b"IDAT", b"IEND")), {}, False),
        (png(kinds=(b"tEXt", b"IDAT", b"IEND")), {}, False),
        (png(header=b"IDAT"), {}, False),
        (png(kinds=(b"IDAT",) * 30_000 + (b"IEND",)), {}, False),
        (png()[:-1], {}, False),
        (png() + b"x", {}, False),
        (SIGNATURE, {}, False),
        (b"GIF89a" + b"\0" * 99, {}, False),
        (b"<svg onload='x'/>", {}, False),
    ],
)
def test_only_a_plain_png_image_is_shown(image, caption, is_shown):
    live = LiveRun()
    live.receive({"picture": CAPTION | caption}, image)
    assert bool(live.snapshot().figures) == is_shown


@pytest.mark.parametrize(
    "forged",
    [
        {"line": "1"},
        {"bars": [schema.write(Bar(number=1))] * 7},
        {"bars": [schema.write(Bar(number=1, label="x" * 61))]},
        {"lines": [schema.write(Line(number)) for number in range(401)]},
        {"lines": [schema.write(Line(1, printed="x" * 20_001))]},
        {"lines": [schema.write(Line(1, notes=(Note("x", "int", "1", ("no device",)),)))]},
        {"lines": [schema.write(Line(1, notes=(Note("x" * 61, "int", "1"),)))]},
        {"lines": [schema.write(Line(1, error="x"))]},
    ],
)
def test_a_forged_state_is_dropped_whole(forged):
    live = LiveRun()
    live.receive({"run": schema.write(LivePart(line=3))}, b"")
    live.receive({"run": schema.write(LivePart(line=4)) | forged}, b"")
    assert live.snapshot().line == 3


def test_printed_pieces_of_a_line_are_put_together():
    live = LiveRun()
    for piece in ("a", "b"):
        live.receive({"run": schema.write(LivePart(lines=(Line(1, printed=piece),)))}, b"")
        live.write("é".encode()[:1] if piece == "a" else "é".encode()[1:])

    assert live.snapshot().lines == (Line(1, printed="ab"),)
    assert live.snapshot().output == "é"


def test_a_later_image_of_a_figure_replaces_the_earlier_one():
    live = LiveRun()
    for number, width in ((0, 3), (1, 4), (0, 6)):
        live.receive({"picture": CAPTION | {"number": number}}, png(width))

    assert [each.width for each in live.snapshot().figures] == [4, round(4 / 1.5)]
    assert Picture.size_of(live.snapshot().figures[0].png) == (6, 2)


def test_bars_move_and_the_oldest_gives_way():
    BARS.clear()
    numbers = [BARS.add(f"bar {index}", 10) for index in range(Bar.MAX_BARS + 1)]
    BARS.move(numbers[-1], 5, total=10, label="x" * 99)
    BARS.move(numbers[-2], 7)
    BARS.remove(numbers[1])
    shown = BARS.shown()
    BARS.clear()

    assert [bar.number for bar in shown] == numbers[2:]
    assert (shown[-1].fraction, len(shown[-1].label)) == (0.5, Bar.MAX_CHARACTERS)
    assert (shown[-2].done, shown[-2].fraction) == (7, None)


def test_what_a_program_says_of_bars_fits_into_a_part():
    BARS.clear()
    execute("""from tqdm import tqdm
for _ in range(50):
    first = tqdm(range(3), desc="x" * 10**6)
for number in (10**400, -10**400, float("inf"), 3.5):
    bar = tqdm(total=number, initial=number)
    bar.update(10**300)
    bar.set_postfix(loss="y" * 10**6)
first._number = "z"
list(first)
""")
    part = LivePart(bars=BARS.shown())
    BARS.clear()

    assert travelled(LivePart, part) == part
    assert [bar.total for bar in part.bars[2:]] == [2**63, -(2**63), None, 3]
