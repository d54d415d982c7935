"""The steps, challenges and predictions of a visitor, also of earlier visits.

They are in the session, and in the browser's storage; those of a signed-in student are in the
database instead. No run of a page waits for it: another thread reads, for which the first run waits
a moment, and the writer's thread writes. Entries that the writer has no room for stay in the
session and are sent again with the next run.
"""

import re
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYetError
from dataclasses import dataclass, field

import streamlit as st

from hosting import progress as saved
from hosting.progress import Answer, Done, Entry, ProgressUnavailableError, SavedProgress, Seen
from hosting.progress.records import Assignment, clean_name
from playground import catalog
from ui import visitor

KEY = "progress"  # in the session: the parts that are done, as ``lesson/part``
CLEARED = "progress-cleared"  # in the session: a count
AT, RESTORED, EARLIER = "progress-at", "progress-restored", "progress-earlier"
PREDICTIONS = "progress-predictions"  # in the session: by step, what was said and the truth
LAB = "lab"  # in place of a lesson: an exercise that is solved
EXERCISE = re.compile(r"[a-z0-9_-]{1,80}")
MAX_STORED = 1000  # parts that a browser may hold
MAX_ANSWER = 80  # characters
SYNC_KEY = "progress-sync"  # in the session, of a signed-in student
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


def load_saved() -> None:
    """Add a signed-in student's progress of earlier visits; called in each run of a page."""
    _done().update(filter(None, map(_current_id, sync())))


def restore(stored: object) -> None:
    """Add the progress in the browser's storage; invalid entries are ignored.

    A signed-in student's progress is stored on the server instead, since a browser may be shared.
    """
    st.session_state[RESTORED] = True
    if current_sync() is not None:
        return
    before = len(_done()), st.session_state.get(AT)
    given = stored.get("done") if isinstance(stored, dict) else None
    if isinstance(given, list):
        parts = (_current_id(each) for each in given[:MAX_STORED] if isinstance(each, str))
        _done().update(part for part in parts if part)
    said = stored.get("said") if isinstance(stored, dict) else None
    if isinstance(said, dict):
        for part, pair in list(said.items())[:MAX_STORED]:
            if (step := _current_id(str(part))) and _is_prediction(pair):
                _predictions().setdefault(step, (pair[0], pair[1]))
    at = stored.get("at") if isinstance(stored, dict) else None
    if isinstance(at, str) and AT not in st.session_state and _current_id(at):
        st.session_state[AT] = _current_id(at)
    st.session_state[EARLIER] = before != (len(_done()), st.session_state.get(AT))


def is_restored() -> bool:
    """Return whether the browser has sent its storage, so its script runs."""
    return bool(st.session_state.get(RESTORED))


def has_earlier() -> bool:
    """Return whether the browser's storage had progress that this visit did not know."""
    return bool(st.session_state.get(EARLIER))


def clear() -> None:
    """Forget what this session and the browser hold."""
    _done().clear()
    _predictions().clear()
    st.session_state.pop(AT, None)
    st.session_state[CLEARED] = st.session_state.get(CLEARED, 0) + 1


def clearings() -> int:
    """Return how often this session has asked the browser to forget."""
    count: int = st.session_state.get(CLEARED, 0)
    return count


def visit(lesson: str, step: str) -> None:
    """Note where the visitor is, for "continue where you were"."""
    st.session_state[AT] = f"{lesson}/{step}"


def last_step() -> tuple[catalog.Lesson, str] | None:
    """Return the lesson and the step where the visitor was last, or None."""
    lesson, _, step = st.session_state.get(AT, "").partition("/")
    return (catalog.lesson(lesson), step) if step else None


def stored(lesson: str = "") -> dict[str, object] | None:
    """Return the data for the browser's storage; None before it was read, or if signed in.

    Args:
        lesson: The predictions of this lesson are in it; the browser keeps those of the others.
    """
    if not is_restored() or current_sync() is not None:
        return None
    own = {step: pair for step, pair in _predictions().items() if step.startswith(f"{lesson}/")}
    return {"done": tuple(sorted(_done())), "at": st.session_state.get(AT, ""), "said": own}


def note_prediction(lesson: str, step: str, said: str, truth: str) -> None:
    """Keep the first prediction of a step, and the true answer."""
    if f"{lesson}/{step}" not in _predictions():
        _predictions()[f"{lesson}/{step}"] = (said, truth)
        if (session := current_sync()) is not None:
            answer = Answer(
                student=session.student,
                lesson=lesson,
                step=step,
                said=said,
                truth=truth,
                is_right=said == truth,
            )
            _enqueue(session, answer)


def predictions(lesson: catalog.Lesson) -> dict[str, tuple[str, str]]:
    """Return the first prediction of each step of a lesson, and the true answer."""
    known = {step.id: _predictions().get(f"{lesson.name}/{step.id}") for step in lesson.steps}
    return {step: pair for step, pair in known.items() if pair}


