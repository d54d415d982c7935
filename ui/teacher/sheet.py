"""A lesson on paper: its questions as a worksheet, or with PyTorch's answers as the key.

A file of its own, without scripts, to be printed from a browser. It is made on a click, in a thread
without a Streamlit run, so its words are read before.
"""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from playground import catalog, compute
from playground.catalog import Language
from playground.errors import PlaygroundError
from playground.machines import Machine
from playground.steps import Answer, Step, load_step
from ui import machine_picker
from ui.html_escape import inline_to_html
from ui.panel import view
from ui.step_state import on_machine

SHEET = Path(__file__).with_suffix(".css")


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetWords:
    """The texts of a sheet in its language."""

    name: str
    why: str
    unanswered: str


def worksheet(
    lesson: catalog.Lesson,
    plan: Sequence[str],
    machine: Machine,
    language: Language,
    words: SheetWords,
    *,
    has_answers: bool,
) -> bytes:
    """Return the sheet as an HTML file.

    Args:
        lesson: The lesson.
        plan: The ids of its steps, in order.
        machine: The machine that the programs run on.
        language: Of all texts.
        words: Texts of the sheet itself.
        has_answers: Run each program, and print its answer.
    """
    title = inline_to_html(lesson.title.said(language))
    lang = "zh-CN" if language is Language.ZH else "en"
    name = "" if has_answers else f'<p class="name">{html.escape(words.name)}: ______________</p>'
    sections = "".join(
        _section(number, shown, words, has_answers=has_answers)
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


def _section(number: int, shown: view.Shown, words: SheetWords, *, has_answers: bool) -> str:
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
        f"<section><h2>{number}. {title}</h2>{_program(shown.step)}"
        f"<p><b>{question}</b></p><ul>{items}</ul>{_below(shown, words, has_answers)}</section>"
    )


def _below(shown: view.Shown, words: SheetWords, has_answers: bool) -> str:
    """Return the reason, or a line to write one."""
    answer = shown.answer
    if not has_answers:
        return f'<p>{html.escape(words.why)}</p><div class="line"></div>'
    if answer is None:
        return f"<p>{html.escape(words.unanswered)}</p>"
    message = "" if answer.outcome.ok else f"<pre>{html.escape(answer.outcome.message)}</pre>"
    reason = shown.fill(shown.own.explanations[answer.explanation])
    return f'{message}<p class="why">{reason}</p>'


def _program(step: Step) -> str:
    asked = step.asked_line()
    lines = "\n".join(
        f'<span class="{"asked" if number == asked else ""}"><i>{number}</i>'
        f"{html.escape(line)}</span>"
        for number, line in enumerate(step.program().splitlines(), start=1)
    )
    return f"<pre>{lines}</pre>"


def _answer(step: Step) -> Answer | None:
    try:
        return compute.run(step)
    except PlaygroundError:  # the sheet says so; the others are printed
        return None


@cache
def _style() -> str:
    return SHEET.read_text("utf-8")
