"""Wait for what happens in another thread or process: for an event, never for a time."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
MAX_SECONDS = 300.0  # a limit for what hangs, no expectation
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.005, 0.1  # a look may be a request to a busy server


def wait_until(look: Callable[[], T | None]) -> T:
    """Look again and again, and return what is found as soon as it is true."""
    latest, pause = time.monotonic() + MAX_SECONDS, FIRST_PAUSE_SECONDS
    while time.monotonic() < latest:
        if found := look():
            return found
        time.sleep(pause)  # noqa: TID251 - between two looks
        pause = min(pause * 1.2, MAX_PAUSE_SECONDS)
    raise TimeoutError("it never came about")
