"""Reads the words of one step, ``<step>.toml``; the step's module has the same name."""

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from playground.catalog.faults import Faults
from playground.catalog.records import (
    Curriculum,
    Prediction,
    Round,
    Step,
    StepChallenge,
    StepWords,
    Texts,
)
from playground.catalog.tables import Table, read_toml
from playground.steps import load_step


def is_met(module: str, challenge: StepChallenge, step: object, answer: object) -> bool:
    """Whether a step's answer meets a challenge: the predicate of that name in its module.

    Raises:
        AttributeError: The module has no such predicate.
    """
    return bool(getattr(importlib.import_module(module), challenge.id)(step, answer))


class SharedWords(NamedTuple):
    """Words that steps of several lessons use; a step's own word takes their place."""

    labels: Texts
    answers: Texts


def read_shared_words(path: Path, faults: Faults) -> SharedWords:
    """Read ``playground/steps/words.toml``."""
    table = read_toml(path, f"steps/{path.name}", faults)
    shared = SharedWords(table.texts("labels", may_be_filled=True), table.texts("answers"))
    table.refuse_unknown()
    return shared


def read_step(
    folder: Path, step_id: str, curriculum: Curriculum, shared: SharedWords, faults: Faults
) -> Step:
    """Read the words of a step; what is wrong with them is noted.

    Args:
        folder: The lesson's folder.
        step_id: The name of its module and of its words.
        curriculum: Where the rows that it covers are looked up.
        shared: Words that it need not repeat.
        faults: Where faults are noted.
    """
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
    step = Step(
        id=step_id,
        covers=covers,
        settings="",
        title=table.text("title"),
        prose=table.text("prose", may_be_filled=True),
        prediction=_read_prediction(table),
        words=StepWords(
            explanations=table.texts("explanations", may_be_filled=True),
            answers=_merged(shared.answers, table.texts("answer_words")),
            if_wrong=table.texts("if_wrong", may_be_filled=True),
            labels=_merged(shared.labels, table.texts("labels", may_be_filled=True)),
            options=_read_options(table),
            alts=table.texts("alts", may_be_filled=True),
            rounds=tuple(_read_rounds(table)),
            challenges=tuple(_read_challenges(table)),
            idea=table.text("idea") if "idea" in table else None,
            previous_ids=table.strings("previous_ids") if "previous_ids" in table else (),
            is_reference=table.flag("is_reference"),
        ),
    )
    table.refuse_unknown()
    return step


def _read_prediction(table: Table) -> Prediction | None:
    """The question; its answers are listed, or given by the step's ``choices``."""
    if "question" not in table:
        return None
    question = table.text("question", may_be_filled=True)
    return Prediction(
        question=question, answers=table.strings("answers") if "answers" in table else ()
    )


def _read_options(table: Table) -> Mapping[str, Texts]:
    if "options" not in table:
        return MappingProxyType({})
    inner = table.table("options")
    return MappingProxyType({field: inner.texts(field) for field in inner.names()})


def _read_rounds(table: Table) -> Iterator[Round]:
    for each in table.tables("rounds", "round") if "rounds" in table else ():
        question = each.text("question", may_be_filled=True) if "question" in each else None
        yield Round(settings=each.mapping("settings"), question=question)
        each.refuse_unknown()


def _read_challenges(table: Table) -> Iterator[StepChallenge]:
    for each in table.tables("challenges", "challenge") if "challenges" in table else ():
        yield StepChallenge(
            id=each.string("id"),
            task=each.text("task"),
            hint=each.text("hint"),
            starting=each.mapping("starting"),
            model=each.mapping("model"),
        )
        each.refuse_unknown()


def _merged(shared: Texts, own: Texts) -> Texts:
    return MappingProxyType({**shared, **own})
