"""The cost that a stranger's input may have in the web process: 0.5 s of computing, 20 MiB.

A cost is a multiple of a fixed piece of work, timed beside it, so no computer is too slow for it.
What others do at the same time can only add to a cost: one run within the budget proves it.
"""

import gc
import hashlib
import time
import tracemalloc
from collections.abc import Callable

import pytest

REFERENCES = 10  # half a second where one takes 0.05 s, as on the two slow cores of a small server
MEMORY_BYTES = 20 * 2**20
TRIES = 6

Act = Callable[[], object]
_references: list[float] = []


def assert_cheap(act: Act) -> None:
    """Fail unless one of some tries is within the budget of computing."""
    costs = []
    for _ in range(TRIES):
        seconds = _seconds(act)
        if not _references or seconds > REFERENCES * min(_references):
            gc.collect()  # a reference that pays for others' garbage would allow more
            _references.append(_seconds(_reference))
        costs.append(seconds / _references[-1])
        if costs[-1] <= REFERENCES:
            return
    pytest.fail(f"at best {min(costs):.1f} references, more than {REFERENCES}")


def assert_small(act: Act) -> None:
    """Fail where it takes more memory than the budget while it works.

    What is loaded or cached once is not its own: where the first time is large, the second counts.
    """
    if _peak_bytes(act) > MEMORY_BYTES:
        assert _peak_bytes(act) <= MEMORY_BYTES


def _peak_bytes(act: Act) -> int:
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _seconds(act: Act) -> float:
    """Return its CPU seconds, in all threads of this process."""
    began = time.process_time()
    act()
    return time.process_time() - began


def _reference() -> str:
    """Work of many kinds: dicts, tuples, texts, sorting, hashing."""
    table = {f"layer.{number}.weight": (number, (number, 1)) for number in range(30_000)}
    return hashlib.sha256(repr(sorted(table.items(), reverse=True)).encode()).hexdigest()
