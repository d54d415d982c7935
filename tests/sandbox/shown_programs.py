"""Every program that the lessons show: at the default settings, and with one setting changed."""

import inspect
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from functools import cache
from importlib import import_module
from pathlib import Path

from playground import catalog, compute
from playground.catalog.settings import field_types, settings_classes
from playground.errors import PlaygroundError
from tests.lessons.steps import STEPS, find, starts

LESSONS = Path(__file__).parents[2] / "playground" / "lessons"
NAMES = sorted(file.parent.name for file in LESSONS.glob("*/lesson.toml"))
FREE_TEXTS = {"device": ("cpu", "cuda:1"), "text": ("cuda", "cuda:1"), "value": (None, "0,1")}


@cache
def shown_programs(lesson: str) -> dict[str, str]:
    """The programs of a lesson: by text, the name of the function or step that writes it."""
    if catalog.lesson(lesson).has_step_modules:
        return {
            each.program(): step_id
            for name, step_id in STEPS
            if name == lesson
            for each in starts(*find(lesson, step_id))
        }
    source = import_module(f"playground.lessons.{lesson}.source")
    classes = settings_classes(lesson)
    programs = {}
    for name, write in vars(source).items():
        if not inspect.isfunction(write) or name.startswith(("_", "mend_")):
            continue
        first, *others = [*inspect.signature(write).parameters.values()] or [None]
        if first is None or (made := classes.get(_class_name(first))) is None:
            continue  # it writes no program of settings
        for settings in variants(made):
            given = [settings]
            if others:  # a program of what was found
                with compute.running_inline():
                    given.append(compute.run(settings))
            written = write(*given)
            if isinstance(written, str) and "\n" in written:
                programs.setdefault(written, name)
    return programs


def _class_name(parameter: inspect.Parameter) -> str:
    hint = parameter.annotation
    return hint if isinstance(hint, str) else getattr(hint, "__name__", "")


def variants(made: type) -> Iterator[object]:
    """The default settings, and those with one field changed to each other thing it may be."""
    default = made()
    yield default
    for field, hint in field_types(made).items():
        given = getattr(default, field)
        others: tuple[object, ...] = FREE_TEXTS.get(field, ())
        if isinstance(hint, type) and issubclass(hint, Enum):
            others = tuple(hint)
        elif isinstance(given, bool):
            others = (not given,)
        elif isinstance(given, int | float):
            others = (given + 1, given - 1, 0)
        for other in others:
            if other != given:
                try:
                    yield replace(default, **{field: other})
                except (PlaygroundError, TypeError):
                    continue  # out of its bounds
