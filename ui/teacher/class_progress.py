"""The progress of the class: who is active, how far each student is, every step's predictions."""

import html
from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from hosting.progress.class_report import (
    ACTIVE_FOR,
    AnswerCount,
    StudentRow,
    count_answers,
    count_done,
    frequent_truths,
    most_frequent_errors,
    read_lessons,
    read_students,
)
from hosting.progress.records import now
from hosting.progress.store import Store
from playground import catalog
from playground.steps import load_step
from ui import html_markup, url_state
from ui.html_markup import inline_to_html
from ui.language import current_language, say, table

MAX_ROWS, MAX_ERRORS = 300, 20
MINUTE, HOUR, DAY = 60, 3_600, 86_400
LESSON_KEY = "teacher_lesson"


def draw_students(store: Store) -> None:
    """Draw the number of students and their list.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    rows = read_students(store)
    if not rows:
        st.html(f'<div class="tp-invite">{say("teacher.nobody")}</div>')
        return
    moment = now()
    here = sum(row.is_active(moment) for row in rows)
    minutes = int(ACTIVE_FOR.total_seconds()) // MINUTE
    st.html(
        html_markup.facts(
            {say("teacher.here", minutes=minutes): here, say("teacher.students"): len(rows)}
        )
    )
    heads = tuple(say(f"teacher.{name}") for name in ("student", "seen", "done", "right"))
    listed = tuple(_student_row(row, moment) for row in rows[:MAX_ROWS])
    st.html(f'<div class="tp-roll">{html_markup.table(heads, listed)}</div>')
    if len(rows) > MAX_ROWS:
        st.caption(say("teacher.more", count=len(rows) - MAX_ROWS))


def _student_row(row: StudentRow, moment: datetime) -> tuple[str, ...]:
    parts = sum(len(each.parts) for each in catalog.lessons())
    return (
        row.name or say("teacher.nameless", number=row.number),
        ago((moment - row.seen_at).total_seconds()),
        say("teacher.of", count=row.parts, all=parts),
        say("teacher.of", count=row.right, all=row.answered),
    )


def ago(seconds: float) -> str:
    """Format a duration as "... ago"; a negative one is "now"."""
    if seconds < MINUTE:
        return say("teacher.now")
    if seconds < HOUR:
        return say("teacher.minutes", count=int(seconds // MINUTE))
    if seconds < DAY:
        return say("teacher.hours", count=int(seconds // HOUR))
    return say("teacher.days", count=int(seconds // DAY))


def draw_lesson_choice(store: Store) -> str:
    """Draw the choice of a lesson; the default is the one that most students have begun.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    begun = {row.lesson: row.students for row in read_lessons(store)}
    lessons = {lesson.name: lesson for lesson in catalog.lessons()}
    first = max(lessons, key=lambda name: begun.get(name, 0))
    url_state.restore_choice(LESSON_KEY, tuple(lessons), first)
    language = current_language()
    labels = {
        name: say("teacher.lesson-begun", title=each.title.said(language), count=begun.get(name, 0))
        for name, each in lessons.items()
    }
    chosen = st.selectbox(
        say("teacher.lesson"), tuple(labels), format_func=labels.__getitem__, key=LESSON_KEY
    )
    url_state.write_parameter(LESSON_KEY, chosen, first)
    return chosen


