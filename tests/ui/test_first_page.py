"""The first page goes before the workers, and nothing waits for it without end."""

import threading

from ui import first_page


def test_the_workers_wait_until_it_is_drawn(monkeypatch):
    monkeypatch.setattr(first_page, "_drawn", threading.Event())
    monkeypatch.setattr(first_page, "PATIENCE_SECONDS", None)  # as long as it takes
    waiting = threading.Thread(target=first_page.wait)
    waiting.start()

    assert waiting.is_alive()
    first_page.tell_drawn()
    waiting.join()


def test_the_workers_start_although_nobody_comes(monkeypatch):
    monkeypatch.setattr(first_page, "_drawn", threading.Event())
    monkeypatch.setattr(first_page, "PATIENCE_SECONDS", 0.01)

    first_page.wait()  # comes back
