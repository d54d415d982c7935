"""What the measurements do: which devices, how often, within which bounds. Never how fast."""

import csv
import io
import statistics
from dataclasses import replace

import pytest
import torch
from torch import nn

from playground import compute
from playground.compute.dispatch import find_experiment
from playground.errors import InvalidSettingError
from playground.lessons.timing.experiment import clock, matmul
from playground.lessons.timing.records import (
    Clock,
    CompareClocks,
    DataType,
    LargestSize,
    Logging,
    LogLosses,
    MatmulSweep,
    MeasureBandwidth,
    SkipReason,
    SplitCopy,
    Timed,
    Way,
)
from playground.lessons.timing.records.choices import Pieces
from playground.machines import Machine
from tests.lessons.timing.measuring import REAL, measure, stand_in_gpus
from tests.turns import in_turn

SMALL = (
    MatmulSweep(sizes=(4, 8), repeats=3),
    CompareClocks(size=64),
    MeasureBandwidth(mebibytes=1),
    SplitCopy(mebibytes=1, pieces=16),
    LogLosses(steps=10, width=16),
)
EACH_SMALL = pytest.mark.parametrize("settings", SMALL, ids=lambda each: type(each).__name__)


def on(machine, settings):
    """The same settings on another machine."""
    return replace(settings, machine=machine)


def timed(report):
    """All times of a report."""
    return getattr(report, "points", None) or report.readings


# what all measurements share


@EACH_SMALL
def test_every_time_has_a_median_within_its_spread_and_its_repeats(settings):
    report, _ = measure(settings)

    for each in timed(report):
        assert 0 < each.low_seconds <= each.median_seconds <= each.high_seconds
        assert each.repeats >= (1 if getattr(each, "clock", "") == Clock.FIRST else 3)


@EACH_SMALL
def test_simulated_gpus_are_refused_by_name_and_the_cpu_is_measured(settings):
    report, _ = measure(on(Machine(gpus=3), settings))

    assert report.devices == ("cpu",)
    assert {each.device for each in timed(report)} == {"cpu"}
    assert report.refused == ("cuda:0", "cuda:1", "cuda:2")
    assert report.where == "simulated-have-no-time"
    assert on(Machine(gpus=3), settings).refused == {"refused": "cuda:0, cuda:1, cuda:2"}


@EACH_SMALL
@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_real_machine_without_a_gpu_says_so(settings):
    report, _ = measure(on(REAL, settings))

    assert (report.devices, report.refused, report.where) == (("cpu",), (), "no-gpu")
    assert on(REAL, settings).refused is None


@EACH_SMALL
def test_every_gpu_of_a_real_machine_is_timed(settings):
    with stand_in_gpus(2):
        report, _ = measure(on(REAL, settings))

    assert report.devices == ("cpu", "cuda:0", "cuda:1")
    assert {each.device for each in timed(report)} == {"cpu", "cuda:0", "cuda:1"}
    assert (report.subject, report.where) == ("cuda:0", "real-devices")
    assert not report.is_cut_short


@EACH_SMALL
@pytest.mark.parametrize("gpus", [0, 2])
def test_progress_grows_from_nothing_and_stays_below_one(settings, gpus):
    with stand_in_gpus(gpus):
        _, told = measure(on(REAL, settings))

    fractions = [each.fraction for each in told]
    assert fractions[0] == 0
    assert fractions == sorted(fractions)
    assert fractions[-1] < 1
    assert all(each.facts["device"] == each.device for each in told)


@EACH_SMALL
def test_a_measurement_ends_where_telling_ends_it(settings):
    class LeftError(Exception):
        pass

    heard = []

    def leave(told):
        heard.append(told)
        if len(heard) == 2:
            raise LeftError

    experiment = find_experiment(type(settings))
    with pytest.raises(LeftError):
        experiment(settings, leave)
    assert len(heard) == 2


@EACH_SMALL
def test_measurements_are_never_cached(settings):
    assert not settings.deterministic


@EACH_SMALL
def test_a_measurement_runs_without_a_reader(settings):
    with compute.running_inline():
        assert timed(compute.run(settings))


@EACH_SMALL
def test_the_threads_are_put_back(settings):
    before = torch.get_num_threads()
    report, _ = measure(settings)

    assert report.threads == 1
    assert torch.get_num_threads() == before


@EACH_SMALL
def test_every_time_is_in_the_csv(settings):
    report, _ = measure(settings)

    rows = list(csv.DictReader(io.StringIO(report.csv)))
    assert len(rows) == len(timed(report))
    for row, each in zip(rows, timed(report), strict=True):
        assert row["device"] == each.device
        assert float(row["median_seconds"]) == each.median_seconds
        assert int(row["repeats"]) == each.repeats


