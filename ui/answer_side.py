"""The answer side of a step: what is shown there, from the top to the bottom."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from streamlit.delta_generator import DeltaGenerator

from playground import catalog
from playground.compute.outcome import Outcome
from ui import answer_view, chart, prediction
from ui.lab import opening
from ui.words import say

if TYPE_CHECKING:
    import plotly.graph_objects as go  # a type only: figures alone import plotly

Value = str | int | float | bool


class AnswerSide:
    """What a page shows a step's report with.

    Args:
        lesson: The lesson's words.
        words: The step's own words.
        language: What they are said in.
        is_revealed: Nothing is to be predicted first.

    Attributes:
        right: Where it is drawn; where it is None, nothing is drawn.
        program: The program that was offered.
    """

    def __init__(
        self,
        lesson: catalog.Lesson,
        words: catalog.Step,
        language: catalog.Language,
        is_revealed: bool,
    ) -> None:
        self.lesson = lesson
        self.catalog_step = words
        self.language = language
        self.is_revealed = is_revealed
        self.right: DeltaGenerator | None = None
        self.program = ""
        self._truth = ""  # the id of what really happened
        self._judged = ""  # whether it was predicted
        self._answered = ""  # both in words, for the head of the answer
        self._has_head = False
        self._markup: list[str] = []  # shown together: fewer messages to the browser
        self._charts = 0

    @property
    def is_simulated(self) -> bool:
        """The answer is one of simulated devices, and says so."""
        return False

    def key(self, field: str) -> str:
        """The key of a control: its widget, its CSS class and its URL parameter."""
        return f"{self.lesson.name}_{self.catalog_step.id}_{field}"

    def label(self, field: str) -> str:
        """The label of a control, a column or a fact."""
        return self.lesson.labels[field].said(self.language)

    def place(self) -> DeltaGenerator | None:
        """Where else to draw on the answer side: below what was shown so far."""
        self._flush()
        return self.right

    def outcome(self, outcome: Outcome, value: str = "") -> None:
        """Show what PyTorch answered, in its own words."""
        if self.right is None:
            return
        verdict, badge = "", ""
        if not self._truth or self._truth == prediction.answer_id(outcome):
            self._has_head = True  # the panel says what happened, so the verdict stands in it
            verdict, badge = self._judged, self._badge()
        self._show(answer_view.outcome(outcome, value, verdict, badge))

    def facts(self, facts: Mapping[str, Value | None]) -> None:
        """Show a short list of names and values."""
        if self.right is not None:
            named = {self.label(name): value for name, value in facts.items()}
            self._show(answer_view.facts(named))

    def table(self, columns: tuple[str, ...], rows: tuple[tuple[Value | None, ...], ...]) -> None:
        """Show a table; it scrolls in itself where the screen is narrow."""
        if self.right is not None:
            self._show(answer_view.table(tuple(map(self.label, columns)), rows))

    def figure(self, figure: "go.Figure", alt: str, **placeholders: object) -> None:
        """Show a picture, with its alternative text from the lesson's ``[alts]``."""
        if self.right is None:
            return
        self._charts += 1
        self._flush()
        chart.draw(
            self.right,
            figure,
            key=self.key(f"figure{self._charts}"),
            alt=self.lesson.alts[alt].filled(self.language, **placeholders),
        )

    def why(self, why: str, **placeholders: object) -> None:
        """Say why, in the words of the lesson's ``[whys]``."""
        if self.right is not None:
            text = self.lesson.whys[why].filled(self.language, **placeholders)
            self._show(answer_view.why(text))

    def diff(self, before: str, after: str) -> None:
        """Show a line, and the line that replaces it; or only what is to be put in."""
        if self.right is None:
            return
        self._show(answer_view.heading(say("step.fix")))
        self._flush()
        if before:
            lines = [*(f"- {line}" for line in before.split("\n"))]
            lines += [f"+ {line}" for line in after.split("\n")]
            self.right.code("\n".join(lines), language="diff", wrap_lines=True)
        else:
            self.right.code(after, language="python", wrap_lines=True)

    def printed(self, text: str, *, height: int | None = None) -> None:
        """Show what a program prints, if anything, with a button that copies it."""
        if text and self.right is not None:
            self._flush()
            self.right.code(text, language=None, wrap_lines=True, height=height or "content")

    def code(self, program: str) -> None:
        """Offer the program, one click away; it is sent when it is opened."""
        self.program = program
        if self.right is None:
            return
        self._flush()
        box = self.right.expander(say("step.code"), key=self.key("code"), on_change="rerun")
        if box.open:
            shown = f"{program.rstrip()}\nprint(result)"
            box.code(shown, language="python", wrap_lines=True)
            opening.offer(box, shown, f"{self.lesson.name}/{self.catalog_step.id}")

    def download(self, label: str, data: str, file_name: str) -> None:
        """Offer a text as a file."""
        if self.right is not None:
            self._flush()
            self.right.download_button(
                self.label(label),
                data,
                file_name,
                on_click="ignore",
                key=self.key(f"download-{label}"),
            )

    def _show(self, markup: str) -> None:
        self._markup += [self._head(), markup]

    def _flush(self) -> None:
        if self.right is None:
            return
        whole = self._head() + "".join(self._markup)
        self._markup.clear()
        if whole:
            self.right.html(f'<div class="tp-answer">{whole}</div>')

    def _head(self) -> str:
        """The verdict and the badge, once, above the first thing shown."""
        if self._has_head or not self.is_revealed:
            return ""
        self._has_head = True
        return answer_view.head(self._answered, self._badge())

    def _badge(self) -> str:
        return say("machine.simulated-result") if self.is_simulated else ""
