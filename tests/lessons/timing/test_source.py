"""Every program that a student is shown runs, and measures what the report measured."""

import ast

import pytest

from playground.lessons.timing import source
from playground.lessons.timing.records import (
    CompareClocks,
    DataType,
    Logging,
    LogLosses,
    MatmulSweep,
    MeasureBandwidth,
    SplitCopy,
)
from tests.lessons.timing.measuring import REAL, measure, stand_in_gpus
from tests.programs import run_program

ALL = {  # as they are shown, before their measurements are made short for the tests
    "matmul_sweep": source.matmul_sweep(MatmulSweep()),
    "compare_clocks": source.compare_clocks(CompareClocks()),
    "measure_bandwidth": source.measure_bandwidth(MeasureBandwidth()),
    "split_copy": source.split_copy(SplitCopy()),
    "log_losses": source.log_losses(LogLosses()),
}
each_shown = pytest.mark.parametrize("text", ALL.values(), ids=ALL)


def run_both(settings, program, gpus=0):
    """The report, and what the program bound to ``result``, on as many stand-in GPUs."""
    with stand_in_gpus(gpus):
        report, _ = measure(settings)
        result, outcome = run_program(program(settings), REAL)
    assert outcome.ok, outcome.message
    return report, result


@pytest.mark.parametrize(
    "settings",
    [
        MatmulSweep(machine=REAL, sizes=(16, 32, 64, 128)),
        MatmulSweep(machine=REAL, sizes=(8,), dtypes=(DataType.BFLOAT16,), all_threads=True),
        MatmulSweep(machine=REAL, sizes=(16, 128), dtypes=(DataType.FLOAT32,), repeats=3),
    ],
)
@pytest.mark.parametrize("gpus", [0, 1])
def test_matmul_sweep(settings, gpus):
    report, result = run_both(settings, source.matmul_sweep, gpus)

    assert result == [(point.device, f"torch.{point.dtype}", point.size) for point in report.points]


@pytest.mark.parametrize(("size", "gpus"), [(200, 0), (64, 1)])
def test_compare_clocks(size, gpus, capsys):
    report, result = run_both(CompareClocks(machine=REAL, size=size), source.compare_clocks, gpus)

    assert result == tuple((each.device, each.clock.value) for each in report.readings)
    assert len(capsys.readouterr().out.splitlines()) == len(result)


@pytest.mark.parametrize(("mebibytes", "gpus"), [(3, 0), (1, 1)])
def test_measure_bandwidth(mebibytes, gpus):
    settings = MeasureBandwidth(machine=REAL, mebibytes=mebibytes)
    report, result = run_both(settings, source.measure_bandwidth, gpus)

    assert result == [(point.device, point.way.value, point.size_bytes) for point in report.points]


@pytest.mark.parametrize(("pieces", "gpus"), [(1000, 0), (16, 1)])
def test_split_copy(pieces, gpus):
    settings = SplitCopy(machine=REAL, mebibytes=1, pieces=pieces)
    report, result = run_both(settings, source.split_copy, gpus)

    assert result == [(point.device, point.way.value, point.pieces) for point in report.points]


@pytest.mark.parametrize(("steps", "every", "gpus"), [(20, 7, 0), (10, 1, 1)])
def test_log_losses(steps, every, gpus):
    settings = LogLosses(machine=REAL, steps=steps, every=every, width=16, seed=5)
    report, result = run_both(settings, source.log_losses, gpus)

    assert result == {
        (device, way.value): report.point(device, way).last_loss
        for device in report.devices
        for way in Logging
    }


@each_shown
def test_programs_are_whole_and_know_nothing_of_the_playground(text):
    tree = ast.parse(text)
    assert isinstance(tree.body[0], ast.Import)
    assert "result" in {name.id for name in ast.walk(tree) if isinstance(name, ast.Name)}
    assert "playground" not in text
    assert max(map(len, text.splitlines())) <= 99


@each_shown
def test_programs_run_at_their_defaults(text, capsys):
    result, outcome = run_program(text, REAL)

    assert outcome.ok, outcome.message
    assert result
    assert capsys.readouterr().out
