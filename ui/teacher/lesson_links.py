"""Links for a class: to a step, a round, or a plan of a lesson, and that plan as a file."""

import json
from collections.abc import Sequence
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from playground import catalog
from ui import machine_picker, page_state, url_state
from ui.language import current_language, say, translate_uploader
from ui.teacher import join, sheet

LESSON, STEPS, HIDE, FIRST, ROUND, REVEAL = (
    *("links-lesson", "links-steps", "links-hide"),
    *("links-first", "links-round", "links-reveal"),
)
FILE = "links-file"
KIND = "torch-playground-plan"  # in a plan's file
MAX_FILE_BYTES = 20_000
PROBLEM = "links-problem"


class InvalidPlanError(Exception):
    """A file holds no plan of a lesson."""


def draw() -> None:
    """Draw the choices, the link, and the file."""
    st.header(say("teacher.links"), anchor=False)
    st.caption(say("teacher.links-note"))
    language = current_language()
    lessons = {each.name: each for each in catalog.lessons()}
    titles = {name: each.title.said(language) for name, each in lessons.items()}
    with st.container(key="lesson-links", border=True):
        lesson = lessons[
            st.selectbox(
                say("teacher.lesson"),
                tuple(lessons),
                format_func=titles.__getitem__,
                key=LESSON,
                persist_state="session",
            )
        ]
        plan = _draw_plan(lesson)
        url = link(
            lesson,
            plan,
            hidden=st.session_state[HIDE],
            first=st.session_state[FIRST],
            number=st.session_state[ROUND],
            is_revealed=st.session_state[REVEAL],
        )
        st.code(url, language=None, wrap_lines=True)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.download_button(
                say("teacher.links-file"),
                plan_file(lesson, plan, st.session_state[HIDE]),
                f"{lesson.name}-plan.json",
                "application/json",
                on_click="ignore",
                key="links-download",
                icon=":material/download:",
            )
            _draw_sheets(lesson, plan)
        place = st.container()
        st.file_uploader(
            say("teacher.links-open"),
            type="json",
            key=FILE,
            on_change=_read_file,
            max_upload_size=1,
        )
        translate_uploader(place, 1)
        if problem := st.session_state.pop(PROBLEM, ""):
            st.warning(problem)


def _draw_sheets(lesson: catalog.Lesson, plan: Sequence[str]) -> None:
    """Draw the downloads of the worksheet and its key, made on a click in another thread."""
    machine, language = machine_picker.current(), current_language()
    for name, has_answers in (("worksheet", False), ("key", True)):
        st.download_button(
            say(f"teacher.sheet-{name}"),
            partial(
                sheet.worksheet,
                lesson,
                plan,
                machine,
                language,
                has_answers=has_answers,
            ),
            f"{lesson.name}-{name}.html",
            "text/html",
            on_click="ignore",
            key=f"links-{name}",
            icon=":material/print:",
        )


def _draw_plan(lesson: catalog.Lesson) -> tuple[str, ...]:
    """Draw the choice of steps and controls; return the ids of the steps, in order."""
    language = current_language()
    titles = {
        each.id: f"{number} · {each.title.said(language).replace('`', '')}"
        for number, each in enumerate(lesson.steps, 1)
    }
    chosen = [each for each in st.session_state.get(STEPS, ()) if each in titles]
    st.session_state[STEPS] = chosen
    st.multiselect(
        say("teacher.links-steps"),
        tuple(titles),
        format_func=titles.__getitem__,
        key=STEPS,
        placeholder=say("teacher.links-all"),
        help=say("teacher.links-steps-help"),
        on_change=lambda: st.session_state.pop(FIRST, None),
    )
    plan = tuple(st.session_state[STEPS]) or tuple(titles)
    parts = {name: say(f"teacher.hide-{name}") for name in url_state.HIDEABLE_PARTS}
    st.multiselect(
        say("teacher.links-hide"),
        tuple(parts),
        format_func=parts.__getitem__,
        key=HIDE,
        placeholder=say("teacher.links-nothing"),
        persist_state="session",
    )
    left, middle, right = st.columns([5, 3, 3], vertical_alignment="bottom")
    if st.session_state.get(FIRST) not in plan:
        st.session_state[FIRST] = plan[0]
    first = left.selectbox(
        say("teacher.links-first"), plan, format_func=titles.__getitem__, key=FIRST
    )
    count = len(lesson.step(first).words.rounds) + 1
    numbers = {
        each: say("teacher.live-round-of", number=each, count=count) for each in range(1, count + 1)
    }
    if st.session_state.get(ROUND) not in numbers:
        st.session_state[ROUND] = 1
    middle.selectbox(
        say("teacher.live-round"), tuple(numbers), format_func=numbers.__getitem__, key=ROUND
    )
    right.checkbox(say("teacher.links-reveal"), key=REVEAL)
    return plan


def link(
    lesson: catalog.Lesson,
    plan: Sequence[str],
    *,
    hidden: Sequence[str] = (),
    first: str = "",
    number: int = 1,
    is_revealed: bool = False,
) -> str:
    """Return the URL of a lesson.

    Args:
        lesson: The lesson.
        plan: The ids of the steps to show, in order.
        hidden: Names of what is not shown.
        first: The id of the step to begin with.
        number: The round to begin with.
        is_revealed: Show the answer of that step.
    """
    all_steps = tuple(each.id for each in lesson.steps)
    given = {
        page_state.STEP: first,
        "round": str(number) if number > 1 else "",
        url_state.PLAN: ",".join(plan) if tuple(plan) != all_steps else "",
        url_state.HIDE: ",".join(hidden),
        url_state.ANSWER: url_state.ANSWER_SHOWN if is_revealed else "",
    }
    query = urlencode({name: value for name, value in given.items() if value}, safe=",")
    return f"{join.address() or join.own_origin()}/{lesson.name}{f'?{query}' if query else ''}"


def plan_file(lesson: catalog.Lesson, plan: Sequence[str], hidden: Sequence[str]) -> bytes:
    """Return a plan as JSON, to keep or to give to a colleague."""
    content = {"kind": KIND, "lesson": lesson.name, "steps": list(plan), "hide": list(hidden)}
    return json.dumps(content, indent=2).encode()


def read_plan(data: bytes) -> tuple[str, list[str], list[str]]:
    """Read a plan's file.

    Returns:
        The lesson's name, its steps in order, and what is hidden.

    Raises:
        InvalidPlanError: It is too large, no plan, or of a lesson that is not there.
    """
    try:
        content = json.loads(data.decode("utf-8")) if len(data) <= MAX_FILE_BYTES else {}
        is_plan = content["kind"] == KIND
        lesson = catalog.lesson(content["lesson"])
        planned = url_state.with_steps(lesson, map(str, content["steps"]))
        hidden = [each for each in content["hide"] if each in url_state.HIDEABLE_PARTS]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise InvalidPlanError from None
    if planned is None or not is_plan:
        raise InvalidPlanError
    return lesson.name, [each.id for each in planned.steps], hidden


def _read_file() -> None:
    """Take over the plan of a file; a callback, before the choices are drawn."""
    given = st.session_state.get(FILE)
    if given is None:
        return
    try:
        data = given.getvalue() if given.size <= MAX_FILE_BYTES else b""
        lesson, steps, hidden = read_plan(data)
    except InvalidPlanError:
        st.session_state[PROBLEM] = say("teacher.links-no-plan")
    else:
        is_whole = steps == [each.id for each in catalog.lesson(lesson).steps]
        st.session_state[LESSON], st.session_state[HIDE] = lesson, hidden
        st.session_state[STEPS] = [] if is_whole else steps
