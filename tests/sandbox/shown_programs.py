"""Every program that the lessons show: at the default settings, in rounds and with challenges."""

from functools import cache

from playground import catalog
from tests.lessons.steps import STEPS, find, starts

NAMES = sorted(lesson.name for lesson in catalog.lessons())


@cache
def shown_programs(lesson: str) -> dict[str, str]:
    """The programs of a lesson: by text, the step that writes it."""
    return {
        each.program(): step_id
        for name, step_id in STEPS
        if name == lesson
        for each in starts(*find(lesson, step_id))
    }
