"""Whether a report meets a challenge; pure, and shared by all lessons."""

import importlib
import operator
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Protocol, TypeGuard


@unique
class Comparison(StrEnum):
    """How a report's field is held against the wanted value."""

    EQUALS = "equals"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldCheck:
    """A field of the report must compare so with a value.

    Attributes:
        field: Its name, dotted where it lies in a record, e.g. ``"outcome.ok"``.
    """

    field: str
    comparison: Comparison
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicateCheck:
    """A function of the lesson's ``challenges`` module, report → bool, must say yes."""

    predicate: str


Check = FieldCheck | PredicateCheck


class Checked(Protocol):
    """Anything that carries a check, such as ``catalog.Challenge``."""

    @property
    def check(self) -> Check:
        """What a report must meet."""
        ...


def grade(lesson_name: str, challenge: Checked, report: object) -> bool:
    """Say whether a report meets a challenge.

    A field that is ``None``, or that cannot be ordered against the value, does not meet it.

    Args:
        lesson_name: Where a predicate is looked for, e.g. ``"tensors"``.
        challenge: The challenge, of which only ``check`` is read.
        report: What the experiment answered.

    Raises:
        AttributeError: The report, or the lesson, has no such field or predicate.
    """
    check = challenge.check
    if isinstance(check, PredicateCheck):
        predicates = importlib.import_module(f"playground.lessons.{lesson_name}.challenges")
        return bool(getattr(predicates, check.predicate)(report))
    return _compares(operator.attrgetter(check.field)(report), check)


def _compares(given: object, check: FieldCheck) -> bool:
    wanted = check.value
    if check.comparison == Comparison.EQUALS:
        return given == wanted
    if not _is_number(given) or not _is_number(wanted):
        return False
    return given >= wanted if check.comparison == Comparison.AT_LEAST else given <= wanted


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
