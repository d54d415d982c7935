"""Synchronise a session's progress with the database.

No run of a page waits for the database: another thread reads, for which the first run waits a
moment, and the writer's thread writes. Entries that the writer has no room for stay in the session
and are sent again with the next run.
"""

import time
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYetError
from dataclasses import dataclass, field

import streamlit as st

from hosting import progress
from hosting.progress import Answer, Done, Entry, ProgressUnavailableError, SavedProgress, Seen
from hosting.progress.records import Assignment, clean_name
from ui import visitor

KEY = "progress-sync"  # in the session
FIRST_LOAD_TIMEOUT_SECONDS = 0.3  # the first run waits so long for the database
SEEN_INTERVAL_SECONDS = 60.0
MAX_UNSENT = 5_000  # entries of one session: far more than the lessons have


@dataclass(slots=True)
class ProgressSync:
    """The progress of a signed-in student's session.

    Attributes:
        name: The name that the teacher sees, if the student has given one.
        said: The last answers of earlier sessions, by ``lesson/step``.
        predictions: The last prediction of each step in earlier sessions, and the true answer.
        assignments: Of the class.
        unsent: Entries that the writer had no room for.
    """

    student: str
    name: str = ""
    said: dict[str, str] = field(default_factory=dict)
    predictions: dict[str, tuple[str, str]] = field(default_factory=dict)
    assignments: tuple[Assignment, ...] = ()
    unsent: list[Entry] = field(default_factory=list)
    loading: "Future[SavedProgress] | None" = None
    is_loaded: bool = False
    seen_at: float = 0.0


def sync() -> frozenset[str]:
    """Load stored progress, and send unsent entries; called in each run of a page.

    Returns:
        The parts done in earlier sessions, once, as ``lesson/part``; else nothing.
    """
    session = _resolve()
    if session is None:
        return frozenset()
    _enqueue(session)
    moment = time.monotonic()
    if not session.seen_at or moment - session.seen_at >= SEEN_INTERVAL_SECONDS:
        session.seen_at = moment
        _enqueue(session, Seen(student=session.student))
    return frozenset() if session.is_loaded else _load(session)


def note_done(lesson: str, part: str) -> None:
    """Store that a step or a challenge is done."""
    session = current()
    if session is not None:
        _enqueue(session, Done(student=session.student, lesson=lesson, part=part))


def note_answer(lesson: str, step: str, said: str, truth: str) -> None:
    """Store a prediction, and the true answer."""
    session = current()
    if session is not None:
        _enqueue(
            session,
            Answer(
                student=session.student,
                lesson=lesson,
                step=step,
                said=said,
                truth=truth,
                is_right=said == truth,
            ),
        )


def earlier_predictions() -> Mapping[str, tuple[str, str]]:
    """Return the predictions of earlier sessions and the true answers, by ``lesson/step``."""
    session = current()
    return session.predictions if session else {}


def earlier_answer(lesson: str, step: str) -> str:
    """Return the prediction of an earlier session, or an empty text."""
    session = current()
    return session.said.get(f"{lesson}/{step}", "") if session else ""


def set_name(name: str) -> None:
    """Set the name that the teacher sees; empty for none."""
    session = current()
    if session is not None:
        session.name = clean_name(name)
        _enqueue(session, Seen(student=session.student, name=session.name))


def delete_progress() -> None:
    """Delete the student's stored progress; the session itself goes on.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    session, writer = current(), progress.current()
    if session is not None and writer is not None:
        writer.delete(session.student)
        st.session_state[KEY] = ProgressSync(
            student=session.student,
            is_loaded=True,
            seen_at=time.monotonic(),  # not noted again before the next click in a minute
        )


def is_pending() -> bool:
    """Return whether stored progress has not been loaded yet."""
    session = current()
    return session is not None and not session.is_loaded


def is_loading() -> bool:
    """Return whether stored progress is being read from the database."""
    session = current()
    return session is not None and session.loading is not None


def is_loadable() -> bool:
    """Return whether a run of the page could load stored progress now."""
    session, writer = current(), progress.current()
    if session is None or writer is None or session.is_loaded:
        return False
    return session.loading.done() if session.loading is not None else writer.is_available


def is_write_failing() -> bool:
    """Return whether new entries cannot be written at the moment; none is lost."""
    writer = progress.current()
    return writer is not None and writer.is_failing


def current() -> ProgressSync | None:
    """Return the session's progress; None if nothing is stored for it."""
    session: ProgressSync | None = st.session_state.get(KEY)
    return session


def _resolve() -> ProgressSync | None:
    if progress.current() is None:
        return None
    who = visitor.current()
    if who is None or who.is_teacher:
        st.session_state.pop(KEY, None)
        return None
    session = current()
    if session is None or session.student != who.student:
        session = ProgressSync(student=who.student)
        st.session_state[KEY] = session
    return session


def _load(session: ProgressSync) -> frozenset[str]:
    writer = progress.current()
    if writer is None:
        return frozenset()
    is_first = session.loading is None
    loading = session.loading or writer.load(session.student)
    session.loading = loading
    try:
        kept = loading.result(FIRST_LOAD_TIMEOUT_SECONDS if is_first else 0.0)
    except NotYetError:
        return frozenset()
    except (ProgressUnavailableError, CancelledError):
        session.loading = None  # again with the next run
        return frozenset()
    session.is_loaded, session.loading = True, None
    session.said = {name: said for name, (said, _) in kept.answers.items()}
    session.predictions = dict(kept.answers)
    session.assignments = kept.assignments
    session.name = session.name or kept.name
    return kept.done


def _enqueue(session: ProgressSync, *entries: Entry) -> None:
    writer = progress.current()
    held = [*session.unsent, *entries]
    session.unsent = (writer.enqueue(held) if writer else held)[:MAX_UNSENT]
