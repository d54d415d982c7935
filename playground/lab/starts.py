"""Every program that a lesson shows, as something to start from; knows no torch.

A step that is a module of its own writes its program. Of the other steps it is written by the
function of the lesson's ``source`` that has the name of the step's settings; a few are written from
a report, and then the experiment runs when they are asked for.
"""

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from playground import catalog, compute
from playground.catalog import Text
from playground.compute.dispatch import snake_case
from playground.machines import Machine
from playground.steps import Step, load_step

PRINTS = "print(result)"  # the last line of every shown program


@dataclass(frozen=True, slots=True)
class Start:
    """A program of a lesson.

    Attributes:
        id: The lesson's name and the step's id, e.g. ``"tensors/move"``.
        lesson: The lesson's name.
        step: The step's id.
        title: The lesson's and the step's, in both languages.
    """

    id: str
    lesson: str
    step: str
    title: Text

    def program(self, machine: Machine) -> str:
        """The program at the step's default settings.

        Args:
            machine: Whose devices it is about, where it is about devices.

        Raises:
            PlaygroundError: It needs a report, and there is none to be had.
        """
        step = catalog.lesson(self.lesson).step(self.step)
        if step.words is not None:
            kind = load_step(self.lesson, self.step)
            has_machine = any(each.type is Machine for each in kind.declared())
            return f"{kind.of({}, **({'machine': machine} if has_machine else {})).program()}\n"
        write, settings = _source(self, machine)
        told = [compute.run(settings)] if _wants_report(write) else []
        return f"{write(settings, *told).rstrip()}\n{PRINTS}\n"

    def write(self, settings: object) -> str:
        """The program at other settings of the step; of one that needs no report."""
        if isinstance(settings, Step):
            return settings.program()
        write, _ = _source(self, Machine())
        return write(settings)


@cache
def starts() -> tuple[Start, ...]:
    """All programs, in the order of the lessons."""
    return tuple(
        Start(
            id=f"{lesson.name}/{step.id}",
            lesson=lesson.name,
            step=step.id,
            title=Text(
                f"{lesson.title.en} · {step.title.en}", f"{lesson.title.zh} · {step.title.zh}"
            ),
        )
        for lesson in catalog.lessons()
        for step in lesson.steps
        if step.words is not None or _writer(lesson.name, step) is not None
    )


def _writer(lesson: str, step: catalog.Step) -> Callable[..., str] | None:
    source = importlib.import_module(f"playground.lessons.{lesson}.source")
    found = getattr(source, snake_case(step.settings), None)
    return found if callable(found) else None


def _source(start: Start, machine: Machine) -> tuple[Callable[..., str], Any]:
    step = catalog.lesson(start.lesson).step(start.step)
    write = _writer(start.lesson, step)
    if write is None:
        raise LookupError(f"{start.id} shows no program")
    kind: Any = catalog.settings_classes(start.lesson)[step.settings]
    given = {"machine": machine} if "machine" in {each.name for each in fields(kind)} else {}
    return write, kind(**given)


def _wants_report(write: Callable[..., str]) -> bool:
    """Whether a program cannot be written from the settings alone."""
    needed = [
        each
        for each in inspect.signature(write).parameters.values()
        if each.default is inspect.Parameter.empty
    ]
    return len(needed) > 1
