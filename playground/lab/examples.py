"""The programs of all lessons, as examples to start from; loads no torch."""

from dataclasses import dataclass
from functools import cache

from playground import catalog
from playground.catalog import Text
from playground.machines import Machine
from playground.steps import Step, load_step


@dataclass(frozen=True, slots=True)
class Example:
    """A program of a lesson.

    Attributes:
        id: The lesson's name and the step's id, e.g. ``"tensors/move"``.
        lesson: The lesson's name.
        step: The step's id.
        title: The titles of lesson and step, in both languages.
    """

    id: str
    lesson: str
    step: str
    title: Text

    @property
    def kind(self) -> type[Step]:
        return load_step(self.lesson, self.step)

    def program(self, machine: Machine) -> str:
        """Return the program at the step's default settings.

        Args:
            machine: The machine of the program, if it uses one.
        """
        has_machine = any(each.type is Machine for each in self.kind.declared())
        return f"{self.kind.of({}, **({'machine': machine} if has_machine else {})).program()}\n"


@cache
def examples() -> tuple[Example, ...]:
    """Return all programs, in the order of the lessons."""
    return tuple(
        Example(
            id=f"{lesson.name}/{step.id}",
            lesson=lesson.name,
            step=step.id,
            title=Text(
                f"{lesson.title.en} · {step.title.en}", f"{lesson.title.zh} · {step.title.zh}"
            ),
        )
        for lesson in catalog.lessons()
        for step in lesson.steps
    )
