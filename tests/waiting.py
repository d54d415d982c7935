"""Wait for what happens in another thread or process: for an event, never for a time."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
MAX_SECONDS = 300.0  # a limit for what hangs, no expectation
LOOK_SECONDS = 0.01


def wait_until(look: Callable[[], T | None]) -> T:
    """Look again and again, and return what is found as soon as it is true."""
    latest = time.monotonic() + MAX_SECONDS
    while time.monotonic() < latest:
        if found := look():
            return found
        time.sleep(LOOK_SECONDS)  # noqa: TID251 - between two looks
    raise TimeoutError("it never came about")
