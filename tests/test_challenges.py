"""Grading, on reports made here."""

import sys
from dataclasses import dataclass
from types import ModuleType

import pytest

from playground.challenges import Check, Comparison, FieldCheck, PredicateCheck, grade
from playground.compute.outcome import Outcome


@dataclass(frozen=True, kw_only=True)
class Report:
    size_bytes: int | None = 1024
    devices: tuple[str, ...] = ("cpu", "cuda:0")
    outcome: Outcome = Outcome(ok=True)


@dataclass(frozen=True)
class Task:
    check: Check


def field(name: str, comparison: Comparison, value: object) -> Task:
    return Task(FieldCheck(field=name, comparison=comparison, value=value))


@pytest.mark.parametrize(
    ("comparison", "value", "passes"),
    [
        (Comparison.EQUALS, 1024, True),
        (Comparison.EQUALS, 1023, False),
        (Comparison.AT_LEAST, 1024, True),
        (Comparison.AT_LEAST, 1025, False),
        (Comparison.AT_MOST, 1024, True),
        (Comparison.AT_MOST, 1023.5, False),
    ],
)
def test_a_number_is_compared(comparison: Comparison, value: float, passes: bool) -> None:
    assert grade("any", field("size_bytes", comparison, value), Report()) is passes


def test_a_dotted_field_is_followed_into_its_record() -> None:
    task = field("outcome.ok", Comparison.EQUALS, True)

    assert grade("any", task, Report())
    assert not grade("any", task, Report(outcome=Outcome(ok=False)))


def test_a_tuple_is_compared_whole() -> None:
    assert grade("any", field("devices", Comparison.EQUALS, ("cpu", "cuda:0")), Report())
    assert not grade("any", field("devices", Comparison.EQUALS, ("cpu",)), Report())


@pytest.mark.parametrize("comparison", [Comparison.AT_LEAST, Comparison.AT_MOST])
def test_an_absent_reading_meets_no_bound(comparison: Comparison) -> None:
    assert not grade("any", field("size_bytes", comparison, 0), Report(size_bytes=None))


def test_a_predicate_of_the_lesson_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("playground.lessons.sample.challenges")
    module.__dict__["is_small"] = lambda report: report.size_bytes < 2000
    monkeypatch.setitem(sys.modules, module.__name__, module)
    task = Task(PredicateCheck(predicate="is_small"))

    assert grade("sample", task, Report()) is True
    assert grade("sample", task, Report(size_bytes=4000)) is False


def test_a_field_that_the_report_has_not_is_an_error() -> None:
    with pytest.raises(AttributeError, match="colour"):
        grade("any", field("colour", Comparison.EQUALS, "red"), Report())
