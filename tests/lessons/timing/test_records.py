"""What reports conclude from times that were made up for the purpose."""

import math

import pytest

from playground import catalog
from playground.lessons.timing import challenges
from playground.lessons.timing.records import (
    Clock,
    ClockReading,
    CompareClocksReport,
    CopyPoint,
    DataType,
    Logging,
    LoggingPoint,
    LogLossesReport,
    MatmulPoint,
    MatmulSweepReport,
    MeasureBandwidthReport,
    Skipped,
    SkipReason,
    SplitCopyReport,
    SplitPoint,
    Timed,
    Way,
    format_seconds,
)
from playground.machines import Machine
from tests.lessons.timing.measuring import REAL
from tests.turns import in_turn

FLOAT32, BFLOAT16 = DataType.FLOAT32, DataType.BFLOAT16


def sweep(times, skipped=(), machine=REAL):
    """A report of {(device, dtype): {size: seconds}}."""
    points = tuple(
        MatmulPoint.of([seconds], device=device, dtype=dtype, size=size)
        for (device, dtype), line in times.items()
        for size, seconds in line.items()
    )
    devices = tuple(dict.fromkeys(device for device, _ in times))
    return MatmulSweepReport(
        machine=machine, devices=devices, threads=1, points=points, skipped=skipped
    )


def clocks(gpus=(), **seconds):
    readings = tuple(
        ClockReading.of([seconds[clock.value]], device=device, clock=clock)
        for device in ("cpu", *gpus)
        for clock in Clock
    )
    return CompareClocksReport(
        machine=REAL, devices=("cpu", *gpus), threads=1, size=64, readings=readings
    )


def losses(read, kept, gpus=(), steps=50, reads=50):
    seconds = {Logging.NONE: kept, Logging.READ: read, Logging.KEPT: kept}
    counts = {Logging.NONE: 0, Logging.READ: reads, Logging.KEPT: 1}
    points = tuple(
        LoggingPoint.of(
            [seconds[way]], device=device, logging=way, reads=counts[way], last_loss=None
        )
        for device in ("cpu", *gpus)
        for way in Logging
    )
    return LogLossesReport(
        machine=REAL, devices=("cpu", *gpus), threads=1, steps=steps, every=1, points=points
    )


def test_the_crossover_lies_where_straight_lines_cross():
    # cpu: n² ns, gpu: 2^14 ns whatever the size: equal at n = 2^7
    cpu = {2**power: 4.0**power * 1e-9 for power in (5, 6, 8, 9)}
    gpu = dict.fromkeys(cpu, 2**14 * 1e-9)
    (found,) = sweep({("cpu", FLOAT32): cpu, ("cuda:0", FLOAT32): gpu}).crossovers

    assert (found.slower_at, found.faster_at) == (64, 256)
    assert found.size == pytest.approx(128)
    assert found.seconds == pytest.approx(2**14 * 1e-9)


def test_a_gpu_that_wins_by_chance_below_has_not_overtaken_yet():
    cpu = {16: 1.0, 32: 1.0, 64: 1.0, 128: 1.0}
    gpu = {16: 0.9, 32: 2.0, 64: 0.5, 128: 0.1}
    (found,) = sweep({("cpu", FLOAT32): cpu, ("cuda:0", FLOAT32): gpu}).crossovers

    assert (found.slower_at, found.faster_at) == (32, 64)
    assert 32 < found.size < 64


def test_a_gpu_that_is_always_faster_crosses_at_its_first_size():
    lines = {("cpu", FLOAT32): {16: 2.0, 32: 2.0}, ("cuda:0", FLOAT32): {16: 1.0, 32: 1.0}}
    (found,) = sweep(lines).crossovers

    assert (found.slower_at, found.faster_at, found.size, found.seconds) == (None, 16, 16, 1.0)


def test_a_gpu_that_is_never_faster_crosses_nowhere():
    report = sweep({("cpu", FLOAT32): {16: 1.0}, ("cuda:0", FLOAT32): {16: 1.0}})

    assert report.crossovers == ()
    assert report.notes[0][0] == "never-crosses"


