"""Saved progress: what signed-in students have done and answered, in a database.

If the gate is open, nothing is saved, and the database's library is not even loaded. Otherwise
``start(settings)`` starts a ``ProgressWriter`` with a thread of its own; pages enqueue entries and
never wait for the database. ``progress_writer`` says what happens while it is not available.
"""

from typing import TYPE_CHECKING

from hosting.progress.records import (
    Answer,
    Done,
    Entry,
    ProgressUnavailableError,
    SavedProgress,
    Seen,
)
from hosting.settings import Gate

if TYPE_CHECKING:
    from hosting.progress.progress_writer import ProgressWriter
    from hosting.settings import Settings

__all__ = [
    "Answer",
    "Done",
    "Entry",
    "ProgressUnavailableError",
    "SavedProgress",
    "Seen",
    "check",
    "current",
    "start",
    "stop",
]

_writer: "ProgressWriter | None" = None


def check(settings: "Settings") -> None:
    """Check the URL of the database; connect to nothing.

    Raises:
        SettingError: It is invalid, or its driver is not installed.
    """
    if settings.gate is not Gate.OPEN:
        from hosting.progress.database import open_database

        open_database(settings).dispose()


def start(settings: "Settings") -> None:
    """Start to save progress, unless the gate is open: then nobody is identified.

    Returns at once: a database that is not available is retried.

    Raises:
        SettingError: As from ``check``.
    """
    global _writer
    if settings.gate is Gate.OPEN or _writer is not None:
        return
    from hosting.progress.database import open_database
    from hosting.progress.progress_writer import ProgressWriter
    from hosting.progress.records import SpillFile
    from hosting.progress.store import Store

    store = Store(open_database(settings))
    _writer = ProgressWriter(store, SpillFile(settings.data_folder), keep_days=settings.keep_days)
    _writer.start()


def stop() -> None:
    """Write the queue, or spill it for the next start; safe to call twice."""
    global _writer
    stopping, _writer = _writer, None
    if stopping is not None:
        stopping.stop()


def current() -> "ProgressWriter | None":
    """Return the writer of this process; None if no progress is saved."""
    return _writer
