"""Experiments in this very process, for tests; torch enters by name, and only when one runs."""

import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playground.compute.settings import Settings

_lock = (
    threading.RLock()
)  # one task at a time, as in a worker: torch's state belongs to the process
_depth = 0


@contextmanager
def running_inline() -> Iterator[None]:
    """Within it ``compute.run`` executes in this process: no worker, no queue, no cache, no limit.

    It holds for all threads, since a page under test runs in a thread of its own.
    """
    global _depth
    with _lock:
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1


def is_inline() -> bool:
    """Whether experiments run in this process now."""
    return _depth > 0


def run_inline(settings: Settings[Any], tell: Callable[[Any], None] | None = None) -> Any:
    """Execute an experiment here, and put torch's global state back; its errors are not wrapped.

    Args:
        settings: The experiment's.
        tell: What it tells its progress to, where it has any.
    """
    worker = importlib.import_module("playground.compute.worker")
    with _lock:
        return worker.run_restored(settings, tell)
