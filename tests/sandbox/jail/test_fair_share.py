import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from playground.errors import SandboxBusyError
from playground.sandbox.jail.jail import LIGHT_USE_SECONDS, UNCOUNTED_SECONDS, FairShare, Usage
from playground.sandbox.limits import LIMITS
from tests.waiting import wait_until

LONG = replace(LIMITS, cpu_seconds=LIMITS.cpu_seconds + 8)


class Runs:
    """Runs that hold their permits until they are told to end."""

    def __init__(self, share):
        self.share, self.begun, self.ends = share, [], {}
        self.threads = ThreadPoolExecutor(10)

    def start(self, *visitors, limits=LIMITS):
        for visitor in visitors:
            self.ends[visitor] = threading.Event()
            self.threads.submit(self._run, visitor, limits)

    def _run(self, visitor, limits):
        with self.share.turn(visitor, limits):
            self.begun.append(visitor)
            self.ends[visitor].wait(60)

    def end(self):
        for each in self.ends.values():
            each.set()
        self.threads.shutdown()


@pytest.fixture
def usage():
    return Usage(lambda: 0.0)


@pytest.fixture
def runs(usage):
    limits = replace(LIMITS, children=4, long_children=2, waiting=3)
    made = Runs(FairShare(limits, lambda count: SandboxBusyError("busy", waiting=count), usage))
    yield made
    made.end()


def test_long_runs_take_few_of_the_permits_and_their_queue_is_bounded(runs):
    runs.start("a", "b", "c", "d", "e", limits=LONG)
    wait_until(lambda: len(runs.begun) == 2 and runs.share.waiting == 3)
    with pytest.raises(SandboxBusyError), runs.share.turn("one more", LONG):
        pass
    runs.start("short", "short too")

    wait_until(lambda: {"short", "short too"} <= {*runs.begun})
    assert runs.share.waiting == 3


def test_runs_of_a_heavy_user_are_long_and_wait_for_those_who_used_less(runs, usage):
    usage.add("heavy", UNCOUNTED_SECONDS + LIGHT_USE_SECONDS + 9)
    usage.add("less", UNCOUNTED_SECONDS + LIGHT_USE_SECONDS + 1)
    runs.start("long", "long too", limits=LONG)
    wait_until(lambda: len(runs.begun) == 2)
    runs.start("heavy")
    wait_until(lambda: runs.share.waiting == 1)
    runs.start("less")
    wait_until(lambda: runs.share.waiting == 2)
    runs.start("light")
    wait_until(lambda: runs.begun[-1] == "light")

    runs.ends["long"].set()
    wait_until(lambda: len(runs.begun) == 4)
    assert runs.begun[-1] == "less"


@pytest.mark.parametrize(
    ("visitor", "seconds", "used"),
    [("a", 0.5, 0.0), ("a", UNCOUNTED_SECONDS + 3, 6.0), ("", 100.0, 0.0)],
)
def test_small_runs_and_those_of_nobody_do_not_count(usage, visitor, seconds, used):
    usage.add(visitor, seconds)
    usage.add(visitor, seconds)
    assert usage.of(visitor) == used