def test_lines_are_compared_at_common_sizes_only():
    lines = {
        ("cpu", FLOAT32): {16: 1.0, 32: 1.0},
        ("cuda:0", FLOAT32): {32: 0.5, 64: 0.5},
        ("cuda:0", BFLOAT16): {32: 0.5},
    }
    (found,) = sweep(lines).crossovers

    assert (found.dtype, found.faster_at) == (FLOAT32, 32)


def test_dtypes_are_compared_at_the_largest_size_that_all_reached_on_the_cpu():
    lines = {
        ("cpu", FLOAT32): {16: 2.0, 32: 3.0, 64: 4.0},
        ("cpu", BFLOAT16): {16: 1.0, 32: 6.0},
        ("cuda:0", BFLOAT16): {16: 0.001},
    }
    report = sweep(lines)

    assert (report.compared_size, report.actual, report.why) == (32, "float32", "fewer-bits-slower")
    assert report.told["ratio"] == "2"
    assert report.largest_operations == 2 * 64**3


def test_fewer_bits_may_win():
    report = sweep({("cpu", FLOAT32): {16: 2.0}, ("cpu", BFLOAT16): {16: 1.0}})

    assert (report.actual, report.why) == ("bfloat16", "fewer-bits-faster")


def test_without_a_gpu_there_is_no_word_of_a_crossing_but_that():
    assert sweep({("cpu", FLOAT32): {16: 1.0}}).notes == (
        ("no-crossover-without-gpu", {"crossovers": ""}),
    )


@pytest.mark.parametrize("reason", SkipReason)
def test_every_reason_to_leave_a_size_out_has_its_sentence(reason):
    skipped = Skipped(device="cpu", size=64, dtype=FLOAT32, reason=reason, expected_seconds=3.0)
    report = sweep({("cpu", FLOAT32): {16: 1.0}}, skipped=(skipped,))
    note, mentions = report.notes[-1]

    said = catalog.lesson("timing").whys[note].filled(catalog.Language.EN, **mentions)
    assert "64" in said


@pytest.mark.parametrize(
    ("naive", "gpus", "actual", "why"),
    [
        (1.0, (), "about_right", "cpu-waits"),
        (0.1, ("cuda:0",), "too_short", "only-launched"),
        (1.0, ("cuda:0",), "about_right", "gpu-kept-up"),
        (0.1, (), "too_short", "disturbed"),
        (9.0, (), "too_long", "disturbed"),
        (9.0, ("cuda:0",), "too_long", "disturbed"),
    ],
)
def test_the_clock_that_does_not_wait_is_judged_by_the_one_that_does(naive, gpus, actual, why):
    report = clocks(gpus, first=5.0, naive=naive, synchronised=1.0, benchmark=1.0)

    assert (report.actual, report.why) == (actual, why)


def bandwidth(rates, gpus=()):
    def line(device, way, factor):
        return tuple(
            CopyPoint.of([size / (rate * factor * 1e9)], device=device, way=way, size_bytes=size)
            for size, rate in rates.items()
        )

    points = line("cpu", Way.HOST_TO_HOST, 1.0)
    for gpu in gpus:
        points += line(gpu, Way.HOST_TO_DEVICE, 0.5) + line(gpu, Way.PINNED_TO_DEVICE, 1.0)
    return MeasureBandwidthReport(machine=REAL, devices=("cpu", *gpus), threads=1, points=points)


@pytest.mark.parametrize(
    ("rates", "actual"),
    [
        ({1024: 1.0, 4096: 9.0, 2**20: 3.0}, "in_between"),
        ({1024: 1.0, 4096: 2.0, 2**20: 3.0}, "largest"),
        ({1024: 4.0, 4096: 2.0, 2**20: 3.0}, "smallest"),
    ],
)
def test_bandwidth_finds_the_fastest_copy(rates, actual):
    report = bandwidth(rates)

    assert report.actual == actual
    assert report.best.gigabytes_per_second == pytest.approx(max(rates.values()))


def test_bandwidth_to_a_gpu_is_asked_of_pinned_memory_and_held_against_pageable():
    report = bandwidth({1024: 1.0, 2**20: 8.0}, gpus=("cuda:0",))

    assert report.asked == report.line("cuda:0", Way.PINNED_TO_DEVICE)
    assert report.why == "transfer-over-the-bus"
    assert (report.told["largest_rate"], report.told["pageable_rate"]) == ("8", "4")
    assert report.told["arithmetic"] == "1 048 576 B ÷ 0.000131 s = 8 GB/s"


