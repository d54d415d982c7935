"""The reader of ``curriculum.toml``: the chapters, and the content of every planned lesson."""

from collections.abc import Sequence
from pathlib import Path

from playground.catalog.faults import Faults
from playground.catalog.records import Chapter, Curriculum, PlannedLesson, Row, Text
from playground.catalog.tables import Table, read_toml


def read_curriculum(path: Path, faults: Faults) -> Curriculum:
    """Read the curriculum, and record its faults."""
    table = read_toml(path, path.name, faults)
    chapters = tuple(_read_chapter(each) for each in table.tables("chapters", "chapter"))
    chapter_ids = [chapter.id for chapter in chapters]
    lessons = tuple(_read_lesson(each, chapter_ids) for each in table.tables("lessons", "lesson"))
    table.refuse_unknown()
    curriculum = Curriculum(chapters=chapters, lessons=lessons)
    _note_repeated(chapter_ids, f"{path.name}: chapter", faults)
    _note_repeated([lesson.name for lesson in lessons], f"{path.name}: lesson", faults)
    _note_repeated(curriculum.row_ids(), f"{path.name}: row", faults)
    return curriculum


def _read_chapter(table: Table) -> Chapter:
    chapter = Chapter(id=table.string("id"), title=table.text("title"))
    table.refuse_unknown()
    return chapter


def _read_lesson(table: Table, chapters: Sequence[str]) -> PlannedLesson:
    rows = table.texts("rows")
    is_page = "icon" in table
    lesson = PlannedLesson(
        name=table.string("name"),
        chapter=table.string("chapter"),
        title=table.text("title"),
        rows=tuple(Row(id=row, title=title) for row, title in rows.items()),
        icon=table.string("icon") if is_page else "",
        lead=table.text("lead") if is_page else Text("", ""),
    )
    if not rows:
        table.faults.add(table.place, "rows is absent or empty")
    if lesson.chapter and lesson.chapter not in chapters:
        table.faults.add(table.place, f"chapter '{lesson.chapter}' is no chapter of this file")
    table.refuse_unknown()
    return lesson


def _note_repeated(ids: Sequence[str], place: str, faults: Faults) -> None:
    for repeated in sorted({each for each in ids if ids.count(each) > 1}):
        faults.add(f"{place} '{repeated}'", "is there twice")
