"""Workers that are to start at a moment that comes later."""

import threading

import pytest

from playground.compute.runner import Runner
from tests.compute.conftest import cpu_lanes
from tests.compute.probe.records import SeeProcess


@pytest.fixture
def moment():
    return threading.Event()


@pytest.fixture
def late(moment):
    """A runner of one worker that waits for the moment."""
    running = Runner(lambda: cpu_lanes(workers=1))
    running.start(after=moment.wait)
    yield running
    moment.set()
    running.stop()


def test_workers_start_once_it_has_come(runner, late, moment, until):
    assert late.status().is_awaited
    assert late.status().lanes == ()

    moment.set()
    until(lambda: late.status().is_ready)

    assert not late.status().is_awaited


def test_an_experiment_does_not_wait_for_it(runner, late, moment, until):
    pid = late.run(SeeProcess()).pid
    waiting = [each for each in threading.enumerate() if each.name == "compute-start"]
    moment.set()
    until(lambda: not any(each.is_alive() for each in waiting))

    assert waiting
    assert late.run(SeeProcess()).pid == pid  # no second set of workers


def test_a_runner_that_was_stopped_meanwhile_stays_so(runner, late, moment, until):
    late.stop()
    waiting = [each for each in threading.enumerate() if each.name == "compute-start"]
    moment.set()
    until(lambda: not any(each.is_alive() for each in waiting))

    assert waiting
    assert late.status().lanes == ()
    assert not late.status().is_awaited
