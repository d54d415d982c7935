"""Who is here, and how far everybody is."""

from datetime import datetime

import streamlit as st

from hosting.progress.overview import HERE, StudentRow, read_students
from hosting.progress.records import now
from hosting.progress.store import Store
from playground import catalog
from ui import answer_view
from ui.words import say

MOST_ROWS = 300
MINUTE, HOUR, DAY = 60, 3_600, 86_400


def draw(store: Store) -> None:
    """Draw the counts and the list.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    rows = read_students(store)
    if not rows:
        st.html(f'<div class="tp-invite">{say("teacher.nobody")}</div>')
        return
    moment = now()
    here = sum(row.is_here(moment) for row in rows)
    minutes = int(HERE.total_seconds()) // MINUTE
    st.html(
        answer_view.facts(
            {say("teacher.here", minutes=minutes): here, say("teacher.students"): len(rows)}
        )
    )
    heads = tuple(say(f"teacher.{name}") for name in ("student", "seen", "done", "right"))
    listed = tuple(_row(row, moment) for row in rows[:MOST_ROWS])
    st.html(f'<div class="tp-roll">{answer_view.table(heads, listed)}</div>')
    if len(rows) > MOST_ROWS:
        st.caption(say("teacher.more", count=len(rows) - MOST_ROWS))


def _row(row: StudentRow, moment: datetime) -> tuple[str, ...]:
    parts = sum(len(each.parts) for each in catalog.lessons())
    return (
        row.name or say("teacher.nameless", number=row.number),
        ago((moment - row.seen_at).total_seconds()),
        say("teacher.of", count=row.parts, all=parts),
        say("teacher.of", count=row.right, all=row.answered),
    )


def ago(seconds: float) -> str:
    """How long ago something was; what seems to come from the future is now."""
    if seconds < MINUTE:
        return say("teacher.now")
    if seconds < HOUR:
        return say("teacher.minutes", count=int(seconds // MINUTE))
    if seconds < DAY:
        return say("teacher.hours", count=int(seconds // HOUR))
    return say("teacher.days", count=int(seconds // DAY))
