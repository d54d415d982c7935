"""Every program that a lesson shows, as something to start from; knows no torch."""

from dataclasses import dataclass
from functools import cache

from playground import catalog
from playground.catalog import Text
from playground.machines import Machine
from playground.steps import Step, load_step


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

    @property
    def kind(self) -> type[Step]:
        """The class of the step."""
        return load_step(self.lesson, self.step)

    def program(self, machine: Machine) -> str:
        """The program at the step's default settings.

        Args:
            machine: Whose devices it is about, where it is about devices.
        """
        has_machine = any(each.type is Machine for each in self.kind.declared())
        return f"{self.kind.of({}, **({'machine': machine} if has_machine else {})).program()}\n"


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
    )