@EACH_SMALL
def test_the_table_has_a_cell_for_every_column(settings):
    class Words(dict):
        def __missing__(self, key):
            return key

    report, _ = measure(settings)

    assert {len(row) for row in report.rows(Words())} == {len(report.COLUMNS)}


# S1


def test_a_sweep_measures_every_size_and_dtype(monkeypatch):
    monkeypatch.setattr(MatmulSweep, "POINT_SECONDS", 3_600.0)  # enough for every repeat
    report, _ = measure(MatmulSweep(sizes=(2, 16, 64), repeats=4))

    assert [(point.size, point.dtype) for point in report.points] == [
        (size, dtype) for dtype in DataType for size in (2, 16, 64)
    ]
    assert {point.repeats for point in report.points} == {4}
    assert report.skipped == ()


def test_a_sweep_can_be_asked_for_all_threads():
    report, _ = measure(MatmulSweep(sizes=(8,), repeats=1, all_threads=True))

    assert report.threads == min(clock._cpus(), clock.MOST_THREADS)


def test_operations_and_rate_are_the_textbook_ones():
    point = measure(MatmulSweep(sizes=(32,), dtypes=(DataType.FLOAT32,)))[0].points[0]

    assert point.operations == sum(2 for _ in range(32) for _ in range(32) for _ in range(32))
    assert point.gflops * 1e9 * point.median_seconds == pytest.approx(65536)
    assert "65 536" in point.arithmetic


def test_progress_holds_the_points_so_far():
    _, told = measure(MatmulSweep(sizes=(4, 8), dtypes=(DataType.FLOAT32,), repeats=1))

    assert [len(each.points) for each in told] == [0, 1]
    assert [each.facts["size"] for each in told] == [4, 8]
    assert [len(each.dots) for each in told] == [0, 1]


def test_a_size_that_would_take_too_long_is_not_begun(monkeypatch):
    asked = []

    def product(device, dtype, size):
        asked.append(size)
        return lambda: None

    monkeypatch.setattr(matmul, "_product", product)
    monkeypatch.setattr(matmul, "take_times", lambda *_, **__: [1e-6 * asked[-1] ** 3])
    monkeypatch.setattr(MatmulSweep, "PRODUCT_SECONDS", 4.0)
    settings = MatmulSweep(sizes=(64, 128, 256), dtypes=(DataType.FLOAT32,))
    report, _ = measure(settings)

    # 64³ µs are 0.26 s; eight times as long does not fit into a point
    assert [point.size for point in report.points] == [64]
    (skipped,) = report.skipped
    assert (skipped.size, skipped.reason) == (128, SkipReason.TOO_SLOW)
    assert skipped.expected_seconds == pytest.approx(128**3 * 1e-6)
    assert max(asked) == 64
    assert ("skipped-too-slow", "128") in [
        (note, str(mentions.get("size"))) for note, mentions in report.notes
    ]


def test_a_size_whose_warm_up_takes_too_long_is_left_out(monkeypatch):
    monkeypatch.setattr(MatmulSweep, "PRODUCT_SECONDS", 3.0)
    seconds = iter([[0.001], [0.001, 0.001, 0.001], [5.0]])  # of 64, and the warm-up of 128
    monkeypatch.setattr(matmul, "take_times", lambda *_, **__: next(seconds))
    report, _ = measure(MatmulSweep(sizes=(64, 128, 256), dtypes=(DataType.FLOAT32,)))

    assert [point.size for point in report.points] == [64]
    (skipped,) = report.skipped
    assert (skipped.size, skipped.reason) == (128, SkipReason.TOO_SLOW)
    assert skipped.expected_seconds == 5.0


def test_a_large_first_size_is_judged_by_smaller_products(monkeypatch):
    asked = []

    def product(device, dtype, size):
        asked.append(size)
        return lambda: None

    monkeypatch.setattr(matmul, "_product", product)
    monkeypatch.setattr(matmul, "take_times", lambda *_, **__: [1.0])
    measure(MatmulSweep(sizes=(4096,), dtypes=(DataType.FLOAT32,)))

    assert asked == [64, 256, 1024, 4096]


