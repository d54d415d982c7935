"""The reader of a lesson: ``lesson.toml``, and the words of each step, ``<step>.toml``."""

from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from playground.catalog.faults import Faults
from playground.catalog.records import (
    Challenge,
    Curriculum,
    Lesson,
    Prediction,
    Round,
    Step,
    StepWords,
    Texts,
)
from playground.catalog.tables import Table, read_toml
from playground.steps import load_step


class SharedWords(NamedTuple):
    """Words that steps of several lessons use; a step's own words take precedence."""

    labels: Texts
    answers: Texts


def read_shared_words(path: Path, faults: Faults) -> SharedWords:
    """Read ``playground/steps/words.toml``."""
    table = read_toml(path, f"steps/{path.name}", faults)
    shared = SharedWords(table.texts("labels", may_be_filled=True), table.texts("answers"))
    table.refuse_unknown()
    return shared


def read_lesson(
    folder: Path, curriculum: Curriculum, shared: SharedWords, faults: Faults
) -> Lesson:
    """Read a lesson and record its faults; a lesson with faults must not be used.

    Args:
        folder: The lesson's folder, named after the lesson.
        curriculum: The curriculum with the chapters and rows.
        shared: Words that the steps need not repeat.
        faults: The collector of faults.
    """
    place = f"lessons/{folder.name}/lesson.toml"
    table = read_toml(folder / "lesson.toml", place, faults)
    lesson = Lesson(
        name=folder.name,
        order=table.integer("order"),
        chapter=_chapter(table, folder.name, curriculum),
        icon=table.string("icon"),
        minutes=table.integer("minutes"),
        title=table.text("title"),
        lead=table.text("lead"),
        steps=tuple(
            _read_step(folder, step_id, curriculum, shared, faults)
            for step_id in table.strings("steps")
        ),
        remember=tuple(
            (each.text("text"), each.string("code"))
            for each in table.tables("remember", "sentence")
        ),
    )
    table.refuse_unknown()
    return lesson


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
    folder: Path, step_id: str, curriculum: Curriculum, shared: SharedWords, faults: Faults
) -> Step:
    place = f"lessons/{folder.name}/{step_id}.toml"
    table = read_toml(folder / f"{step_id}.toml", place, faults)
    if faults.is_thorough:
        try:
            load_step(folder.name, step_id)()
        except (ImportError, LookupError, TypeError, ValueError) as error:
            faults.add(f"lessons/{folder.name}/{step_id}.py", str(error))
    covers = table.strings("covers")
    for row in covers:
        if row not in curriculum.row_ids():
            faults.add(place, f"covers '{row}', which is no row of curriculum.toml")
    options = table.table("options") if "options" in table else None
    step = Step(
        id=step_id,
        covers=covers,
        title=table.text("title"),
        prose=table.text("prose", may_be_filled=True),
        prediction=_read_prediction(table),
        words=StepWords(
            explanations=table.texts("explanations", may_be_filled=True),
            answers=_merged(shared.answers, table.texts("answer_words")),
            if_wrong=table.texts("if_wrong", may_be_filled=True),
            labels=_merged(shared.labels, table.texts("labels", may_be_filled=True)),
            options={name: options.texts(name) for name in options.names()} if options else {},
            alts=table.texts("alts", may_be_filled=True),
            rounds=tuple(_read_rounds(table)),
            challenges=tuple(_read_challenges(table)),
            idea=table.text("idea") if "idea" in table else None,
            previous_ids=table.strings("previous_ids") if "previous_ids" in table else (),
        ),
    )
    table.refuse_unknown()
    return step


def _read_prediction(table: Table) -> Prediction | None:
    """Read the question; its answers are listed, or given by the step's ``choices``."""
    if "question" not in table:
        return None
    question = table.text("question", may_be_filled=True)
    return Prediction(
        question=question, answers=table.strings("answers") if "answers" in table else ()
    )


def _read_rounds(table: Table) -> Iterator[Round]:
    for each in table.tables("rounds", "round") if "rounds" in table else ():
        question = each.text("question", may_be_filled=True) if "question" in each else None
        yield Round(settings=each.mapping("settings"), question=question)
        each.refuse_unknown()


def _read_challenges(table: Table) -> Iterator[Challenge]:
    for each in table.tables("challenges", "challenge") if "challenges" in table else ():
        yield Challenge(
            id=each.string("id"),
            task=each.text("task"),
            hint=each.text("hint"),
            starting=each.mapping("starting"),
            model=each.mapping("model"),
        )
        each.refuse_unknown()


def _merged(shared: Texts, own: Texts) -> Texts:
    return MappingProxyType({**shared, **own})
