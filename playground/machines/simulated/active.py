"""Which simulated host this thread is inside, if any; every other file asks here."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playground.machines.simulated.host import SimulatedHost


class _ThisThread(threading.local):
    host: "SimulatedHost | None" = None


this_thread = _ThisThread()


@contextmanager
def entered(host: "SimulatedHost | None") -> Iterator[None]:
    """Make ``host`` the one this thread is inside; ``None`` means torch as it was installed.

    Torch's modes are per thread, so this is too: other threads notice nothing.
    """
    outer = this_thread.host
    this_thread.host = host
    try:
        yield
    finally:
        this_thread.host = outer