@pytest.mark.parametrize(
    ("many", "actual"),
    [(1.2, "about_as_long"), (2.0, "several_times"), (10.0, "over_ten_times")],
)
def test_many_small_copies_are_held_against_the_big_one(many, actual):
    points = tuple(
        SplitPoint.of([seconds], device="cpu", way=Way.HOST_TO_HOST, pieces=count, piece_bytes=1)
        for count, seconds in ((1, 1.0), (16, many))
    )
    report = SplitCopyReport(
        machine=REAL, devices=("cpu",), threads=1, size_bytes=16, pieces=16, points=points
    )

    assert report.actual == actual
    assert report.slowdown == pytest.approx(many)


@pytest.mark.parametrize(
    ("read", "gpus", "actual", "why"),
    [
        (1.0, (), "hardly", "nothing-to-wait-for"),
        (0.8, (), "hardly", "nothing-to-wait-for"),
        (1.5, (), "noticeably", "disturbed-run"),
        (1.5, ("cuda:0",), "noticeably", "gpu-was-waited-for"),
        (3.0, ("cuda:0",), "much", "gpu-was-waited-for"),
        (1.1, ("cuda:0",), "hardly", "gpu-was-busy-anyway"),
    ],
)
def test_reading_the_loss_is_held_against_keeping_it(read, gpus, actual, why):
    report = losses(read, 1.0, gpus)

    assert (report.actual, report.why) == (actual, why)


@pytest.mark.parametrize(
    ("steps", "reads", "is_met"), [(100, 4, True), (100, 2, True), (100, 1, False), (99, 3, False)]
)
def test_the_challenge_wants_a_long_run_and_few_reads(steps, reads, is_met):
    report = losses(1.0, 1.0, steps=steps, reads=reads)

    assert challenges.still_sees_the_loss(report) == is_met


@in_turn("language", catalog.Language)
@pytest.mark.parametrize(
    "report",
    [
        sweep({("cpu", FLOAT32): {16: 2.0}, ("cpu", BFLOAT16): {16: 1.0}}),
        sweep({("cpu", FLOAT32): {16: 1.0}, ("cuda:0", FLOAT32): {16: 0.5}}),
        sweep({("cpu", FLOAT32): {16: 1.0}}, machine=Machine()),
        sweep({("cpu", FLOAT32): {}}),
        clocks(first=5.0, naive=1.0, synchronised=1.0, benchmark=1.0),
        clocks(("cuda:0",), first=5.0, naive=0.1, synchronised=1.0, benchmark=1.0),
        clocks(("cuda:0",), first=5.0, naive=1.0, synchronised=1.0, benchmark=1.0),
        bandwidth({1024: 1.0, 4096: 9.0, 2**20: 3.0}),
        bandwidth({1024: 1.0, 2**20: 3.0}),
        bandwidth({1024: 1.0, 2**20: 3.0}, ("cuda:0",)),
        losses(1.0, 1.0),
        losses(2.0, 1.0),
        losses(2.0, 1.0, ("cuda:0",)),
        losses(1.0, 1.0, ("cuda:0",)),
    ],
    ids=lambda report: f"{type(report).__name__}-{report.why}",
)
def test_every_conclusion_has_its_words(report, language):
    lesson = catalog.lesson("timing")

    said = [lesson.whys[report.why].filled(language, **report.told)]
    said.append(lesson.whys[report.where].filled(language, **report.placed))
    said += [lesson.whys[note].filled(language, **values) for note, values in report.notes]
    assert all("{" not in sentence for sentence in said)
    assert {*report.COLUMNS, *report.facts} <= set(lesson.labels)
    assert report.actual in {*lesson.answers, *DataType, "other"}


@in_turn("power", range(-9, 3))
def test_a_written_time_can_be_read_back(power):
    number, unit = format_seconds(1.234 * 10.0**power).split("\xa0")

    scale = {"s": 0, "ms": -3, "µs": -6, "ns": -9}[unit]
    assert math.isclose(float(number) * 10.0**scale, 1.234 * 10.0**power, rel_tol=0.01)


def test_quartiles_of_one_time_are_that_time():
    assert Timed.of([2.0]).spread == "2\xa0s\xa0– 2\xa0s"
