import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from playground.errors import RunQuotaError
from playground.sandbox.limits import LIMITS
from playground.sandbox.quotas import MAX_SESSIONS, Quotas


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def quotas(clock):
    return Quotas(clock=clock)


def ask(quotas, session="a", times=1):
    for _ in range(times):
        with quotas.turn(session):
            pass


def refusal(quotas, session="a"):
    with pytest.raises(RunQuotaError) as refused:
        ask(quotas, session)
    return refused.value


def test_one_cell_of_a_session_runs_at_a_time(quotas):
    with quotas.turn("a"):
        assert refusal(quotas).key == "run_going_on"
        ask(quotas, "b")

    ask(quotas)


def test_a_run_that_fails_lets_the_next_one_in(quotas):
    with pytest.raises(ZeroDivisionError), quotas.turn("a"):
        1 / 0  # noqa: B018

    ask(quotas)


def test_so_many_runs_a_minute_and_then_the_seconds_to_wait(quotas, clock):
    ask(quotas, times=LIMITS.runs_per_minute)

    refused = refusal(quotas)

    assert refused.key == "run_too_often"
    assert refused.values == {"seconds": 3, "most": 20}  # twenty a minute: one in three seconds
    for _ in range(50):  # a refusal costs nothing
        refusal(quotas)
    clock.now += 2.9
    assert refusal(quotas).values["seconds"] == 1
    clock.now += 0.1
    ask(quotas)
    assert refusal(quotas).values["seconds"] == 3
    clock.now -= 50.0  # a clock that goes back gives nothing
    assert refusal(quotas).key == "run_too_often"


@pytest.mark.parametrize("seconds", [60.0, 3600.0])
def test_who_waits_a_minute_has_all_runs_again_and_no_more(quotas, clock, seconds):
    for _ in range(2):
        ask(quotas, times=LIMITS.runs_per_minute)
        assert refusal(quotas).key == "run_too_often"
        clock.now += seconds


def test_all_sessions_together_have_a_limit(clock):
    quotas = Quotas(per_minute=30, clock=clock)
    for number in range(30):
        ask(quotas, f"reload {number}")

    refused = refusal(quotas, "one more")

    assert (refused.key, refused.values) == ("run_too_many", {"seconds": 2})
    clock.now += 2.0
    ask(quotas, "one more")


def test_forgotten_sessions_take_no_memory(clock):
    quotas = Quotas(per_minute=10**6, clock=clock)

    for number in range(MAX_SESSIONS + 10):
        ask(quotas, str(number))

    assert len(quotas._sessions) == MAX_SESSIONS


def test_of_many_threads_of_one_session_one_gets_in(quotas):
    together = threading.Barrier(8)
    inside = threading.Event()
    refused = []

    def come(_):
        together.wait()
        try:
            with quotas.turn("a"):
                return inside.wait(300)
        except RunQuotaError as error:
            refused.append(error.key)
            if len(refused) == 7:
                inside.set()

    with ThreadPoolExecutor(8) as threads:
        entered = [each for each in threads.map(come, range(8)) if each]

    assert (len(entered), refused) == (1, ["run_going_on"] * 7)
