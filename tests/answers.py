"""What an experiment answers, in this process: no worker to wait for."""

from functools import cache
from typing import TypeVar

from playground import compute
from playground.compute.settings import Settings

ReportT = TypeVar("ReportT")


def answer(settings: Settings[ReportT]) -> ReportT:
    """The report of an experiment."""
    with compute.running_inline():
        return compute.run(settings)


answer_once = cache(answer)  # for deterministic settings: equal ones have equal reports
