"""Assignments on the teacher's page: a set of exercises until a date, and what was passed."""

import html
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from hosting.progress import ProgressUnavailableError, class_report
from hosting.progress.class_report import StudentResult
from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.records import MAX_WORD, Assignment, now
from hosting.progress.store import Store
from playground.lab.exercises import exercises
from ui import error_page, html_markup
from ui.html_markup import inline_to_html
from ui.language import current_language, say

TITLE, CHOSEN, DUE = "assignment-title", "assignment-exercises", "assignment-due"
PROBLEM = "assignment-problem"
DEFAULT_DAYS = 7
MAX_EXERCISES, MAX_ROWS = 100, 300


def draw(writer: ProgressWriter) -> None:
    """Draw the form, and the results of each assignment."""
    st.header(say("teacher.assignments"), anchor=False)
    if problem := st.session_state.pop(PROBLEM, ""):
        st.warning(problem)
    _draw_form(writer.store)
    try:
        results = class_report.read_results(writer.store)
    except ProgressUnavailableError as error:
        st.warning(error_page.sentence(error, {}))
        return
    for assignment, rows in results.items():
        _draw_results(writer.store, assignment, rows)


def _draw_form(store: Store) -> None:
    language = current_language()
    titles = {each.id: each.title.said(language).replace("`", "") for each in exercises()}
    with st.container(key="assignment-form", border=True):
        left, right = st.columns([3, 1])
        left.text_input(say("teacher.assignment-title"), key=TITLE, max_chars=MAX_WORD)
        if DUE not in st.session_state:
            st.session_state[DUE] = datetime.now(zone()).date() + timedelta(days=DEFAULT_DAYS)
        right.date_input(say("teacher.assignment-due"), key=DUE)
        st.multiselect(
            say("lab.exercises"),
            tuple(titles),
            format_func=titles.__getitem__,
            key=CHOSEN,
            placeholder=say("teacher.assignment-choose"),
            max_selections=MAX_EXERCISES,
        )
        st.button(
            say("teacher.assignment-create"),
            key="assignment-create",
            disabled=not st.session_state[CHOSEN],
            on_click=_create,
            args=(store,),
        )


def _create(store: Store) -> None:
    day, known = st.session_state[DUE], {each.id for each in exercises()}
    chosen = tuple(each for each in st.session_state[CHOSEN] if each in known)[:MAX_EXERCISES]
    if not chosen or not isinstance(day, date):
        st.session_state[PROBLEM] = say("teacher.assignment-empty")
        return
    title = st.session_state[TITLE].strip() or say("teacher.assignment-untitled")
    assignment = Assignment(title=title, exercises=chosen, due_at=end_of(day, zone()))
    _act(lambda: class_report.create_assignment(store, assignment))
    if PROBLEM not in st.session_state:
        st.session_state[TITLE], st.session_state[CHOSEN] = "", []


def _act(change: Callable[[], None]) -> None:
    try:
        change()
    except ProgressUnavailableError as error:
        st.session_state[PROBLEM] = error_page.sentence(error, {})


def zone() -> tzinfo:
    """Return the time zone of the visitor's browser; UTC if it is not known."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def end_of(day: date, where: tzinfo) -> datetime:
    """Return the last moment of a day in a time zone.

    >>> end_of(date(2026, 3, 1), UTC).isoformat()
    '2026-03-01T23:59:59+00:00'
    """
    return datetime.combine(day, time(23, 59, 59), where).astimezone(UTC)


def day_of(moment: datetime) -> str:
    """Format the day of a moment in the visitor's time zone."""
    return f"{moment.astimezone(zone()):%Y-%m-%d}"


def _draw_results(store: Store, assignment: Assignment, rows: tuple[StudentResult, ...]) -> None:
    count = len(assignment.exercises)
    complete = sum(row.in_time(assignment.due_at) == count for row in rows)
    due = say("teacher.assignment-until", day=day_of(assignment.due_at))
    if assignment.due_at < now():
        due = say("teacher.assignment-over", day=day_of(assignment.due_at))
    passed = say("teacher.assignment-complete", count=complete, all=len(rows))
    label = f"{assignment.title.replace('[', '(').replace(']', ')')} · {due} · {passed}"
    with st.expander(label, key=f"assignment-{assignment.number}"):
        titles = {each.id: each.title.said(current_language()) for each in exercises()}
        columns = ("student", "assignment-passed", "assignment-late", "assignment-open")
        heads = tuple(say(f"teacher.{each}") for each in columns)
        listed = tuple(_row(assignment, row, titles) for row in rows[:MAX_ROWS])
        if listed:
            st.html(f'<div class="tp-roll">{html_markup.table(heads, listed)}</div>')
        names = "".join(
            f"<li>{inline_to_html(titles.get(each, each))}</li>" for each in assignment.exercises
        )
        st.html(f"<ol>{names}</ol>")
        st.button(
            say("teacher.assignment-delete"),
            key=f"assignment-delete-{assignment.number}",
            on_click=_act,
            args=(lambda: class_report.delete_assignment(store, assignment.number),),
        )


def _row(assignment: Assignment, row: StudentResult, titles: dict[str, str]) -> tuple[str, ...]:
    count, in_time = len(assignment.exercises), row.in_time(assignment.due_at)
    missing = [titles.get(each, each) for each in assignment.exercises if each not in row.passed]
    return (
        row.name or say("teacher.nameless", number=row.number),
        say("teacher.of", count=in_time, all=count),
        str(len(row.passed) - in_time or "—"),
        ", ".join(missing).replace("`", "") or "✓",
    )


def list_html(given: Assignment, solved: set[str]) -> str:
    """Format an assignment for a student: its exercises as links, and which are solved."""
    titles = {each.id: each.title.said(current_language()) for each in exercises()}
    due = html.escape(say("teacher.assignment-until", day=day_of(given.due_at)))
    items = "".join(
        f'<li><span aria-label="{html.escape(say("panel.done") if each in solved else "")}">'
        f"{'✓' if each in solved else '○'}</span> "
        f'<a href="/lab?from={html.escape(each)}&amp;lang={current_language()}" target="_self">'
        f"{inline_to_html(titles.get(each, each))}</a></li>"
        for each in given.exercises
    )
    count = sum(each in solved for each in given.exercises)
    passed = html.escape(say("teacher.of", count=count, all=len(given.exercises)))
    title = html.escape(given.title)
    return f"<p><b>{title}</b> · {due} · {passed}</p><ul class='tp-plain'>{items}</ul>"
