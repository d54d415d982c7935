"""What a lesson is made of, as plain data in two languages; knows no file and no screen."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique

PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")


@unique
class Language(StrEnum):
    """A language that every text is written in."""

    EN = "en"
    ZH = "zh"


@dataclass(frozen=True, slots=True)
class Text:
    """One text in every language; there is no fallback from one to the other."""

    en: str
    zh: str

    def said(self, language: Language) -> str:
        """The text in one language.

        >>> Text("device", "设备").said(Language.ZH)
        '设备'
        """
        return self.zh if language == Language.ZH else self.en

    def filled(self, language: Language, **values: object) -> str:
        """The text in one language with its ``{placeholders}`` replaced; other braces stay.

        Raises:
            KeyError: The text has a placeholder that was given no value.

        >>> Text("{left} is not {}", "{left} 不是 {}").filled(Language.EN, left="cpu")
        'cpu is not {}'
        """
        return PLACEHOLDER.sub(lambda found: str(values[found[1]]), self.said(language))


Texts = Mapping[str, Text]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What the student is asked before the experiment answers.

    Attributes:
        answers: Answer ids in the order shown; empty where the step's settings give them.
    """

    question: Text
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One experiment of a lesson.

    Attributes:
        id: Its name in the lesson, e.g. ``"same_device_error"``: the name of its module.
        covers: Ids of the curriculum rows that it teaches.
        prose: Markdown.
        words: All other words.
    """

    id: str
    covers: tuple[str, ...]
    title: Text
    prose: Text
    prediction: Prediction | None
    words: "StepWords"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Ready-made settings with which a step asks its question again.

    Attributes:
        settings: By field, as TOML has them.
        question: In place of the step's own; None where that one is asked again.
    """

    settings: Mapping[str, object]
    question: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """A task for the controls of a step.

    The predicate named like it in the step's module, ``(step, answer) -> bool``, says when it is
    met.

    Attributes:
        starting: Settings that do not meet it.
        model: Settings that do.
    """

    id: str
    task: Text
    hint: Text
    starting: Mapping[str, object]
    model: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWords:
    """The words of one step, from its ``<step>.toml``.

    Attributes:
        explanations: By the id that the answer gives; may hold ``{placeholders}``.
        answers: Words for answer ids; an id without words is code and shown as itself.
        if_wrong: What to say to a student who gave this answer and was wrong.
        labels: Controls, facts, table columns and the words in pictures.
        options: By field, the words for its choices; a choice without words is code.
        alts: Alternative texts of the picture: ``before`` and ``after`` the answer.
        rounds: Further settings with the question asked again.
        idea: A longer explanation, closed at first; None where there is none.
        previous_ids: Ids under which older links name the step.
        is_reference: To be read; comes last in its lesson.
    """

    explanations: Texts
    answers: Texts
    if_wrong: Texts
    labels: Texts
    options: Mapping[str, Texts]
    alts: Texts
    rounds: tuple[Round, ...]
    challenges: tuple[Challenge, ...]
    idea: Text | None
    previous_ids: tuple[str, ...]
    is_reference: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A whole lesson.

    Attributes:
        remember: What to remember at its end: a sentence, and the line of code that shows it.
    """

    name: str
    order: int
    chapter: str
    icon: str
    minutes: int
    title: Text
    lead: Text
    steps: tuple[Step, ...]
    remember: tuple[tuple[Text, str], ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """What can be done in it: its steps, and ``challenge/<id>`` for each challenge."""
        challenges = [each.id for step in self.steps for each in step.words.challenges]
        return (*(step.id for step in self.steps), *(f"challenge/{each}" for each in challenges))

    def step(self, step_id: str) -> Step:
        """The step with this id.

        Raises:
            KeyError: The lesson has no such step.
        """
        for step in self.steps:
            if step.id == step_id:
                return step
        raise KeyError(step_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A group of lessons on the home page."""

    id: str
    title: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One thing that a student can do and see, e.g. ``T5``."""

    id: str
    title: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedLesson:
    """A lesson of the curriculum, whether its folder is there yet or not.

    Attributes:
        icon: Of a page of its own, without steps; empty for every other lesson.
        lead: Of such a page.
    """

    name: str
    chapter: str
    title: Text
    rows: tuple[Row, ...]
    icon: str = ""
    lead: Text = Text("", "")

    @property
    def is_page(self) -> bool:
        """It is no lesson of steps but a page of its own."""
        return bool(self.icon)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curriculum:
    """Everything that the playground means to teach, in the order of teaching."""

    chapters: tuple[Chapter, ...]
    lessons: tuple[PlannedLesson, ...]

    def planned(self, name: str) -> PlannedLesson | None:
        """The planned lesson of this name, if the curriculum has it."""
        return next((lesson for lesson in self.lessons if lesson.name == name), None)

    def row_ids(self) -> tuple[str, ...]:
        """The ids of all rows of all lessons."""
        return tuple(row.id for lesson in self.lessons for row in lesson.rows)
