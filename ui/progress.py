"""Which steps and challenges a visitor has done: in this session, and in a signed-in one's past."""

import streamlit as st

from playground import catalog
from ui import keeping

KEY = "progress"
AT, RESTORED = "progress-at", "progress-restored"
MAX_STORED = 1000  # parts that a browser may hold


def _done() -> set[str]:
    if KEY not in st.session_state:
        st.session_state[KEY] = set()
    done: set[str] = st.session_state[KEY]
    return done


def arrive() -> None:
    """In each whole run: bring in what a signed-in student did before."""
    _done().update(filter(None, map(_present_id, keeping.arrive())))


def restore(stored: object) -> None:
    """Take what the browser's own storage holds from an earlier visit; nonsense is left out.

    Of somebody who has signed in progress is kept on the server; the browser may be shared.
    """
    st.session_state[RESTORED] = True
    if keeping.current() is not None:
        return
    given = stored.get("done") if isinstance(stored, dict) else None
    if isinstance(given, list):
        parts = (_present_id(each) for each in given[:MAX_STORED] if isinstance(each, str))
        _done().update(part for part in parts if part)
    at = stored.get("at") if isinstance(stored, dict) else None
    if isinstance(at, str) and AT not in st.session_state and _present_id(at):
        st.session_state[AT] = _present_id(at)


def is_restored() -> bool:
    """Whether the browser has told what it holds: then its script runs."""
    return bool(st.session_state.get(RESTORED))


def visit(lesson: str, step: str) -> None:
    """Note where the visitor is, for "continue where you were"."""
    st.session_state[AT] = f"{lesson}/{step}"


def place() -> tuple[catalog.Lesson, str] | None:
    """The lesson and the step where the visitor was last, or None."""
    lesson, _, step = st.session_state.get(AT, "").partition("/")
    return (catalog.lesson(lesson), step) if step else None


def stored() -> dict[str, object] | None:
    """What the browser shall keep; None before it has told what it holds, or for the signed in."""
    if not is_restored() or keeping.current() is not None:
        return None
    return {"done": tuple(sorted(_done())), "at": st.session_state.get(AT, "")}


def _present_id(part: str) -> str | None:
    """The id of today for a part that may be known by the id of an earlier version."""
    lesson_name, _, rest = part.partition("/")
    lesson = next((each for each in catalog.lessons() if each.name == lesson_name), None)
    if lesson is None:
        return None
    for step in lesson.steps:
        if rest in step.words.previous_ids:
            return f"{lesson_name}/{step.id}"
    return part if rest in lesson.parts else None


def mark(lesson: str, part: str) -> None:
    """Note that a step or a challenge of a lesson is done."""
    if not is_done(lesson, part):
        _done().add(f"{lesson}/{part}")
        keeping.note_done(lesson, part)


def is_done(lesson: str, part: str) -> bool:
    """Whether a step or a challenge is done."""
    return f"{lesson}/{part}" in _done()


def steps_done(lesson: catalog.Lesson) -> int:
    """How many steps of a lesson are done."""
    done = _done()  # once: the session's state is slow to ask
    return sum(f"{lesson.name}/{step.id}" in done for step in lesson.steps)
