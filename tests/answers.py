from collections.abc import Hashable
from typing import Any, TypeVar

from playground import compute
from playground.compute.cache import cache_key
from playground.compute.settings import Settings
from playground.steps import Answer, Step

ReportT = TypeVar("ReportT")
_reports: dict[Hashable, Any] = {}


def answer(settings: Settings[ReportT]) -> ReportT:
    with compute.running_inline():
        return compute.run(settings)


def answer_once(settings: Settings[ReportT]) -> ReportT:
    """The report, which is found once for equal settings, also where another run would differ."""
    key = cache_key(settings)
    if key not in _reports:
        _reports[key] = answer(settings)
    report: ReportT = _reports[key]
    return report


def assert_answer(step: Step, **expected: Any) -> Answer:
    """Fail unless the answer has these values; return it.

    Args:
        expected: Facts and placeholders by their names, attributes of the answer, ``ok``, ``error``
            (its type), ``is_silent``, ``has_fix``, and ``says``: a part of the error's text.
    """
    found = answer_once(step)
    says = expected.pop("says", "")
    known = {
        **found.placeholders,
        **found.facts,
        **{name: getattr(found, name) for name in ("prediction", "explanation", "fix", "printed")},
        "stopped_at": found.stopped_at,
        "ok": found.outcome.ok,
        "error": found.outcome.error_type,
        "is_silent": found.is_silent_failure,
        "has_fix": found.fix is not None,
    }
    assert {name: known[name] for name in expected} == expected, step
    assert says in found.outcome.message, step
    return found
