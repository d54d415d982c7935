import logging
import threading

from playground.errors import SandboxBusyError
from playground.sandbox.live_run import LiveRun
from ui.lab.run import OnWait, SandboxRun

LONG = 60.0


def test_the_place_in_the_queue_is_reported():
    reported, go_on = threading.Event(), threading.Event()

    def do(on_wait: OnWait) -> int:
        on_wait(3)
        reported.set()
        go_on.wait(LONG)
        return 0

    run = SandboxRun(do)
    assert reported.wait(LONG)
    assert run.place == 3
    assert not run.wait(0)
    go_on.set()
    assert run.wait(LONG)


def test_a_stopped_run_leaves_the_queue_and_has_no_report():
    waits, left = threading.Event(), threading.Event()

    def do(on_wait: OnWait) -> int:
        try:
            while True:
                on_wait(1)
                waits.set()
        finally:
            left.set()

    run = SandboxRun(do)
    assert waits.wait(LONG)
    run.stop()

    assert run.is_over
    assert left.wait(LONG)
    assert run.report is None


def test_what_a_run_has_done_is_awaited_however_long_it_takes_to_stop():
    live, begun, go_on = LiveRun(), threading.Event(), threading.Event()

    def do(_: OnWait) -> int:
        live.begin()
        begun.set()
        go_on.wait(LONG)
        return 7

    run = SandboxRun(do, live=live)
    assert begun.wait(LONG)
    run.stop()
    assert not run.wait(1.2)
    go_on.set()
    assert (run.wait(LONG), run.report) == (True, 7)


def test_an_error_of_the_playground_is_kept_to_be_said():
    def do(_: OnWait) -> int:
        raise SandboxBusyError("sandbox_busy", waiting=30)

    run = SandboxRun(do)

    assert run.wait(LONG)
    assert run.error is not None
    assert run.error.values == {"waiting": 30}


def test_any_other_error_is_logged_whole(caplog):
    def do(_: OnWait) -> int:
        raise ValueError("an unexpected error")

    with caplog.at_level(logging.ERROR):
        run = SandboxRun(do)
        assert run.wait(LONG)

    assert (run.report, run.error) == (None, None)
    assert "an unexpected error" in caplog.text


def test_the_next_run_begins_only_after_the_one_before():
    order: list[str] = []
    begun, go_on = threading.Event(), threading.Event()

    def first(_: OnWait) -> None:
        begun.set()
        go_on.wait(LONG)
        order.append("first")

    def second(_: OnWait) -> None:
        order.append("second")

    before = SandboxRun(first)
    assert begun.wait(LONG)  # one that is stopped before does nothing
    before.stop()
    after = SandboxRun(second, after=before)
    assert not after.wait(0)
    go_on.set()

    assert after.wait(LONG)
    assert order == ["first", "second"]