def test_what_torch_refuses_is_told_in_its_words(monkeypatch):
    real = matmul._product

    def refuse(device, dtype, size):
        if dtype == DataType.BFLOAT16:
            raise RuntimeError("not implemented for 'BFloat16'")
        return real(device, dtype, size)

    monkeypatch.setattr(matmul, "_product", refuse)
    report, told = measure(MatmulSweep(sizes=(4, 8), repeats=1))

    (skipped,) = report.skipped
    assert (skipped.dtype, skipped.size) == (DataType.BFLOAT16, 4)
    assert (skipped.reason, skipped.message) == (
        SkipReason.REFUSED,
        "not implemented for 'BFloat16'",
    )
    assert report.dtypes == (DataType.FLOAT32, DataType.FLOAT16)


def test_nothing_begins_once_the_time_is_used_up(monkeypatch):
    monkeypatch.setattr(MatmulSweep, "TOTAL_SECONDS", -1.0)
    report, _ = measure(MatmulSweep(sizes=(4,)))

    assert report.points == ()
    assert {each.reason for each in report.skipped} == {SkipReason.OUT_OF_TIME}
    assert report.why == "nothing-measured"


# S2


def test_all_four_clocks_are_read_on_every_device():
    with stand_in_gpus(1):
        report, _ = measure(CompareClocks(machine=REAL, size=64))

    assert [(each.device, each.clock) for each in report.readings] == [
        (device, way) for device in ("cpu", "cuda:0") for way in Clock
    ]
    assert report.reading("cpu", Clock.FIRST).repeats == 1


def test_only_the_honest_clocks_wait(monkeypatch):
    waits = []
    monkeypatch.setattr(clock, "wait_for", lambda device: waits.append(device))

    clock.take_times(lambda: waits.append("done"), "cuda:0", repeats=2, seconds=1, waits=False)
    naive, waits[:] = list(waits), []
    clock.take_times(lambda: waits.append("done"), "cuda:0", repeats=2, seconds=1)

    assert naive == ["cuda:0", "done", "done", "cuda:0"]
    assert waits == ["cuda:0", "done", "cuda:0", "done", "cuda:0", "cuda:0"]


def test_waiting_for_a_gpu_is_a_synchronize_of_that_gpu(monkeypatch):
    waited = []
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)

    clock.wait_for("cpu")
    clock.wait_for("cuda:1")

    assert waited == ["cuda:1"]


# S3


def test_bandwidth_covers_every_way_and_size():
    settings = MeasureBandwidth(machine=REAL, mebibytes=1)
    with stand_in_gpus(1):
        report, _ = measure(settings)

    assert report.lines == (
        ("cpu", Way.HOST_TO_HOST),
        ("cuda:0", Way.HOST_TO_DEVICE),
        ("cuda:0", Way.PINNED_TO_DEVICE),
        ("cuda:0", Way.DEVICE_TO_HOST),
        ("cuda:0", Way.DEVICE_TO_PINNED),
    )
    for line in report.lines:
        assert [point.size_bytes for point in report.line(*line)] == [
            2**12,
            2**14,
            2**16,
            2**18,
            2**20,
        ]


@pytest.mark.parametrize("way", [way for way in Way if way != Way.HOST_TO_HOST])
def test_only_the_pinned_ways_are_pinned(way):
    from playground.lessons.timing.experiment.copies import _two_sides

    with stand_in_gpus(1):
        source, target = _two_sides(way, "cuda:0", 4096)
        host, there = (source, target) if source.device.type == "cpu" else (target, source)

        assert host.is_pinned() == way.is_pinned
        assert str(there.device) == "cuda:0"
        assert way.value.startswith("device") == (source is there)


@pytest.mark.parametrize("pieces", [1, 16, 4096])
def test_all_bytes_arrive_however_they_are_cut(pieces):
    from playground.lessons.timing.experiment.copies import _copying_pieces

    source, target = torch.arange(2**14).to(torch.uint8), torch.zeros(2**14, dtype=torch.uint8)
    _copying_pieces(target, source, pieces)()

    assert torch.equal(target, source)


@pytest.mark.parametrize("pieces", [3, 16, 1000, 16384])
@pytest.mark.parametrize("mebibytes", [1, 7, 64])
def test_every_piece_has_as_many_bytes(mebibytes, pieces):
    settings = SplitCopy(mebibytes=mebibytes, pieces=pieces)

    whole = torch.empty(settings.size_bytes, dtype=torch.uint8)
    sizes = {len(piece) for piece in whole.chunk(pieces)}
    assert sizes == {settings.piece_bytes}
    assert 0 <= mebibytes * 2**20 - settings.size_bytes < pieces


