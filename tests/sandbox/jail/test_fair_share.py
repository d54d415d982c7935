import threading
from dataclasses import replace

import pytest

from playground.errors import SandboxBusyError
from playground.sandbox.jail.fair_share import FREE_SECONDS, SHARE_SECONDS, FairShare, Usage
from playground.sandbox.limits import LIMITS
from tests.waiting import wait_until

LONG = replace(LIMITS, cpu_seconds=LIMITS.cpu_seconds + 8)


def busy(waiting):
    return SandboxBusyError("sandbox_busy", waiting=waiting)


class Runs:
    """Runs that hold their permits until they are told to end."""

    def __init__(self, share):
        self.share, self.begun, self.ends, self.threads = share, [], {}, []

    def start(self, visitor, limits=LIMITS):
        self.ends[visitor] = threading.Event()

        def run():
            with self.share.turn(visitor, limits):
                self.begun.append(visitor)
                self.ends[visitor].wait(60)

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()

    def end(self):
        for each in self.ends.values():
            each.set()
        for thread in self.threads:
            thread.join(60)


@pytest.fixture
def usage():
    return Usage(lambda: 0.0)


@pytest.fixture
def runs(usage):
    made = Runs(FairShare(replace(LIMITS, children=4, long_children=2, waiting=3), busy, usage))
    yield made
    made.end()


def test_long_runs_take_few_of_the_permits_and_short_ones_find_the_others(runs):
    for number in range(4):
        runs.start(f"long {number}", LONG)
    wait_until(lambda: len(runs.begun) == 2 and runs.share.waiting == 2)
    for number in range(2):
        runs.start(f"short {number}")

    wait_until(lambda: {"short 0", "short 1"} <= {*runs.begun})
    assert runs.share.waiting == 2


def test_runs_of_a_heavy_user_are_long_and_wait_for_those_who_used_less(runs, usage):
    usage.add("heavy", FREE_SECONDS + SHARE_SECONDS + 9)
    usage.add("less", FREE_SECONDS + SHARE_SECONDS + 1)
    for number in range(2):
        runs.start(f"long {number}", LONG)
    wait_until(lambda: len(runs.begun) == 2)
    runs.start("heavy")
    wait_until(lambda: runs.share.waiting == 1)
    runs.start("less")
    wait_until(lambda: runs.share.waiting == 2)
    runs.start("light")
    wait_until(lambda: runs.begun[-1] == "light")

    runs.ends["long 0"].set()
    wait_until(lambda: len(runs.begun) == 4)
    assert runs.begun[-1] == "less"


def test_the_queue_of_long_runs_is_bounded_and_leaves_short_ones_alone(runs):
    for number in range(5):
        runs.start(f"long {number}", LONG)
    wait_until(lambda: runs.share.waiting == 3)

    with pytest.raises(SandboxBusyError), runs.share.turn("one more", LONG):
        pass
    with runs.share.turn("short", LIMITS):
        assert runs.share.waiting == 3


@pytest.mark.parametrize(
    ("visitor", "seconds", "used"),
    [("a", 0.5, 0.0), ("a", FREE_SECONDS + 3, 6.0), ("", 100.0, 0.0)],
)
def test_small_runs_and_those_of_nobody_do_not_count(usage, visitor, seconds, used):
    usage.add(visitor, seconds)
    usage.add(visitor, seconds)

    assert usage.of(visitor) == used
