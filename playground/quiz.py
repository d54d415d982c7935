"""The quiz of a chapter: questions drawn from the rounds of its steps."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from playground import catalog
from playground.steps import Step, load_step

COUNT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A step of a lesson at the settings of one of its rounds.

    Attributes:
        text: The question of the round; None for that of the step.
    """

    lesson: catalog.Lesson
    words: catalog.Step
    step: Step
    text: catalog.Text | None


def chapters() -> tuple[catalog.Chapter, ...]:
    """Return the chapters that have lessons, and so a quiz."""
    taught = {lesson.chapter for lesson in catalog.lessons()}
    return tuple(each for each in catalog.chapters() if each.id in taught)


def draw(chapter_id: str, seed: int) -> tuple[Question, ...]:
    """Draw the questions of a chapter, in the order of its lessons.

    The questions are spread evenly over the lessons; no step comes twice. Equal seeds give equal
    questions; a step that the next seed draws again comes in its next round.
    """
    generator = random.Random(f"{chapter_id}/{seed}")
    lessons = [
        [rounds[seed % len(rounds)] for rounds in generator.sample(steps, len(steps))]
        for lesson in catalog.lessons()
        if lesson.chapter == chapter_id
        if (steps := list(_steps(lesson)))
    ]
    turns = zip_longest(*generator.sample(lessons, len(lessons)))
    drawn = [question for turn in turns for question in turn if question][:COUNT]
    return tuple(
        sorted(drawn, key=lambda each: (each.lesson.order, each.lesson.steps.index(each.words)))
    )


def _steps(lesson: catalog.Lesson) -> Iterator[list[Question]]:
    """Return the rounds of each step that may be asked; the default settings if it has no other."""
    for words in lesson.steps:
        if words.prediction is None:
            continue
        kind = load_step(lesson.name, words.id)
        given = [(each.settings, each.question) for each in words.words.rounds] or [({}, None)]
        rounds = [
            Question(lesson=lesson, words=words, step=kind.of(settings), text=text)
            for settings, text in given
        ]
        if all(_is_same_everywhere(each.step) for each in rounds):
            yield rounds


def _is_same_everywhere(step: Step) -> bool:
    """Return whether the answer is the same on every server and needs no waiting."""
    host = step.host()
    asks_server = hasattr(step, "machine") if host is None else not host.is_simulated
    return step.deterministic and not (step.measures or step.is_watched or asks_server)
