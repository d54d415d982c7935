"""A single lazy layer, and what it answers before and after its first batch."""

from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.settings import Settings
from playground.explained import Quiet, Table, Told
from playground.lessons.lazy_layers.records.answers import Answer, cut
from playground.lessons.lazy_layers.records.choices import Question, Written

MOST_SHOWN = 21  # characters of an answer in the table


@dataclass(frozen=True, slots=True, kw_only=True)
class AskTooEarlyReport(Quiet):
    """What the layer answers.

    Attributes:
        before, after: Every question's answer, in the order of ``Question``.
        out: How many outputs it has.
        has_bias: Whether it has a bias.
        shape: Of its weight, after the first batch.
    """

    written: Written
    question: Question
    before: tuple[Answer, ...]
    after: tuple[Answer, ...]
    out: int
    has_bias: bool
    shape: tuple[int, ...]

    @property
    def printed(self) -> str:
        """The value."""
        return self.before[list(Question).index(self.question)].text

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"out": self.out, "has_bias": self.has_bias, "shape_after": str(self.shape)}

    @property
    def mentions(self) -> Told:
        """The facts, and how the layer is written."""
        return {
            **self.told,
            "batch": str(self.written.batch),
            "written": self.written.code,
            "question": self.question.code,
            "value": self.printed,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.written is Written.TWO_NUMBERS:
            return "second-number-is-bias"
        if not self.outcome.ok:
            return f"asked-{self.question}" if self.question is Question.SHAPE else "asked-values"
        if self.question in {Question.SIZE, Question.DATA, Question.NDIM}:
            return "answers-for-nothing"
        return "knows-that-already"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """All questions, before and after."""
        del words
        rows = tuple(
            (question.short, *(cut(each.short, MOST_SHOWN) for each in answers))
            for question, *answers in zip(Question, self.before, self.after, strict=True)
        )
        return ((("question", "told_before", "told_after"), rows),)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskTooEarly(Settings[AskTooEarlyReport]):
    """Ask a lazy layer something before its first batch."""

    written: Written = Written.OUT
    question: Question = Question.SHAPE
