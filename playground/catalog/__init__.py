"""The lessons: finds them, validates them, and gives them as typed objects in order.

Adding a folder to ``playground/lessons/`` adds a lesson; nothing else names it. Free of torch.

Reading all lessons is quick. Importing all steps is not, and a page needs one step only: whether
every step can be made, and whether the languages agree, is for ``check_lessons`` to say.
"""

from functools import cache
from pathlib import Path

from playground.catalog.curriculum_file import read_curriculum
from playground.catalog.faults import CatalogError, Faults
from playground.catalog.lesson_file import read_lesson, read_shared_words
from playground.catalog.records import (
    Challenge,
    Chapter,
    Curriculum,
    Language,
    Lesson,
    PlannedLesson,
    Prediction,
    Round,
    Row,
    Step,
    StepWords,
    Text,
    Texts,
)

__all__ = [
    "CatalogError",
    "Challenge",
    "Chapter",
    "Curriculum",
    "Language",
    "Lesson",
    "PlannedLesson",
    "Prediction",
    "Round",
    "Row",
    "Step",
    "StepWords",
    "Text",
    "Texts",
    "chapters",
    "check_lessons",
    "curriculum",
    "lesson",
    "lessons",
    "read_lessons",
]

PLAYGROUND = Path(__file__).parent.parent
CURRICULUM = PLAYGROUND / "curriculum.toml"


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons, in order; read once per process.

    Raises:
        CatalogError: With every fault that reading meets.
    """
    return read_lessons(PLAYGROUND / "lessons", curriculum(), Faults(is_thorough=False))


def check_lessons() -> None:
    """Look for every fault there may be; imports the steps of all lessons.

    Raises:
        CatalogError: With every fault of every lesson, and of ``curriculum.toml``.
    """
    faults = Faults()
    plan = read_curriculum(CURRICULUM, faults)
    read_lessons(PLAYGROUND / "lessons", plan, faults)


def lesson(name: str) -> Lesson:
    """The lesson of this name.

    Raises:
        KeyError: There is none.
    """
    for each in lessons():
        if each.name == name:
            return each
    raise KeyError(name)


@cache
def curriculum() -> Curriculum:
    """Everything that is to be taught, lessons that are not written yet included.

    Raises:
        CatalogError: With every fault of ``curriculum.toml`` that reading meets.
    """
    faults = Faults(is_thorough=False)
    found = read_curriculum(CURRICULUM, faults)
    faults.raise_any()
    return found


def chapters() -> tuple[Chapter, ...]:
    """The chapters, in order."""
    return curriculum().chapters


def read_lessons(folder: Path, plan: Curriculum, faults: Faults) -> tuple[Lesson, ...]:
    """Read every lesson below a folder.

    Args:
        folder: Holds one folder per lesson; a folder without ``lesson.toml`` is no lesson.
        plan: Where chapters and rows are looked up.
        faults: Where faults are noted; says how thoroughly to look for them.

    Raises:
        CatalogError: With every fault of every lesson.
    """
    files = sorted(folder.glob("*/lesson.toml"))
    shared = read_shared_words(PLAYGROUND / "steps" / "words.toml", faults)
    found = [read_lesson(file.parent, plan, shared, faults) for file in files]
    found.sort(key=lambda each: each.order)
    for earlier, later in zip(found, found[1:], strict=False):
        if earlier.order == later.order:
            names = f"'{earlier.name}' and '{later.name}'"
            faults.add("lessons", f"{names} both have order {later.order}")
    faults.raise_any()
    return tuple(found)
