"""A live poll: a teacher asks the class the question of a step, and its answers are counted.

``start()`` chooses where polls and votes are: in the database of progress, which all
replicas share and which survives a restart, or, in an open playground, in this process. Both follow
the protocol ``LivePoll``. No page waits for the database: ``snapshot()`` answers from memory, which
a thread reads from the database at most twice a second, however many pages ask.
"""

from typing import TYPE_CHECKING

from hosting import progress
from hosting.live_poll.poll import LivePoll, MemoryPoll, Poll, Snapshot, Stage

if TYPE_CHECKING:
    from hosting.live_poll.database_poll import DatabasePoll

__all__ = ["LivePoll", "Poll", "Snapshot", "Stage", "current", "start", "stop"]

_in_memory = MemoryPoll()
_in_database: "DatabasePoll | None" = None


def start() -> None:
    """Use the database if progress is saved there; called after ``progress.start``."""
    global _in_database
    writer = progress.current()
    if writer is None or _in_database is not None:
        return
    from hosting.live_poll.database_poll import DatabasePoll

    _in_database = DatabasePoll(writer)
    _in_database.start()


def stop() -> None:
    """Stop reading, and forget what only this process knows; safe to call twice."""
    global _in_database
    stopping, _in_database = _in_database, None
    if stopping is not None:
        stopping.stop()
    _in_memory.clear()


def current() -> LivePoll:
    """Return the polls of this server."""
    return _in_database or _in_memory
