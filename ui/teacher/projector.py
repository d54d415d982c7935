"""The projector: one question in large type, how the class answers, and, later, why.

It names nobody. What it shows besides the question is the teacher's word: see ``Stage``.
"""

import html
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import streamlit as st

from hosting import live_poll as polls
from hosting import settings
from hosting.progress.records import Poll, Snapshot, Stage
from playground import catalog
from playground.catalog import Language
from playground.steps import Answer, Step
from ui import live_poll, machine_picker, step_run, visitor
from ui.html_markup import inline_to_html, text_to_html
from ui.language import current_language, say
from ui.panel import view
from ui.teacher import join

REFRESH_SECONDS = 1.0
SHEET = Path(__file__).with_name("projector.css")
ANSWERS = "projector-answers"  # in the session, by the poll's id
MIN_COLUMNS, MIN_LINES = 36, 8  # a shorter program is not written larger


def draw() -> None:
    """Draw the page for a teacher, and one sentence for others."""
    if not visitor.is_teacher():
        st.info(say("teacher.closed"))
        return
    st.html(f"<i hidden></i><style>{_sheet()}</style>")
    st.fragment(_draw, key="projector", run_every=REFRESH_SECONDS)()


@cache
def _sheet() -> str:
    return " ".join(SHEET.read_text("utf-8").split())


def _draw() -> None:
    snapshot, notice = polls.current().snapshot(), st.empty()
    poll = snapshot.poll
    step = live_poll.polled_step(poll) if poll else None
    if poll is None or step is None:
        st.html(lobby_html(snapshot))
        return
    answer = _answer(poll, step, notice) if poll.stage.has_answer else None
    st.html(question_page_html(snapshot, poll, step, answer, current_language()))


def _answer(poll: Poll, step: Step, notice: "st.delta_generator.DeltaGenerator") -> Answer | None:
    known: dict[str, Answer] = st.session_state.setdefault(ANSWERS, {})
    if poll.id not in known:
        found = step_run.fetch_answer(step, notice)
        if found is None:
            return None
        known.clear()  # of the polls before
        known[poll.id] = found
    return known[poll.id]


def lobby_html(snapshot: Snapshot) -> str:
    """Format the page between two questions: how to join."""
    url, code = join.address(), settings.current().class_code
    parts = [f"<h1>{html.escape(say('projector.join'))}</h1>"]
    if url:
        parts.append(f'<p class="pj-url">{html.escape(join.short(url))}</p>')
    if code:
        label = html.escape(say("projector.code"))
        parts.append(f'<p class="pj-code">{label} <b>{html.escape(code)}</b></p>')
    parts.append(f"<p>{html.escape(say('projector.present', count=snapshot.present))}</p>")
    parts.append(f'<p class="pj-muted">{html.escape(say("projector.waiting"))}</p>')
    qr = join.qr_code(url) if url else ""
    return f'<div class="pj pj-lobby"><div>{"".join(parts)}</div>{qr}</div>'


def question_page_html(
    snapshot: Snapshot, poll: Poll, step: Step, answer: Answer | None, language: Language
) -> str:
    """Format a question at its stage.

    Args:
        snapshot: The votes.
        poll: The question.
        step: Its settings.
        answer: PyTorch's; None before the stage that shows it.
        language: Of the texts.
    """
    words = catalog.lesson(poll.lesson).step(poll.step)
    shown = view.Shown(
        step=step,
        words=words,
        devices=machine_picker.devices(live_poll.machine_of(poll)),
        language=language,
        answer=answer,
        question=_round_question(poll, words),
    )
    data = view.step_data(shown)
    title = inline_to_html(words.title.said(language))
    url = join.address()
    at = f'<span class="pj-url">{html.escape(join.short(url))}</span>' if url else ""
    state = "" if poll.is_open else f" · {html.escape(say('projector.closed'))}"
    count = f'<span class="pj-count"><b>{html.escape(answered(snapshot))}</b>{state}</span>'
    head = f'<header><span class="pj-title">{title}</span>{count}{at}</header>'
    again = f'<p class="pj-again">{html.escape(say("projector.second"))}</p>' if poll.first else ""
    is_second_open = bool(poll.first) and poll.is_open
    asked = f'<h1 class="pj-question">{shown.fill(shown.question or _own_question(words))}</h1>'
    truth = answer.prediction if answer else ""
    has_bars = poll.stage.has_histogram
    bars = bars_html(snapshot, poll, language, truth) if has_bars else _choices_html(shown)
    reason = ""
    if answer is not None and poll.stage is Stage.REASON:
        reason = f'<div class="pj-reason">{data.get("reason_html", "")}</div>'
    return (
        f'<div class="pj">{head}<div class="pj-stage"><div>{program_html(data, step)}</div>'
        f"<div>{again if is_second_open else ''}{asked}{bars}</div></div>{reason}</div>"
    )


