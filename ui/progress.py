"""The steps and challenges that a visitor has done, also in earlier visits."""

import re
from collections.abc import Iterable

import streamlit as st

from playground import catalog
from ui import progress_sync

KEY = "progress"
CLEARED = "progress-cleared"  # in the session: a count
AT, RESTORED, EARLIER = "progress-at", "progress-restored", "progress-earlier"
PREDICTIONS = "progress-predictions"  # in the session: by step, what was said and the truth
LAB = "lab"  # in place of a lesson: an exercise that is solved
EXERCISE = re.compile(r"[a-z0-9_-]{1,80}")
MAX_STORED = 1000  # parts that a browser may hold
MAX_ANSWER = 80  # characters


def _done() -> set[str]:
    done: set[str] = st.session_state.setdefault(KEY, set())
    return done


def load_saved() -> None:
    """Add a signed-in student's progress of earlier visits; called in each run of a page."""
    _done().update(filter(None, map(_current_id, progress_sync.sync())))


def restore(stored: object) -> None:
    """Add the progress in the browser's storage; invalid entries are ignored.

    A signed-in student's progress is stored on the server instead, since a browser may be shared.
    """
    st.session_state[RESTORED] = True
    if progress_sync.current() is not None:
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
    if not is_restored() or progress_sync.current() is not None:
        return None
    own = {step: pair for step, pair in _predictions().items() if step.startswith(f"{lesson}/")}
    return {"done": tuple(sorted(_done())), "at": st.session_state.get(AT, ""), "said": own}


def note_prediction(lesson: str, step: str, said: str, truth: str) -> None:
    """Keep the first prediction of a step, and the true answer."""
    if f"{lesson}/{step}" not in _predictions():
        _predictions()[f"{lesson}/{step}"] = (said, truth)
        progress_sync.note_answer(lesson, step, said, truth)


def predictions(lesson: catalog.Lesson) -> dict[str, tuple[str, str]]:
    """Return the first prediction of each step of a lesson, and the true answer."""
    known = {step.id: _predictions().get(f"{lesson.name}/{step.id}") for step in lesson.steps}
    return {step: pair for step, pair in known.items() if pair}


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


def mark(lesson: str, part: str) -> None:
    """Mark a step or a challenge of a lesson as done."""
    if not is_done(lesson, part):
        _done().add(f"{lesson}/{part}")
        progress_sync.note_done(lesson, part)


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
