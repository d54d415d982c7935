"""The catalog of lessons: finds, validates and orders them, and returns typed objects.

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
    """Return all lessons in order; they are read once per process.

    Raises:
        CatalogError: The files have faults; it lists those found while reading.
    """
    return read_lessons(PLAYGROUND / "lessons", curriculum(), Faults(is_thorough=False))


def check_lessons() -> None:
    """Check all lessons for faults of any kind; imports the steps of all lessons.

    Raises:
        CatalogError: A lesson or ``curriculum.toml`` has faults; it lists all.
    """
    faults = Faults()
    plan = read_curriculum(CURRICULUM, faults)
    read_lessons(PLAYGROUND / "lessons", plan, faults)


def lesson(name: str) -> Lesson:
    """Return the lesson with this name.

    Raises:
        KeyError: No lesson has this name.
    """
    for each in lessons():
        if each.name == name:
            return each
    raise KeyError(name)


@cache
def curriculum() -> Curriculum:
    """Return the whole curriculum, including lessons that are not written yet.

    Raises:
        CatalogError: ``curriculum.toml`` has faults; it lists all.
    """
    faults = Faults(is_thorough=False)
    found = read_curriculum(CURRICULUM, faults)
    faults.raise_any()
    return found


def chapters() -> tuple[Chapter, ...]:
    """Return the chapters in order."""
    return curriculum().chapters


def read_lessons(folder: Path, plan: Curriculum, faults: Faults) -> tuple[Lesson, ...]:
    """Read every lesson below a folder.

    Args:
        folder: Contains one folder per lesson; a folder without ``lesson.toml`` is skipped.
        plan: The curriculum with the chapters and rows.
        faults: The collector of faults; sets how thorough the check is.

    Raises:
        CatalogError: A lesson has faults; it lists all.
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