def draw_answers(store: Store, name: str) -> None:
    """Draw the steps of a lesson that ask for a prediction.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    said, done = count_answers(store, name), count_done(store, name)
    truths = frequent_truths(store, name)
    lesson = catalog.lesson(name)
    cards = "".join(
        _card(lesson, number, step, [row for row in said if row.step == step.id], done, truths)
        for number, step in enumerate(lesson.steps, 1)
        if step.prediction is not None
    )
    st.html(f'<div class="tp-polls">{cards}</div>')


def draw_errors(store: Store) -> None:
    """Draw the wrong answers that most students gave, with a link to each question.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    rows = []
    for each in most_frequent_errors(store, MAX_ERRORS):
        try:
            lesson = catalog.lesson(each.lesson)
            step = lesson.step(each.step)
        except KeyError:  # of another version of the playground
            continue
        language = current_language()
        title = inline_to_html(step.title.said(language))
        place = inline_to_html(lesson.title.said(language))
        url = html.escape(f"/{lesson.name}?step={step.id}&lang={language}")
        rows.append(
            f'<tr><td><a href="{url}" target="_self">{title}</a><br>'
            f'<span class="tp-muted">{place}</span></td>'
            f"<td>{inline_to_html(_words(step.words.answers, each.said))}</td>"
            f"<td>{html.escape(say('teacher.of', count=each.students, all=each.answered))}</td>"
            "</tr>"
        )
    if not rows:
        st.caption(say("teacher.errors-none"))
        return
    names = ("live-step", "error-said", "error-count")
    heads = "".join(f'<th scope="col">{say(f"teacher.{name}")}</th>' for name in names)
    st.html(
        f'<div class="tp-table tp-errors" tabindex="0"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _card(
    lesson: catalog.Lesson,
    number: int,
    step: catalog.Step,
    rows: Sequence[AnswerCount],
    done: dict[str, int],
    truths: dict[str, str],
) -> str:
    language = current_language()
    line = load_step(lesson.name, step.id)().asked_line()
    asked = step.prediction
    question = asked.question.filled(language, line=line) if asked else ""
    title = inline_to_html(step.title.said(language))
    finished = html.escape(say("teacher.step-done", count=done.get(step.id, 0)))
    head = (
        f'<div class="tp-poll-head"><b>{number}&ensp;{title}</b>'
        f'<span class="tp-muted">{finished}</span></div>'
        f'<div class="tp-asked">{inline_to_html(question)}</div>'
    )
    if not rows:
        body = f'<div class="tp-muted">{html.escape(say("teacher.no-answers"))}</div>'
    else:
        choices = asked.answers if asked else ()
        truth = truths.get(step.id, "")
        given = dict.fromkeys((*(row.said for row in rows), *choices, truth))  # also by nobody
        body = _share_html(rows) + "".join(
            _answer_row(step.words.answers, said, rows, is_truth=said == truth)
            for said in filter(None, given)
        )
    return f'<section class="tp-poll">{head}{body}</section>'


def _share_html(rows: Sequence[AnswerCount]) -> str:
    everybody = sum(row.students for row in rows)
    right = sum(row.students for row in rows if row.is_right)
    percent = round(100 * right / everybody)
    words = say("teacher.share", right=right, all=everybody, percent=percent)
    return f'<div class="tp-poll-share">{html.escape(words)}</div>'


def _answer_row(
    texts: catalog.Texts, said: str, rows: Sequence[AnswerCount], *, is_truth: bool
) -> str:
    """Format an answer: its words, a bar for its share, and the counts."""
    everybody = sum(row.students for row in rows)
    right = sum(row.students for row in rows if row.said == said and row.is_right)
    wrong = sum(row.students for row in rows if row.said == said and not row.is_right)
    bars = "".join(
        f'<i class="{kind}" style="width:{100 * count / everybody:.1f}%"></i>'
        for kind, count in (("tp-bar-right", right), ("tp-bar-wrong", wrong))
        if count
    )
    counts = " · ".join(
        f"{sign} {html.escape(say(f'teacher.said-{kind}', count=count))}"
        for kind, sign, count in (("right", "✓", right), ("wrong", "✗", wrong))
        if count
    )
    if is_truth and not right:  # nobody was right, and the page says what is
        counts = " · ".join(filter(None, (f"✓ {say('teacher.right-answer')}", counts)))
    return (
        f'<div class="tp-poll-row"><span>{inline_to_html(_words(texts, said))}</span>'
        f'<span class="tp-bar" aria-hidden="true">{bars}</span><span>{counts}</span></div>'
    )


def _words(texts: catalog.Texts, said: str) -> str:
    """Return the words of an answer; its id if the step no longer has it."""
    words = texts.get(said)
    if words:
        return words.said(current_language())
    key = f"step.{said}"
    return say(key) if said in {"yes", "no", "other"} and key in table() else said
