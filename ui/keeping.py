"""A session's way to the database: what was kept is brought in once, what is new handed over.

No run of a page waits for the database: reading happens in another thread, which the first run
gives a moment, and writing in the keeper's. What the keeper has no room for stays in the session
and is handed over again with the next run.
"""

import time
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYetError
from dataclasses import dataclass, field

import streamlit as st

from hosting import progress
from hosting.progress import Answer, Done, Entry, Kept, ProgressUnavailableError, Seen
from hosting.progress.records import clean_name
from ui import visitor

KEY = "keeping"
MOMENT = 0.3  # seconds that the first run gives the database
SEEN_EVERY = 60.0  # seconds
MOST_UNSENT = 5_000  # entries of one session: far more than the lessons have


@dataclass(slots=True)
class Keeping:
    """What a signed-in student's session holds.

    Attributes:
        name: As the teacher sees it.
        may_choose_name: The identity provider gave none.
        said: The last answers of earlier sessions, by ``lesson/step``.
        unsent: What the keeper had no room for.
    """

    student: str
    name: str = ""
    may_choose_name: bool = True
    said: dict[str, str] = field(default_factory=dict)
    unsent: list[Entry] = field(default_factory=list)
    loading: "Future[Kept] | None" = None
    is_loaded: bool = False
    seen_at: float = 0.0


def arrive() -> frozenset[str]:
    """In each whole run: bring in what was kept, hand over what is left.

    Returns:
        What was done in earlier sessions, once, as ``lesson/part``; else nothing.
    """
    keeping = _settle()
    if keeping is None:
        return frozenset()
    _hand_over(keeping)
    moment = time.monotonic()
    if not keeping.seen_at or moment - keeping.seen_at >= SEEN_EVERY:
        keeping.seen_at = moment
        _hand_over(keeping, Seen(student=keeping.student, name=_told_name(keeping)))
    return frozenset() if keeping.is_loaded else _bring_in(keeping)


def note_done(lesson: str, part: str) -> None:
    """Keep that a step or a challenge is done."""
    keeping = current()
    if keeping is not None:
        _hand_over(keeping, Done(student=keeping.student, lesson=lesson, part=part))


def note_answer(lesson: str, step: str, said: str, truth: str) -> None:
    """Keep what was predicted, and what really happened."""
    keeping = current()
    if keeping is not None:
        _hand_over(
            keeping,
            Answer(
                student=keeping.student,
                lesson=lesson,
                step=step,
                said=said,
                truth=truth,
                is_right=said == truth,
            ),
        )


def said_before(lesson: str, step: str) -> str:
    """The answer of an earlier session, or nothing."""
    keeping = current()
    return keeping.said.get(f"{lesson}/{step}", "") if keeping else ""


def choose_name(name: str) -> None:
    """Take the name that the student wants the teacher to see; empty for none."""
    keeping = current()
    if keeping is not None and keeping.may_choose_name:
        keeping.name = clean_name(name)
        _hand_over(keeping, Seen(student=keeping.student, name=keeping.name))


def forget() -> None:
    """Delete what is kept of the student; the session itself goes on.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    keeping, keeper = current(), progress.current()
    if keeping is not None and keeper is not None:
        keeper.forget(keeping.student)
        st.session_state[KEY] = Keeping(
            student=keeping.student,
            may_choose_name=keeping.may_choose_name,
            is_loaded=True,
            seen_at=time.monotonic(),  # not noted again before the next click in a minute
        )


def is_awaited() -> bool:
    """Whether what was kept has not been brought in yet."""
    keeping = current()
    return keeping is not None and not keeping.is_loaded


def is_asked() -> bool:
    """Whether the database is being asked for it at the moment."""
    keeping = current()
    return keeping is not None and keeping.loading is not None


def has_arrived() -> bool:
    """Whether a whole run could bring it in now."""
    keeping, keeper = current(), progress.current()
    if keeping is None or keeper is None or keeping.is_loaded:
        return False
    return keeping.loading.done() if keeping.loading is not None else keeper.is_available


def is_troubled() -> bool:
    """Whether what is new cannot be written at the moment; nothing of it is lost."""
    keeper = progress.current()
    return keeper is not None and keeper.is_troubled


def current() -> Keeping | None:
    """What this session holds; None where nothing is kept of it."""
    keeping: Keeping | None = st.session_state.get(KEY)
    return keeping


def _settle() -> Keeping | None:
    if progress.current() is None:
        return None
    who = visitor.current()
    if who is None or who.is_teacher:
        st.session_state.pop(KEY, None)
        return None
    keeping = current()
    if keeping is None or keeping.student != who.student:
        keeping = Keeping(
            student=who.student, name=who.name or "", may_choose_name=who.name is None
        )
        st.session_state[KEY] = keeping
    return keeping


def _told_name(keeping: Keeping) -> str | None:
    """The provider's name is told again each time; a chosen one is in the database already."""
    return None if keeping.may_choose_name else keeping.name


def _bring_in(keeping: Keeping) -> frozenset[str]:
    keeper = progress.current()
    if keeper is None:
        return frozenset()
    is_first = keeping.loading is None
    loading = keeping.loading or keeper.load(keeping.student)
    keeping.loading = loading
    try:
        kept = loading.result(MOMENT if is_first else 0.0)
    except NotYetError:
        return frozenset()
    except (ProgressUnavailableError, CancelledError):
        keeping.loading = None  # again with the next run
        return frozenset()
    keeping.is_loaded, keeping.loading = True, None
    keeping.said = dict(kept.said)
    keeping.name = keeping.name or kept.name
    return kept.done


def _hand_over(keeping: Keeping, *entries: Entry) -> None:
    keeper = progress.current()
    held = [*keeping.unsent, *entries]
    keeping.unsent = (keeper.hand_over(held) if keeper else held)[:MOST_UNSENT]
