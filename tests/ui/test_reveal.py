"""A step reveals its answer in one order, and nothing of it before the prediction."""

from dataclasses import dataclass

import pytest

from playground import catalog
from playground.compute.outcome import Outcome
from playground.errors import InvalidSettingError
from playground.explained import Explained, Quiet
from ui import compute
from ui.answer_side import AnswerSide
from ui.reveal import reveal

WORKED = Outcome(ok=True)
REFUSED = Outcome(ok=False, error_type="RuntimeError", message="no")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Explained):
    """Has everything that there is to show."""

    printed = "3"
    in_full = "all of it"
    is_fixed = True
    refusal = ""

    @property
    def told(self):
        return {"size": 3, "rest": None}

    @property
    def why(self):
        return "because"

    def tables(self, words):
        assert words == "words"
        return ((("size",), ((3,),)),)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietReport(Quiet):
    """Has nothing but facts."""

    told = {"size": 3}
    why = "because"


class NotedStep:
    """Notes what a step was asked to show."""

    palette, words = "palette", "words"

    def __init__(self, is_revealed: bool = True) -> None:
        self.is_revealed = is_revealed
        self.shown = []

    def predicted(self, actual, answers):
        self.shown.append(("predicted", actual, answers))
        return self.is_revealed

    def __getattr__(self, name):
        return lambda *given, **named: self.shown.append((name, *given, *([named] * bool(named))))


def bars(report, palette, words):
    return f"{palette} {words}"


def mend(settings):
    return settings, "better"


def shown_of(report, monkeypatch, **asked):
    monkeypatch.setattr(compute, "run", {"settings": report}.get)
    step = NotedStep(**asked)
    reveal(step, "settings", str.upper, bars, mend)
    return step.shown


def test_all_that_a_report_has_is_shown_in_order(monkeypatch):
    assert shown_of(Report(outcome=WORKED), monkeypatch) == [
        ("predicted", WORKED, None),
        ("outcome", WORKED, "3"),
        ("figure", "palette words", "bars", {"size": 3, "rest": "—"}),
        ("diff", "settings", "better"),
        ("facts", {"size": 3}),
        ("why", "because", {"size": 3, "rest": None}),
        ("table", ("size",), ((3,),)),
        ("printed", "all of it", {"height": 160}),
        ("code", "SETTINGS"),
    ]


def test_nothing_is_shown_before_the_prediction(monkeypatch):
    assert shown_of(Report(outcome=WORKED), monkeypatch, is_revealed=False) == [
        ("predicted", WORKED, None)
    ]


@pytest.mark.parametrize("outcome", [WORKED, REFUSED])
def test_a_quiet_report_has_a_panel_where_torch_refused(outcome, monkeypatch):
    shown = shown_of(QuietReport(outcome=outcome), monkeypatch)

    assert ("outcome" in [name for name, *_ in shown]) is not outcome.ok
    assert "diff" not in [name for name, *_ in shown]


def test_a_refused_number_is_told_beside_the_controls(monkeypatch):
    class Refusing(Report):
        refusal = "std must be positive"

    with pytest.raises(InvalidSettingError) as refused:
        shown_of(Refusing(outcome=REFUSED), monkeypatch)

    assert (refused.value.field, refused.value.values["text"]) == (
        "arguments",
        "std must be positive",
    )


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("a = b", "a = c", ("- a = b\n+ a = c", "diff")),
        ("a = b", "with d:\n    a = b", ("- a = b\n+ with d:\n+     a = b", "diff")),
        ("a\nb", "c", ("- a\n- b\n+ c", "diff")),
        ("", "a\nb", ("a\nb", "python")),
    ],
)
def test_a_mended_program_says_what_goes_and_what_comes(before, after, shown):
    class Right:
        def __init__(self):
            self.code_shown = []

        def html(self, markup):
            assert "tp-heading" in markup

        def code(self, text, language, *, wrap_lines):
            assert wrap_lines
            self.code_shown.append((text, language))

    lesson = catalog.lesson("tensors")
    side = AnswerSide(lesson, lesson.steps[0], catalog.Language.EN, is_revealed=True)
    side.right = Right()
    side.diff(before, after)

    assert side.right.code_shown == [shown]
