"""The quiz of a chapter: one question at a time in the program panel, then the result."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlencode

import streamlit as st

from playground import catalog, quiz
from playground.machines import Machine
from ui import (
    lesson_page,
    machine_picker,
    page_state,
    progress,
    step_run,
)
from ui.html_markup import inline_to_html
from ui.language import current_language, say
from ui.navigation import PAGES, page_of
from ui.panel import component, controls, plain, view
from ui.panel.component import Event

STATE = "quiz"  # in the session
SEED = "seed"  # in the URL
PARTS = ("lang", "folded", "picture", "question", "facts_html", "table_html", "reason_html")
NOT_IN_QUIZ = ("edit", "lab", "reset", "again")  # texts of buttons


@dataclass(slots=True)
class QuizState:
    """The state of a quiz in a visit.

    Attributes:
        at: The index of the current question; after the last one comes the result.
        said: The prediction of each question; ``view.SKIPPED`` without one.
        truths: The true answer of each question whose program was run.
    """

    chapter: catalog.Chapter
    seed: int
    questions: tuple[quiz.Question, ...]
    at: int = 0
    acknowledged: int = 0
    said: dict[int, str] = field(default_factory=dict)
    truths: dict[int, str] = field(default_factory=dict)


def show() -> None:
    """Draw the quiz of the URL; without a chapter or a number, the first one."""
    chapters = quiz.chapters()
    named = [each for each in chapters if each.id == st.query_params.get(lesson_page.CHAPTER)]
    chapter = (named or chapters)[0]
    number = st.query_params.get(SEED, "")
    seed = int(number) if re.fullmatch("[0-9]{1,4}", number) else 1
    st.session_state[page_state.SHOWN] = STATE
    state = st.session_state.get(STATE)
    if state is None or (state.chapter, state.seed) != (chapter, seed):
        state = QuizState(chapter, seed, quiz.draw(chapter.id, seed))
        st.session_state[STATE] = state
    st.fragment(draw, key="quiz")(state)
    lesson_page.draw_footer()


def draw(state: QuizState) -> None:
    """Draw the current question, or the result; the body of the fragment."""
    notice = st.empty()
    is_over = state.at == len(state.questions)
    key = f"quiz-{state.chapter.id}-{state.seed}"
    data = score_data(state) if is_over else question_data(state, notice)
    chapter = state.chapter.title.said(current_language())
    query = f"?{urlencode(page_state.kept_parameters() | address(state))}"
    data |= {
        "key": f"{key}-{state.at}",
        "acknowledged": state.acknowledged,
        "overline": say("quiz.place", seed=state.seed, chapter=chapter),
        "query": query,
    }
    if not is_over:
        data["link"] = f"{str(st.context.url).partition('?')[0]}{query}"
    if (stored := progress.stored()) is not None:
        data["store"] = stored
    if plain.is_chosen():
        st.query_params.update(address(state))  # else the component's script does it
        plain.draw(f"{key}-{state.at}", data, lambda event: take(state, event))
    else:
        component.draw(key, data, lambda: handle(state, key))
    if is_over:
        draw_result(state)


def address(state: QuizState, *, further: int = 0) -> dict[str, str]:
    """Return the URL parameters of this quiz, or of a following one."""
    seed = (state.seed + further) % 10_000
    return {lesson_page.CHAPTER: state.chapter.id, SEED: str(seed)}


def question_data(state: QuizState, notice: "st.delta_generator.DeltaGenerator") -> view.Data:
    """Return the data of a question, with its answer where it is revealed.

    A program runs on the default machine, so that a link asks everybody the same.
    """
    question, number = state.questions[state.at], state.at + 1
    said = state.said.get(state.at, "")
    answer = step_run.fetch_answer(question.step, notice) if said else None
    shown = view.Shown(
        step=question.step,
        words=question.words,
        devices=machine_picker.devices(Machine()),
        language=current_language(),
        answer=answer,
        said=said,
        question=question.text,
    )
    data = view.step_data(shown)
    lines = tuple(without_controls(data, question.step.program()))
    data = {name: data[name] for name in PARTS if name in data}
    prose = shown.fill(question.words.prose)
    data |= {
        "words": words(),
        "title": say("quiz.question", number=number, count=len(state.questions)),
        "lines": lines,
        "idea_html": f"<details><summary>{say('quiz.prose')}</summary>{prose}</details>",
    }
    if host := question.step.host():
        data |= {"badge": machine_picker.badge(host), "is_simulated": host.is_simulated}
    if answer is not None:
        state.truths[state.at] = answer.prediction
        label = say("quiz.next" if number < len(state.questions) else "quiz.to-result")
        data["next"] = {"id": str(number), "label": label, "is_primary": True}
    return data


def words() -> view.Data:
    """Return the texts of the panel, without those of buttons that a quiz lacks."""
    return {
        name: text
        for name, text in view.interface_words(current_language()).items()
        if name not in NOT_IN_QUIZ
    }


def without_controls(data: view.Data, program: str) -> Iterator[view.Data]:
    """Yield the lines as plain text, without controls and fix."""
    lines = data["lines"]
    assert isinstance(lines, tuple)
    for line, text in zip(lines, program.split("\n"), strict=True):
        kept = {name: value for name, value in line.items() if name != "fix"}
        yield {**kept, "parts": ({"text": text},) if text else ()}


def score_data(state: QuizState) -> view.Data:
    """Return the data of the score."""
    hits = sum(state.said[index] == truth for index, truth in state.truths.items())
    score = say("panel.score", hits=hits, count=len(state.questions))
    return {"words": words(), "title": score, "lines": ()}


def draw_result(state: QuizState) -> None:
    """Draw each question with the prediction and the answer, and links to go on."""
    kept = page_state.kept_parameters()
    for index, question in enumerate(state.questions):
        with st.container(gap=None):
            st.html(verdict(question, index + 1, state.said[index], state.truths[index]))
            settings = controls.ids(question.step, with_defaults=True)
            st.page_link(
                page_of(question.lesson),
                label=say("quiz.look", number=index + 1),
                icon=":material/replay:",
                query_params={**kept, page_state.STEP: question.words.id, **settings},
            )
    st.page_link(
        PAGES / "quiz.py",
        label=say("quiz.other"),
        icon=":material/shuffle:",
        query_params=kept | address(state, further=1),
    )


def verdict(question: quiz.Question, number: int, said: str, truth: str) -> str:
    """Format the answer of a question, and whether it was predicted."""
    own, language = question.words.words, current_language()
    assert own is not None
    title = inline_to_html(question.words.title.said(language))
    sign, note = "✗", say("step.not-as-predicted", said=view.answer_words(own, said, language))
    if said == truth:
        sign, note = "✓", say("step.as-predicted")
    elif said == view.SKIPPED:
        sign, note = "–", say("quiz.no-prediction")
    answer = view.answer_words(own, truth, language)
    return f"{number}. <strong>{title}</strong><br>{sign} {answer} · {note}"


def handle(state: QuizState, key: str) -> None:
    """Handle the events since the last one that was handled."""
    for event in component.events(key, state.acknowledged):
        state.acknowledged = int(event["serial"])
        take(state, event)


def take(state: QuizState, event: Event) -> None:
    """Handle one event; a prediction is final once the answer is shown."""
    is_answered = state.at in state.truths
    match event:
        case {"type": "restore"}:
            progress.restore(event.get("stored"))
        case {"type": "step"} if is_answered:
            state.at += 1
        case {"type": "answer", "id": str(answer)} if not is_answered:
            state.said[state.at] = answer
        case {"type": "run"} if not is_answered:
            state.said[state.at] = view.SKIPPED
