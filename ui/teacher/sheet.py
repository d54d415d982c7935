"""A lesson on paper: its questions as a worksheet, or with PyTorch's answers as the key.

A file of its own, without scripts, to be printed from a browser. It is made on a click, in a thread
without a Streamlit run. Lines that the page folds are printed once, and long ones not at all.
"""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from playground import catalog, compute
from playground.catalog import Language
from playground.errors import PlaygroundError
from playground.machines import Machine
from playground.steps import Answer, Step, load_step
from ui import machine_picker
from ui.html_markup import inline_to_html
from ui.language import table
from ui.panel import view
from ui.step_state import on_machine

SHEET = Path(__file__).with_suffix(".css")


MAX_FOLDED = 40  # lines; the definitions of a training would fill three pages for each question


@dataclass(slots=True)
class Programs:
    """The programs of a sheet, by what was printed before.

    Attributes:
        folded: The lines that a page folds, and the first question with them.
        before: The step of the question before, and its program.
    """

    language: Language
    folded: dict[tuple[str, ...], int] = field(default_factory=dict)
    before: tuple[type[Step] | None, list[str]] = (None, [])

    def print(self, step: Step, number: int) -> str:
        """Return the program of a question as HTML; what changed since the round before is bold."""
        asked, lines = step.asked_line(), step.program().splitlines()
        (kind, before), self.before = self.before, (type(step), lines)
        is_round = kind is type(step) and len(before) == len(lines)
        count, note = step.folded_lines(), ""
        earlier = self.folded.setdefault(tuple(lines[:count]), number)
        if count > MAX_FOLDED:
            note = table()["teacher.sheet-folded"].said(self.language)
        elif count and earlier != number:
            note = table()["teacher.sheet-as-before"].filled(self.language, number=earlier)
        rows = [f'<span class="note"><i>1–{count}</i>{html.escape(note)}</span>'] if note else []
        for at, line in enumerate(lines, start=1):
            is_new = is_round and before[at - 1] != line
            marks = " ".join(["asked"] * (at == asked) + ["changed"] * is_new)
            if at > count or not note:
                rows.append(f'<span class="{marks}"><i>{at}</i>{html.escape(line)}</span>')
        return f"<pre>{chr(10).join(rows)}</pre>"


def worksheet(
    lesson: catalog.Lesson,
    plan: Sequence[str],
    machine: Machine,
    language: Language,
    *,
    has_answers: bool,
) -> bytes:
    """Return the sheet as an HTML file.

    Args:
        lesson: The lesson.
        plan: The ids of its steps, in order.
        machine: The machine that the programs run on.
        language: Of all texts.
        has_answers: Run each program, and print its answer.
    """
    title = inline_to_html(lesson.title.said(language))
    lang = "zh-CN" if language is Language.ZH else "en"
    said = html.escape(table()["teacher.sheet-name"].said(language))
    name = "" if has_answers else f'<p class="name">{said}: ______________</p>'
    programs = Programs(language)
    sections = "".join(
        _section(number, shown, programs, has_answers=has_answers)
        for number, shown in enumerate(_questions(lesson, plan, machine, language), start=1)
    )
    plain = html.escape(lesson.title.said(language))
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{plain}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_style()}</style></head>'
        f"<body><h1>{title}</h1>{name}{sections}</body></html>\n"
    ).encode()


def _questions(
    lesson: catalog.Lesson, plan: Sequence[str], machine: Machine, language: Language
) -> Iterator[view.Shown]:
    """Return each step that asks something, at the settings of each of its rounds."""
    for words in map(lesson.step, plan):
        if words.prediction is None:
            continue
        kind = load_step(lesson.name, words.id)
        rounds = [({}, None), *((each.settings, each.question) for each in words.words.rounds)]
        for settings, question in rounds:
            yield view.Shown(
                step=on_machine(kind.of(settings), machine),
                words=words,
                devices=machine_picker.devices(machine),
                language=language,
                question=question,
            )


def _section(number: int, shown: view.Shown, programs: Programs, *, has_answers: bool) -> str:
    asked = shown.words.prediction
    assert asked is not None
    question = shown.fill(shown.question or asked.question)
    answer = _answer(shown.step) if has_answers else None
    shown = replace(shown, answer=answer)
    title = inline_to_html(shown.words.title.said(shown.language))
    truth = answer.prediction if answer else ""
    choices = dict.fromkeys((*shown.answers, *([truth] if truth else ())))
    items = "".join(
        f'<li class="{"right" if each == truth else ""}">{"✓" if each == truth else "☐"}&ensp;'
        f"{shown.answer_words(each)}</li>"
        for each in choices
    )
    return (
        f"<section><h2>{number}. {title}</h2>{programs.print(shown.step, number)}"
        f"<p><b>{question}</b></p><ul>{items}</ul>{_below(shown, has_answers)}</section>"
    )


def _below(shown: view.Shown, has_answers: bool) -> str:
    """Return the reason, or a line to write one."""
    answer = shown.answer
    if not has_answers:
        why = html.escape(table()["teacher.sheet-why"].said(shown.language))
        return f'<p class="own">{why}</p>'
    if answer is None:
        return f"<p>{html.escape(table()['teacher.sheet-unanswered'].said(shown.language))}</p>"
    message = "" if answer.outcome.ok else f"<pre>{html.escape(answer.outcome.message)}</pre>"
    reason = shown.fill(shown.own.explanations[answer.explanation])
    return f'{message}<p class="why">{reason}</p>'


def _answer(step: Step) -> Answer | None:
    try:
        return compute.run(step)
    except PlaygroundError:  # the sheet says so; the others are printed
        return None


@cache
def _style() -> str:
    return SHEET.read_text("utf-8")
