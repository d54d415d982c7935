import pytest

from playground.lessons.timing.bandwidth import Bandwidth
from playground.lessons.timing.clocks import Clocks
from playground.lessons.timing.interpreter_lock import Call, InterpreterLock
from playground.lessons.timing.logging import Logging
from playground.lessons.timing.pieces import Pieces
from playground.lessons.timing.products import Products
from playground.machines import Machine
from tests.answers import answer

SMALL = (Products(rows=16), Clocks(rows=64), Bandwidth(mebibytes=1), Pieces(), Logging(times=10))


@pytest.mark.parametrize("step", SMALL)
def test_simulated_devices_are_never_timed(step):
    found = answer(step.replaced(machine=Machine(gpus=2)))

    assert found.outcome.ok
    assert "cuda" not in found.printed
    assert found.data


def test_the_ratio_of_the_last_two_products_decides():
    def products(before: float, last: float, **gpu: float) -> tuple[str, str]:
        seconds = {("cpu", 4): 1e-6, ("cpu", 8): before, ("cpu", 16): last}
        seconds |= {("cuda:0", int(n[1:])): each for n, each in gpu.items()}
        found = Products(rows=16).measured(seconds)
        return found.prediction, found.explanation

    assert products(1.0, 8.0) == ("about_eight", "about-eight")
    assert products(1.0, 30.0) == ("about_eight", "disturbed")
    assert products(1.0, 3.0) == ("in_between", "in-between")
    assert products(1.0, 1.2) == ("about_as_long", "about-as-long")
    assert products(1.0, 8.0, n4=1, n8=2, n16=2)[1] == "gpu-is-faster"
    assert products(1.0, 8.0, n4=1, n8=9, n16=9)[1] == "gpu-is-slower"


def test_the_work_of_a_product_is_two_n_cubed():
    said = Products(rows=1000).measured({("cpu", 500): 0.25, ("cpu", 1000): 2.0}).placeholders
    assert (said["gflops"], said["ratio"]) == ("1", "8")


@pytest.mark.parametrize(
    ("naive", "device", "said"),
    [
        (1.1, "cpu", ("about_equal", "cpu-waits")),
        (3.0, "cpu", ("too_long", "disturbed")),
        (0.1, "cpu", ("too_short", "disturbed")),
        (0.1, "cuda:0", ("too_short", "only-launched")),
        (0.9, "cuda:0", ("about_equal", "gpu-kept-up")),
    ],
)
def test_the_clock_that_does_not_wait(naive, device, said):
    readings = {"first": 5.0, "naive": naive, "waited": 1.0, "compared": 1.0}
    found = Clocks().measured(readings, device)

    assert (found.prediction, found.explanation) == said


def test_the_highest_rate_decides_and_each_byte_counts_once():
    def best(*seconds: float) -> str:
        return Bandwidth().measured(dict(zip((1, 10, 100), seconds, strict=True)), "cpu").prediction

    assert best(1.0, 1.0, 100.0) == "in_between"
    assert best(1.0, 10.0, 10.0) == "largest"
    assert best(1.0, 100.0, 1000.0) == "smallest"
    rates = Bandwidth().measured({1: 1.0, 2 * 10**9: 0.5}, "cuda:0").placeholders
    assert rates["largest_rate"] == "4"


def test_many_copies_against_one():
    def pieces(many: float) -> str:
        return Pieces().measured(1.0, many, 4096, "cpu").prediction

    assert pieces(0.5) == pieces(1.4) == "about_as_long"
    assert pieces(2) == pieces(9) == "several_times"
    assert pieces(11) == "over_ten_times"


@pytest.mark.parametrize(
    ("read", "device", "said"),
    [
        (1.0, "cpu", ("about_equal", "nothing-to-wait-for")),
        (2.0, "cpu", ("kept", "disturbed")),
        (0.5, "cuda:0", ("read_back", "disturbed")),
        (2.0, "cuda:0", ("kept", "gpu-was-waited-for")),
        (1.1, "cuda:0", ("about_equal", "gpu-kept-up")),
    ],
)
def test_reading_back_against_keeping(read, device, said):
    found = Logging().measured(read, 1.0, device)
    assert (found.prediction, found.explanation) == said


def test_the_longest_pause_within_the_call_decides():
    def lock(*pauses: tuple[float, float], call: Call = Call.ITEM) -> tuple[str, str]:
        found = InterpreterLock(call=call).measured(pauses, 10.0, 11.0)
        return found.prediction, found.explanation

    assert lock() == ("goes_on", "lock-given-back")
    assert lock((0.0, 10.1), (10.9, 20.0)) == ("goes_on", "lock-given-back")
    assert lock((0.0, 10.6)) == ("stands_still", "lock-kept")
    assert lock((10.1, 10.9), call=Call.SUM) == ("stands_still", "python-keeps-lock")


def test_a_call_that_keeps_the_lock_stops_the_other_thread():
    found = answer(InterpreterLock(call=Call.SUM))
    assert (found.outcome.ok, found.prediction) == (True, "stands_still")
