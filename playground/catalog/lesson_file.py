"""Reads and validates one lesson's folder; knows how the parts of a lesson must fit together."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from playground.catalog.challenge_table import read_challenges
from playground.catalog.faults import Faults
from playground.catalog.prose import read_prose
from playground.catalog.records import (
    Curriculum,
    Lesson,
    Prediction,
    Step,
    Text,
    Texts,
)
from playground.catalog.settings import SettingsClass, choices, field_names, settings_classes
from playground.catalog.step_file import read_shared_words, read_step
from playground.catalog.tables import Table, read_toml

KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NO_TEXT = Text("", "")


def read_lesson(folder: Path, curriculum: Curriculum, faults: Faults) -> Lesson:
    """Read a lesson; what is wrong with it is noted, and the lesson then is not to be used.

    Args:
        folder: The lesson's folder, which bears its name.
        curriculum: Where chapters and rows are looked up.
        faults: Where faults are noted.
    """
    name = folder.name
    place = f"lessons/{name}/lesson.toml"
    table = read_toml(folder / "lesson.toml", place, faults)
    if table.is_list_of_texts("steps"):
        return read_step_lesson(folder, table, curriculum)
    classes = _settings_classes(name, faults) if faults.is_thorough else None
    steps = tuple(table.tables("steps", "step"))
    step_ids = _unique_ids(steps, place, "step", faults)
    prose = read_prose(folder, step_ids, faults)
    lesson = Lesson(
        name=name,
        order=table.integer("order"),
        chapter=_chapter(table, name, curriculum),
        icon=table.string("icon"),
        minutes=table.integer("minutes"),
        title=table.text("title"),
        lead=table.text("lead"),
        steps=tuple(_read_step(step, prose, classes, curriculum) for step in steps),
        labels=table.texts("labels", may_be_filled=True),
        options=_read_options(table, classes, faults),
        answers=table.texts("answers"),
        whys=table.texts("whys", may_be_filled=True),
        alts=table.texts("alts", may_be_filled=True),
        challenges=read_challenges(table, name, step_ids, classes),
    )
    table.refuse_unknown()
    return lesson


def read_step_lesson(folder: Path, table: Table, curriculum: Curriculum) -> Lesson:
    """Read a lesson whose steps are modules: the steps by name, and what stands for all of them."""
    shared = read_shared_words(folder.parent.parent / "steps" / "words.toml", table.faults)
    lesson = Lesson(
        name=folder.name,
        order=table.integer("order"),
        chapter=_chapter(table, folder.name, curriculum),
        icon=table.string("icon"),
        minutes=table.integer("minutes"),
        title=table.text("title"),
        lead=table.text("lead"),
        steps=tuple(
            read_step(folder, step_id, curriculum, shared, table.faults)
            for step_id in table.strings("steps")
        ),
        labels={},
        options={},
        answers={},
        whys={},
        alts={},
        challenges=(),
        remember=tuple(
            (each.text("text"), each.string("code"))
            for each in table.tables("remember", "sentence")
        ),
    )
    table.refuse_unknown()
    return lesson


def _settings_classes(name: str, faults: Faults) -> Mapping[str, SettingsClass]:
    place = f"lessons/{name}/records.py"
    try:
        classes = settings_classes(name)
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith(f"playground.lessons.{name}"):
            raise  # the file is there and imports something that is not
        faults.add(place, "the file is absent")
        return {}
    for class_name, settings_class in classes.items():
        try:
            settings_class()
        except (TypeError, ValueError) as error:
            faults.add(place, f"{class_name} cannot be made without arguments: {error}")
    return classes


def _unique_ids(tables: Iterable[Table], place: str, noun: str, faults: Faults) -> tuple[str, ...]:
    ids: list[str] = []
    for table in tables:
        given = table.string("id")
        if given in ids:
            faults.add(place, f"{noun} '{given}' is there twice")
        elif given and not KEBAB.fullmatch(given):
            faults.add(table.place, "id must be lower-case words joined by hyphens")
        if given and given not in ids:
            ids.append(given)
    return tuple(ids)


def _chapter(table: Table, name: str, curriculum: Curriculum) -> str:
    given = table.string("chapter")
    known = [chapter.id for chapter in curriculum.chapters]
    planned = curriculum.planned(name)
    if given and given not in known:
        table.faults.add(table.place, f"chapter '{given}' is not in curriculum.toml")
    elif given and planned and planned.chapter != given:
        table.faults.add(
            table.place, f"chapter '{given}', but curriculum.toml says '{planned.chapter}'"
        )
    return given


def _read_step(
    table: Table,
    prose: Mapping[str, Text],
    classes: Mapping[str, SettingsClass] | None,
    curriculum: Curriculum,
) -> Step:
    covers = table.strings("covers")
    for row in covers:
        if row not in curriculum.row_ids():
            table.faults.add(table.place, f"covers '{row}', which is no row of curriculum.toml")
    settings = table.string("settings")
    if settings and classes is not None and settings not in classes:
        table.faults.add(table.place, f"settings '{settings}' is no settings class of records.py")
    step = Step(
        id=table.string("id"),
        covers=covers,
        settings=settings,
        title=table.text("title"),
        prose=prose.get(table.string("id"), NO_TEXT),
        prediction=_read_prediction(table.table("prediction")) if "prediction" in table else None,
    )
    table.refuse_unknown()
    return step


def _read_prediction(table: Table) -> Prediction:
    answers = table.strings("answers")
    if len(answers) == 1:
        table.faults.add(table.place, "answers must be two or more, or [] if the page passes them")
    prediction = Prediction(question=table.text("question"), answers=answers)
    table.refuse_unknown()
    return prediction


def _read_options(
    table: Table, classes: Mapping[str, SettingsClass] | None, faults: Faults
) -> Mapping[str, Texts]:
    if "options" not in table:
        table.texts("options")  # marks the key as known
        return MappingProxyType({})
    inner = table.table("options")
    options = {field: inner.texts(field) for field in inner.names()}
    if classes is not None:
        for field, words in options.items():
            _check_option_ids(f"{inner.place}.{field}", field, tuple(words), classes, faults)
    return MappingProxyType(options)


def _check_option_ids(
    place: str,
    field: str,
    ids: Sequence[str],
    classes: Mapping[str, SettingsClass],
    faults: Faults,
) -> None:
    """An id must be one that a settings field can have; a field of free ids takes any."""
    holders = [each for each in classes.values() if field in field_names(each)]
    by_class = [choices(each)[field] for each in holders]
    if not by_class:
        faults.add(place, f"no settings class has a field '{field}'")
    elif all(by_class):
        allowed = {each for ids_of_class in by_class for each in ids_of_class}
        for unknown in [each for each in ids if each not in allowed]:
            faults.add(place, f"'{unknown}' is no choice of '{field}'")