def program_html(data: Mapping[str, object], step: Step) -> str:
    """Format the program, with the answer below its line where the data have one."""
    texts, folded = step.program().splitlines(), step.folded_lines()
    lines = data["lines"]
    assert isinstance(lines, tuple)
    shown = texts[folded:]
    columns = max([MIN_COLUMNS, *map(len, shown)])
    style = f"--columns: {columns}; --lines: {max(MIN_LINES, len(shown) + bool(folded))}"
    rows = [f'<div class="pj-line pj-muted"><i>1–{folded}</i><code>…</code></div>'] * bool(folded)
    for text, line in list(zip(texts, lines, strict=False))[folded:]:
        mark = f" is-{line['mark']}" if line.get("mark") else ""
        rows.append(
            f'<div class="pj-line{mark}"><i>{line["number"]}</i>'
            f"<code>{text_to_html(text) or ' '}</code></div>"
        )
        if line.get("printed"):
            rows.append(f'<pre class="pj-printed">{html.escape(line["printed"])}</pre>')
        if box := line.get("answer"):
            said = f"<div>{box['text_html']}</div>" if box.get("text_html") else ""
            label = html.escape(say("projector.right"))
            rows.append(
                f'<div class="pj-answer is-{box["tone"]}" role="status">'
                f"<span>{label}</span><b>{box['title_html']}</b>{said}</div>"
            )
    return f'<div class="pj-program" style="{style}">{"".join(rows)}</div>'


def question_html(poll: Poll, language: Language) -> str:
    """Format the question of a poll in one paragraph, for the teacher."""
    words = catalog.lesson(poll.lesson).step(poll.step)
    step = live_poll.polled_step(poll)
    text = _round_question(poll, words) or _own_question(words)
    line = (step.asked_line() if step else None) or ""
    title = inline_to_html(words.title.said(language))
    return f"<p><b>{title}</b><br>{inline_to_html(text.filled(language, line=line))}</p>"


def bars_html(snapshot: Snapshot, poll: Poll, language: Language, truth: str) -> str:
    """Format the answers as bars, all that can be chosen, the second vote beside the first.

    Args:
        snapshot: The votes.
        poll: The question.
        language: Of the texts.
        truth: The right answer's id; empty as long as it is hidden.
    """
    words, step = catalog.lesson(poll.lesson).step(poll.step), live_poll.polled_step(poll)
    devices = machine_picker.devices(live_poll.machine_of(poll))
    asked = words.prediction.answers if words.prediction else ()
    choices = (step.choices(devices) if step else ()) or asked
    votes = {"second" if snapshot.first else "only": snapshot.counts}
    if snapshot.first:
        votes = {"first": snapshot.first_counts, **votes}
    choices = (*choices, *(() if not truth or truth in choices else (truth,)))
    rows = []
    for choice in choices:
        is_right = choice == truth
        sign = '<span class="pj-sign">✓</span>' if is_right else ""
        bars = "".join(
            _bar_html(kind, counts[choice], counts.total()) for kind, counts in votes.items()
        )
        rows.append(
            f'<div class="pj-choice{" is-right" if is_right else ""}">'
            f"<div>{sign}{view.answer_words(words.words, choice, language)}</div>{bars}</div>"
        )
    label = html.escape(say("projector.bars"))
    return f'<div class="pj-bars" role="group" aria-label="{label}">{"".join(rows)}</div>'


def answered(snapshot: Snapshot) -> str:
    """Return how many have answered, of those who are here."""
    count = len(snapshot.votes)
    if snapshot.present > count:
        return say("projector.answered-of", count=count, all=snapshot.present)
    return say("projector.answered", count=count)


def _bar_html(kind: str, count: int, total: int) -> str:
    percent = 100 * count / total if total else 0.0
    words = say("projector.share", count=count, percent=round(percent))
    if kind != "only":
        words = say(f"projector.{kind}-vote", share=words)
    return (
        f'<div class="pj-bar"><span class="pj-track" aria-hidden="true">'
        f'<i class="is-{kind}" style="width:{percent:.1f}%"></i></span>'
        f"<span>{html.escape(words)}</span></div>"
    )


def _choices_html(shown: view.Shown) -> str:
    rows = "".join(f"<li>{shown.answer_words(each)}</li>" for each in shown.answers)
    return f'<ul class="pj-choices">{rows}</ul>'


def _round_question(poll: Poll, words: catalog.Step) -> catalog.Text | None:
    rounds = words.words.rounds
    return rounds[poll.round - 2].question if 1 < poll.round <= len(rounds) + 1 else None


def _own_question(words: catalog.Step) -> catalog.Text:
    return words.prediction.question if words.prediction else words.title
