from types import SimpleNamespace

import pytest

from playground.errors import RunQuotaError
from playground.sandbox.limits import LIMITS
from playground.sandbox.quotas import MAX_SESSIONS, Quotas


@pytest.fixture
def clock():
    return SimpleNamespace(now=100.0)


@pytest.fixture
def quotas(clock):
    return Quotas(clock=lambda: clock.now)


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


@pytest.mark.parametrize("seconds", [60.0, 3600.0])
def test_who_waits_a_minute_has_all_runs_again_and_no_more(quotas, clock, seconds):
    for _ in range(2):
        ask(quotas, times=LIMITS.runs_per_minute)
        assert refusal(quotas).key == "run_too_often"
        clock.now += seconds


def test_all_sessions_together_have_a_limit(clock):
    quotas = Quotas(per_minute=30, clock=lambda: clock.now)
    for number in range(30):
        ask(quotas, f"reload {number}")
    refused = refusal(quotas, "one more")

    assert (refused.key, refused.values) == ("run_too_many", {"seconds": 2})
    clock.now += 2.0
    ask(quotas, "one more")


def test_forgotten_sessions_take_no_memory():
    quotas = Quotas(per_minute=10**6)
    for number in range(MAX_SESSIONS + 10):
        ask(quotas, str(number))

    assert len(quotas._sessions) == MAX_SESSIONS
