"""The measurements on a real GPU; needs torch, pytest and the playground, and nothing else.

What is asserted is what must hold on any GPU: what was measured, where, and orders of magnitude
that only a measurement of the wrong thing could miss.
"""

import importlib.util
import sys
import types

import pytest
import torch


class StandIn(types.ModuleType):
    """A module that is imported by the package and not used here; every name is an exception."""

    def __getattr__(self, name: str) -> type[Exception]:
        return type(name, (Exception,), {})


for absent in ("pebble", "psutil", "pynvml"):
    if importlib.util.find_spec(absent) is None:
        sys.modules[absent] = StandIn(absent)

from playground.lessons.timing import experiment  # noqa: E402
from playground.lessons.timing.records import (  # noqa: E402
    Clock,
    CompareClocks,
    DataType,
    Logging,
    LogLosses,
    MatmulSweep,
    MeasureBandwidth,
    SplitCopy,
    Way,
)
from playground.machines import Machine, MachineKind  # noqa: E402

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA"),
]
REAL = Machine(kind=MachineKind.REAL)


def all_devices():
    return ("cpu", *(f"cuda:{index}" for index in range(torch.cuda.device_count())))


def test_a_sweep_measures_every_gpu_in_every_dtype_and_finds_the_crossover():
    report = experiment.matmul_sweep(MatmulSweep(machine=REAL, sizes=(16, 64, 256, 1024, 4096)))

    assert report.devices == all_devices()
    for device in report.gpus:
        for dtype in DataType:
            assert [point.size for point in report.curve(device, dtype)][:3] == [16, 64, 256]
    found = [each for each in report.crossovers if each.dtype == DataType.FLOAT32]
    assert [each.device for each in found] == list(report.gpus)
    assert report.notes[0][0] == "crossover"


def test_a_clock_that_does_not_wait_reads_less_than_one_that_does():
    report = experiment.compare_clocks(CompareClocks(machine=REAL, size=2048))

    for device in report.gpus:
        naive = report.reading(device, Clock.NAIVE).median_seconds
        assert naive < report.reading(device, Clock.SYNCHRONISED).median_seconds
    assert report.devices == all_devices()


def test_the_benchmark_agrees_with_the_synchronised_clock():
    report = experiment.compare_clocks(CompareClocks(machine=REAL, size=2048))

    for device in report.gpus:
        honest = report.reading(device, Clock.SYNCHRONISED).median_seconds
        assert 1 / 5 < report.reading(device, Clock.BENCHMARK).median_seconds / honest < 5


def test_all_ways_between_host_and_gpu_are_measured():
    report = experiment.measure_bandwidth(MeasureBandwidth(machine=REAL, mebibytes=16))

    for device in report.gpus:
        assert {way for each, way in report.lines if each == device} == set(Way) - {
            Way.HOST_TO_HOST
        }
    assert report.why == "transfer-over-the-bus"


def test_bytes_arrive_on_the_gpu_and_come_back():
    from playground.lessons.timing.experiment.copies import _copying_pieces, _two_sides

    source, target = _two_sides(Way.PINNED_TO_DEVICE, "cuda:0", 4096)
    assert source.is_pinned()
    _copying_pieces(target, source, 16)()
    torch.cuda.synchronize()

    assert torch.equal(target.cpu(), source)


def test_many_small_copies_to_a_gpu_take_longer_than_a_big_one():
    report = experiment.split_copy(SplitCopy(machine=REAL))

    assert report.slowdown > 1


def test_the_losses_of_all_runs_on_a_gpu_agree():
    report = experiment.log_losses(LogLosses(machine=REAL, steps=20))

    for device in report.gpus:
        read, kept = (report.point(device, way) for way in (Logging.READ, Logging.KEPT))
        assert read.last_loss == pytest.approx(kept.last_loss, rel=1e-4)


def test_a_size_that_torch_refuses_is_told_and_the_sweep_goes_on(monkeypatch):
    from playground.lessons.timing.experiment import matmul

    real = matmul._product

    def refuse(device, dtype, size):
        if device != "cpu" and size > 64:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return real(device, dtype, size)

    monkeypatch.setattr(matmul, "_product", refuse)
    report = experiment.matmul_sweep(MatmulSweep(machine=REAL, sizes=(16, 64, 256)))

    assert {each.message for each in report.skipped} == {"CUDA out of memory."}
    assert report.curve("cuda:0", DataType.FLOAT32)[-1].size == 64