def mark(lesson: str, part: str) -> None:
    """Mark a step or a challenge of a lesson as done."""
    if not is_done(lesson, part):
        _done().add(f"{lesson}/{part}")
        if (session := current_sync()) is not None:
            _enqueue(session, Done(student=session.student, lesson=lesson, part=part))


def challenges_met(lesson_name: str, challenges: Iterable[catalog.Challenge]) -> frozenset[str]:
    """Return the ids of the challenges that the visitor has met."""
    ids = (each.id for each in challenges)
    return frozenset(each for each in ids if is_done(lesson_name, f"challenge/{each}"))


def is_done(lesson: str, part: str) -> bool:
    """Return whether a step or a challenge is done."""
    return f"{lesson}/{part}" in _done()


def solved_exercises() -> set[str]:
    """Return the ids of the lab's exercises that are solved."""
    prefix = f"{LAB}/"
    return {each.removeprefix(prefix) for each in _done() if each.startswith(prefix)}


def steps_done(lesson: catalog.Lesson) -> int:
    """Return how many steps of a lesson are done."""
    done = _done()  # once: the session's state is slow to ask
    return sum(f"{lesson.name}/{step.id}" in done for step in lesson.steps)


def sync() -> frozenset[str]:
    """Load stored progress, and send unsent entries; called in each run of a page.

    Returns:
        The parts done in earlier sessions, once, as ``lesson/part``; else nothing.
    """
    session = _resolve_session()
    if session is None:
        return frozenset()
    _enqueue(session)
    moment = time.monotonic()
    if not session.seen_at or moment - session.seen_at >= SEEN_INTERVAL_SECONDS:
        session.seen_at = moment
        _enqueue(session, Seen(student=session.student))
    return frozenset() if session.is_loaded else _load(session)


def earlier_predictions() -> Mapping[str, tuple[str, str]]:
    """Return the predictions of earlier sessions and the true answers, by ``lesson/step``."""
    session = current_sync()
    return session.predictions if session else {}


def earlier_answer(lesson: str, step: str) -> str:
    """Return the prediction of an earlier session, or an empty text."""
    session = current_sync()
    return session.said.get(f"{lesson}/{step}", "") if session else ""


def set_student_name(name: str) -> None:
    """Set the name that the teacher sees; empty for none."""
    session = current_sync()
    if session is not None:
        session.name = clean_name(name)
        _enqueue(session, Seen(student=session.student, name=session.name))


def delete_progress() -> None:
    """Delete the student's stored progress; the session itself goes on.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    session, writer = current_sync(), saved.current()
    if session is not None and writer is not None:
        writer.delete(session.student)
        st.session_state[SYNC_KEY] = ProgressSync(
            student=session.student,
            is_loaded=True,
            seen_at=time.monotonic(),  # not noted again before the next click in a minute
        )


def is_pending() -> bool:
    """Return whether stored progress has not been loaded yet."""
    session = current_sync()
    return session is not None and not session.is_loaded


def is_loading() -> bool:
    """Return whether stored progress is being read from the database."""
    session = current_sync()
    return session is not None and session.loading is not None


def is_loadable() -> bool:
    """Return whether a run of the page could load stored progress now."""
    session, writer = current_sync(), saved.current()
    if session is None or writer is None or session.is_loaded:
        return False
    return session.loading.done() if session.loading is not None else writer.is_available


def is_write_failing() -> bool:
    """Return whether new entries cannot be written at the moment; none is lost."""
    writer = saved.current()
    return writer is not None and writer.is_failing


def current_sync() -> ProgressSync | None:
    """Return the session's progress; None if nothing is stored for it."""
    session: ProgressSync | None = st.session_state.get(SYNC_KEY)
    return session


def _done() -> set[str]:
    done: set[str] = st.session_state.setdefault(KEY, set())
    return done


def _predictions() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = st.session_state.setdefault(PREDICTIONS, {})
    return found


def _is_prediction(pair: object) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(isinstance(each, str) and 0 < len(each) <= MAX_ANSWER for each in pair)
    )


def _current_id(part: str) -> str | None:
    """Return the current id of a part that may have the id of an earlier version."""
    lesson_name, _, rest = part.partition("/")
    if lesson_name == LAB:
        return part if EXERCISE.fullmatch(rest) else None
    lesson = next((each for each in catalog.lessons() if each.name == lesson_name), None)
    if lesson is None:
        return None
    for step in lesson.steps:
        if rest in step.words.previous_ids:
            return f"{lesson_name}/{step.id}"
    return part if rest in lesson.parts else None


def _resolve_session() -> ProgressSync | None:
    if saved.current() is None:
        return None
    who = visitor.current()
    if who is None or who.is_teacher:
        st.session_state.pop(SYNC_KEY, None)
        return None
    session = current_sync()
    if session is None or session.student != who.student:
        session = ProgressSync(student=who.student)
        st.session_state[SYNC_KEY] = session
    return session


def _load(session: ProgressSync) -> frozenset[str]:
    writer = saved.current()
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
    writer = saved.current()
    held = [*session.unsent, *entries]
    session.unsent = (writer.enqueue(held) if writer else held)[:MAX_UNSENT]
