"""Polls in the database of progress, for all replicas; pages read them from memory.

A thread reads the current poll and its votes while any page asks for them: three small queries,
at most twice a second, whatever the size of the class. Votes go through the queue of the
``ProgressWriter``, so they are written when the database is available again, or after a restart. A
vote is in a snapshot only once it is in the database.
"""

import logging
import threading
import time
from collections import OrderedDict
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from hosting.progress.database import polls, students, votes
from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.records import (
    PRESENT_SECONDS,
    Poll,
    ProgressUnavailableError,
    Seen,
    Snapshot,
    Stage,
    Vote,
    now,
)

LIVE_READ_SECONDS, IDLE_READ_SECONDS = 0.5, 1.0  # between two readings
WATCHED_SECONDS = 10.0  # after the last question for a snapshot, reading stops
FIRST_READ_TIMEOUT_SECONDS = 0.3  # a page waits so long where nobody has asked for a while
SEEN_INTERVAL_SECONDS = 60.0  # of one student
MAX_PRESENT = 10_000
logger = logging.getLogger(__name__)


class DatabasePoll:
    """Polls and votes in the database; see ``LivePoll``.

    Args:
        writer: Writes the votes; its store has the database.
    """

    def __init__(self, writer: ProgressWriter) -> None:
        self._writer = writer
        self._changed = threading.Condition()
        self._snapshot = Snapshot()
        self._readings = 0
        self._asked_at = self._read_at = -WATCHED_SECONDS
        self._is_failing = False
        self._is_stopping = False
        self._seen: OrderedDict[str, float] = OrderedDict()
        self._thread = threading.Thread(target=self._run, name="live-poll", daemon=True)

    def start(self) -> None:
        """Start the thread that reads."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(FIRST_READ_TIMEOUT_SECONDS)

    def snapshot(self, *, may_wait: bool = True) -> Snapshot:
        """Return the state as it was read last; wait a moment if that was long ago."""
        with self._changed:
            moment = time.monotonic()
            is_old = moment - self._read_at > WATCHED_SECONDS
            was_watched, self._asked_at = self._is_watched(), moment
            if not was_watched:
                self._changed.notify_all()
            if may_wait and is_old and not self._is_failing:
                before = self._readings
                self._changed.wait_for(
                    lambda: self._readings > before or self._is_failing, FIRST_READ_TIMEOUT_SECONDS
                )
            return self._snapshot

    def ask(self, poll: Poll) -> None:
        """Ask a question; the poll before it ends."""
        with self._writer.store.changing() as connection:
            _end_all(connection)
            connection.execute(
                insert(polls).values(
                    id=poll.id,
                    lesson=poll.lesson,
                    step=poll.step,
                    round=poll.round,
                    machine=poll.machine,
                    gpus=poll.gpus,
                    memory_gib=poll.memory_gib,
                    first=poll.first,
                    asked_at=poll.asked_at,
                    is_open=poll.is_open,
                    stage=poll.stage,
                )
            )
        self._read()

    def change(self, poll: str, *, is_open: bool | None = None, stage: Stage | None = None) -> None:
        """Open or close a poll, or change what the projector shows of it."""
        given = {"is_open": is_open, "stage": stage}
        values = {name: value for name, value in given.items() if value is not None}
        with self._writer.store.changing() as connection:
            connection.execute(update(polls).where(polls.c.id == poll).values(values))
        self._read()

    def end(self) -> None:
        """End the current poll."""
        with self._writer.store.changing() as connection:
            _end_all(connection)
        self._read()

    def vote(self, poll: str, voter: str, said: str) -> None:
        """Put a vote into the queue of the writer."""
        self._writer.enqueue([Vote(student=voter, poll=poll, said=said)])

    def note_present(self, voter: str) -> None:
        """Put a visit into that queue, at most once a minute for each student."""
        with self._changed:
            moment = time.monotonic()
            if moment - self._seen.get(voter, -SEEN_INTERVAL_SECONDS) < SEEN_INTERVAL_SECONDS:
                return
            self._seen.pop(voter, None)
            self._seen[voter] = moment
            if len(self._seen) > MAX_PRESENT:
                self._seen.popitem(last=False)
        self._writer.enqueue([Seen(student=voter)])

    # -- the thread --------------------------------------------------------------------------

    def _run(self) -> None:
        while self._wait():
            try:
                self._read()
            except ProgressUnavailableError:
                self._note_failure()
            except Exception:
                logger.exception("the live poll cannot be read")
                self._note_failure()

    def _wait(self) -> bool:
        """Wait until it is time to read; return False when the thread should end."""
        with self._changed:
            while not self._is_stopping:
                every = LIVE_READ_SECONDS if self._snapshot.poll else IDLE_READ_SECONDS
                pause = self._read_at + every - time.monotonic() if self._is_watched() else None
                if pause is not None and pause <= 0.0:
                    return True
                self._changed.wait(pause)
            return False

    def _is_watched(self) -> bool:
        return time.monotonic() - self._asked_at < WATCHED_SECONDS

    def _read(self) -> None:
        with self._writer.store.reading() as connection:
            found = _read_snapshot(connection)
        with self._changed:
            self._snapshot = found
            self._is_failing = False
            self._note_reading()

    def _note_failure(self) -> None:
        with self._changed:
            self._is_failing = True
            self._note_reading()

    def _note_reading(self) -> None:
        self._readings += 1
        self._read_at = time.monotonic()
        self._changed.notify_all()


def _end_all(connection: Connection) -> None:
    connection.execute(
        update(polls).where(polls.c.ended_at.is_(None)).values(ended_at=now(), is_open=False)
    )


def _read_snapshot(connection: Connection) -> Snapshot:
    since = now() - timedelta(seconds=PRESENT_SECONDS)
    present = connection.execute(
        select(func.count()).select_from(students).where(students.c.seen_at >= since)
    ).scalar_one()
    current = select(polls).where(polls.c.ended_at.is_(None)).order_by(polls.c.number.desc())
    row = connection.execute(current.limit(1)).one_or_none()
    if row is None:
        return Snapshot(present=present)
    first = connection.execute(select(polls).where(polls.c.id == row.first)).one_or_none()
    return Snapshot(
        poll=_poll(row),
        votes=_votes(connection, row.id),
        first=_poll(first) if first else None,
        first_votes=_votes(connection, row.first) if first else {},
        present=present,
    )


def _poll(row: Row[Any]) -> Poll:
    names = ("id", "lesson", "step", "round", "machine", "gpus", "memory_gib", "first", "asked_at")
    values = {name: getattr(row, name) for name in names}
    return Poll(**values, is_open=row.is_open, stage=Stage(row.stage))


def _votes(connection: Connection, poll: str) -> dict[str, str]:
    rows = connection.execute(
        select(students.c.id, votes.c.said)
        .join_from(votes, students, students.c.number == votes.c.student)
        .where(votes.c.poll == poll)
    )
    return {row.id: row.said for row in rows}
