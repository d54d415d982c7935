"""What an experiment answers, in this process: no worker to wait for."""

from collections.abc import Hashable
from typing import Any, TypeVar

from playground import compute
from playground.compute.cache import cache_key
from playground.compute.settings import Settings

ReportT = TypeVar("ReportT")
_reports: dict[Hashable, Any] = {}


def answer(settings: Settings[ReportT]) -> ReportT:
    """The report of an experiment."""
    with compute.running_inline():
        return compute.run(settings)


def answer_once(settings: Settings[ReportT]) -> ReportT:
    """The report, which is found once for equal settings, also where another run would differ."""
    key = cache_key(settings)
    if key not in _reports:
        _reports[key] = answer(settings)
    report: ReportT = _reports[key]
    return report
