"""What was predicted in a lesson: step by step, each answer with the share that was right."""

import html
from collections.abc import Sequence

import streamlit as st

from hosting.progress.overview import SaidRow, read_done, read_lessons, read_said
from hosting.progress.store import Store
from playground import catalog
from playground.steps import load_step
from ui import address, language
from ui.quoting import quote_markdown
from ui.words import say, table

KEY = "teacher_lesson"


def choose(store: Store) -> str:
    """Draw the choice of a lesson; the one that most students have begun comes first.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    begun = {row.lesson: row.students for row in read_lessons(store)}
    lessons = {lesson.name: lesson for lesson in catalog.lessons()}
    first = max(lessons, key=lambda name: begun.get(name, 0))
    address.settle_choice(KEY, tuple(lessons), first)
    tongue = language.current()
    chosen = st.selectbox(
        say("teacher.lesson"),
        tuple(lessons),
        format_func=lambda name: say(
            "teacher.lesson-begun",
            title=lessons[name].title.said(tongue),
            count=begun.get(name, 0),
        ),
        key=KEY,
    )
    address.write(KEY, chosen, first)
    return chosen


def draw(store: Store, name: str) -> None:
    """Draw the steps of a lesson that ask for a prediction.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    said, done = read_said(store, name), read_done(store, name)
    lesson = catalog.lesson(name)
    cards = "".join(
        _card(lesson, number, step, [row for row in said if row.step == step.id], done)
        for number, step in enumerate(lesson.steps, 1)
        if step.prediction is not None
    )
    st.html(f'<div class="tp-polls">{cards}</div>')


def _card(
    lesson: catalog.Lesson,
    number: int,
    step: catalog.Step,
    rows: Sequence[SaidRow],
    done: dict[str, int],
) -> str:
    tongue = language.current()
    line = load_step(lesson.name, step.id)().asked_line()
    question = step.prediction.question.filled(tongue, line=line) if step.prediction else ""
    finished = html.escape(say("teacher.step-done", count=done.get(step.id, 0)))
    head = (
        f'<div class="tp-poll-head"><b>{number}&ensp;{quote_markdown(step.title.said(tongue))}</b>'
        f'<span class="tp-muted">{finished}</span></div>'
        f'<div class="tp-asked">{quote_markdown(question)}</div>'
    )
    if not rows:
        body = f'<div class="tp-muted">{html.escape(say("teacher.no-answers"))}</div>'
    else:
        given = dict.fromkeys(row.said for row in rows)
        body = _share(rows) + "".join(_said(step.words.answers, said, rows) for said in given)
    return f'<section class="tp-poll">{head}{body}</section>'


def _share(rows: Sequence[SaidRow]) -> str:
    everybody = sum(row.students for row in rows)
    right = sum(row.students for row in rows if row.is_right)
    percent = round(100 * right / everybody)
    words = say("teacher.share", right=right, all=everybody, percent=percent)
    return f'<div class="tp-poll-share">{html.escape(words)}</div>'


def _said(texts: catalog.Texts, said: str, rows: Sequence[SaidRow]) -> str:
    """One answer: its words, a bar as long as its share, and the numbers in words."""
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
    return (
        f'<div class="tp-poll-row"><span>{quote_markdown(_words(texts, said))}</span>'
        f'<span class="tp-bar" aria-hidden="true">{bars}</span><span>{counts}</span></div>'
    )


def _words(texts: catalog.Texts, said: str) -> str:
    """The words of an answer; one that the step no longer has is shown by its id."""
    words = texts.get(said)
    if words:
        return words.said(language.current())
    key = f"step.{said}"
    return say(key) if said in {"yes", "no", "other"} and key in table() else said
