"""The first page goes before the workers, and nothing waits for it without end."""

import threading

import pytest

from ui import first_page

LONG = 60.0  # seconds; a limit for what hangs, no expectation


@pytest.fixture
def worker(monkeypatch):
    """A thread that starts workers in a server that has just begun."""
    monkeypatch.setattr(first_page, "_drawn", threading.Event())
    return threading.Thread(target=first_page.wait, daemon=True)


def test_the_workers_wait_until_it_is_drawn(worker, monkeypatch):
    monkeypatch.setattr(first_page, "PATIENCE_SECONDS", None)  # as long as it takes
    worker.start()

    assert worker.is_alive()
    first_page.tell_drawn()
    worker.join(LONG)
    assert not worker.is_alive()


def test_the_workers_start_although_nobody_comes(worker, monkeypatch):
    monkeypatch.setattr(first_page, "PATIENCE_SECONDS", 0.01)
    worker.start()
    worker.join(LONG)

    assert not worker.is_alive()