def test_bandwidth_is_cut_short_with_a_word(monkeypatch):
    monkeypatch.setattr(MeasureBandwidth, "TOTAL_SECONDS", -1.0)
    with stand_in_gpus(1):
        report, _ = measure(MeasureBandwidth(machine=REAL, mebibytes=1))

    assert report.is_cut_short
    assert ("cut-short", {}) in report.notes


# S4


@pytest.mark.parametrize("every", [1, 4])
def test_the_losses_are_those_of_a_plain_loop(every):
    settings = LogLosses(steps=12, every=every, width=16, seed=3)
    report, _ = measure(settings)

    torch.manual_seed(3)
    net = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
    examples = torch.randn(64, 32)
    losses = []
    for _ in range(12):
        loss = ((net(examples) - examples.sum(1, keepdim=True)) ** 2).mean()
        net.zero_grad()
        loss.backward()
        with torch.no_grad():
            for parameter in net.parameters():
                parameter -= 0.01 * parameter.grad
        losses.append(loss.item())
    assert report.point("cpu", Logging.READ).last_loss == pytest.approx(losses[11], rel=1e-5)
    assert report.point("cpu", Logging.KEPT).last_loss == pytest.approx(losses[11], rel=1e-5)
    assert report.point("cpu", Logging.NONE).last_loss is None


@pytest.mark.parametrize(("steps", "every", "reads"), [(10, 1, 10), (10, 3, 3), (10, 11, 0)])
def test_reads_are_counted(steps, every, reads):
    report, _ = measure(LogLosses(steps=steps, every=every, width=16))

    assert [report.point("cpu", way).reads for way in Logging] == [0, reads, 1]


# bounds


@in_turn(
    ("kind", "values", "field"),
    [
        (MatmulSweep, {"sizes": ()}, "sizes"),
        (MatmulSweep, {"sizes": (1,)}, "sizes"),
        (MatmulSweep, {"sizes": (4097,)}, "sizes"),
        (MatmulSweep, {"sizes": (8, 4)}, "sizes"),
        (MatmulSweep, {"sizes": (8, 8)}, "sizes"),
        (MatmulSweep, {"sizes": tuple(range(2, 19))}, "sizes"),
        (MatmulSweep, {"dtypes": ()}, "dtypes"),
        (MatmulSweep, {"dtypes": ("float64",)}, "dtypes"),
        (MatmulSweep, {"repeats": 0}, "repeats"),
        (MatmulSweep, {"repeats": 101}, "repeats"),
        (CompareClocks, {"size": 2049}, "size"),
        (MeasureBandwidth, {"mebibytes": 97}, "mebibytes"),
        (SplitCopy, {"mebibytes": 0}, "mebibytes"),
        (SplitCopy, {"pieces": 1}, "pieces"),
        (SplitCopy, {"pieces": 16385}, "pieces"),
        (LogLosses, {"steps": 201}, "steps"),
        (LogLosses, {"every": 0}, "every"),
        (LogLosses, {"width": 1025}, "width"),
        (LogLosses, {"seed": -1}, "seed"),
    ],
)
def test_what_is_out_of_bounds_is_refused_before_anything_is_measured(kind, values, field):
    with pytest.raises(InvalidSettingError) as refused:
        kind(**values)

    assert refused.value.field == field


@pytest.mark.parametrize("largest", LargestSize)
def test_every_offered_size_is_allowed(largest):
    settings = MatmulSweep.up_to(largest, machine=Machine(), all_threads=True)

    assert settings.sizes[-1] == int(largest)


@pytest.mark.parametrize("pieces", Pieces)
def test_every_offered_number_of_copies_is_allowed(pieces):
    assert SplitCopy(pieces=int(pieces)).pieces == int(pieces)


# arithmetic


@pytest.mark.parametrize("count", [1, 2, 3, 9, 10])
def test_times_are_summed_up_by_median_and_quartiles(count):
    seconds = [float((index * 7) % 11 + 1) for index in range(count)]
    summary = Timed.of(seconds)

    as_tensor = torch.tensor(seconds, dtype=torch.float64)
    assert summary.median_seconds == statistics.median(seconds)
    assert summary.low_seconds == pytest.approx(as_tensor.quantile(0.25).item())
    assert summary.high_seconds == pytest.approx(as_tensor.quantile(0.75).item())
    assert summary.repeats == count


def test_times_are_taken_until_the_seconds_are_used_up_but_at_least_three():
    assert len(clock.take_times(lambda: None, "cpu", repeats=50, seconds=-1)) == 3
    assert len(clock.take_times(lambda: None, "cpu", repeats=2, seconds=-1)) == 2
    assert len(clock.take_times(lambda: None, "cpu", repeats=50, seconds=60)) == 50
