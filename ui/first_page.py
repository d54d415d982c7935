"""The first page after a start of the server, which has the processors before the workers do.

They import torch, which takes all of two processors for seconds, and somebody waits for the page.
"""

import threading

PATIENCE_SECONDS = 2.0  # where nobody comes, the workers start all the same
_drawn = threading.Event()


def tell_drawn() -> None:
    """Say that a page is on its way to a visitor."""
    _drawn.set()


def wait() -> None:
    """Wait until one is, or until nobody seems to come."""
    _drawn.wait(PATIENCE_SECONDS)
