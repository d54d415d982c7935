"""The records of a lesson: plain data in two languages, independent of files and screens."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique

PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")


@unique
class Language(StrEnum):
    """A language of the texts."""

    EN = "en"
    ZH = "zh"


@dataclass(frozen=True, slots=True)
class Text:
    """One text in every language; there is no fallback from one to the other."""

    en: str
    zh: str

    def said(self, language: Language) -> str:
        """Return the text in one language.

        >>> Text("device", "设备").said(Language.ZH)
        '设备'
        """
        return self.zh if language == Language.ZH else self.en

    def filled(self, language: Language, **values: object) -> str:
        """Return the text in one language with its ``{placeholders}`` filled; other braces stay.

        Raises:
            KeyError: A placeholder of the text has no value.

        >>> Text("{left} is not {}", "{left} 不是 {}").filled(Language.EN, left="cpu")
        'cpu is not {}'
        """
        return PLACEHOLDER.sub(lambda found: str(values[found[1]]), self.said(language))


Texts = Mapping[str, Text]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """The question that the student answers before the experiment does.

    Attributes:
        answers: Answer ids in the order shown; empty where the step's settings give them.
    """

    question: Text
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One experiment of a lesson.

    Attributes:
        id: The name of its module, e.g. ``"same_device_error"``.
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
    """Ready-made settings at which a step repeats its question.

    Attributes:
        settings: By field, as TOML has them.
        question: Replaces the step's own; None if that one is repeated.
    """

    settings: Mapping[str, object]
    question: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """A task that the student solves with the controls of a step.

    It is solved when the predicate of the same name in the step's module,
    ``(step, answer) -> bool``, is true.

    Attributes:
        starting: Settings that do not solve it.
        model: Settings that solve it.
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
        if_wrong: By answer id, the feedback to a student who chose it and was wrong.
        labels: Words for controls, facts, table columns and pictures.
        options: By field, the words for its choices; a choice without words is code.
        alts: Alternative texts of the picture, ``before`` and ``after`` the answer, and of the
            ``chart``.
        rounds: Further settings at which the question is repeated.
        idea: A longer explanation, closed at first; None where there is none.
        previous_ids: Ids under which older links name the step.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A lesson: its steps, challenges and summary.

    Attributes:
        remember: The summary at its end: sentences, each with the line of code that shows it.
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
        """Its steps, and ``challenge/<id>`` for each challenge."""
        challenges = [each.id for step in self.steps for each in step.words.challenges]
        return (*(step.id for step in self.steps), *(f"challenge/{each}" for each in challenges))

    def step(self, step_id: str) -> Step:
        """Return the step with this id.

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
    """A lesson of the curriculum, with or without a folder.

    Attributes:
        icon: The icon of a page without steps; empty for every other lesson.
        lead: The lead of such a page.
    """

    name: str
    chapter: str
    title: Text
    rows: tuple[Row, ...]
    icon: str = ""
    lead: Text = Text("", "")

    @property
    def is_page(self) -> bool:
        return bool(self.icon)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curriculum:
    """All chapters and lessons of the playground, in the order of teaching."""

    chapters: tuple[Chapter, ...]
    lessons: tuple[PlannedLesson, ...]

    def planned(self, name: str) -> PlannedLesson | None:
        """Return the planned lesson with this name, or None."""
        return next((lesson for lesson in self.lessons if lesson.name == name), None)

    def row_ids(self) -> tuple[str, ...]:
        """Return the ids of all rows of all lessons."""
        return tuple(row.id for lesson in self.lessons for row in lesson.rows)
