"""Reads the ``[[challenges]]`` of a lesson, and validates them down to the field checked."""

import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass

from playground.catalog.records import Challenge
from playground.catalog.settings import SettingsClass, build_settings, field_types, report_class
from playground.catalog.tables import Table
from playground.challenges import Check, Comparison, FieldCheck, PredicateCheck
from playground.errors import InvalidSettingError

CHALLENGE_ID = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")


def read_challenges(
    lesson: Table,
    lesson_name: str,
    steps: Sequence[str],
    classes: Mapping[str, SettingsClass] | None,
) -> tuple[Challenge, ...]:
    """Read every challenge of a lesson.

    Args:
        lesson: The table of ``lesson.toml``.
        lesson_name: For predicates, and for building settings.
        steps: The step ids that a challenge may belong to.
        classes: The lesson's settings classes, by name; None: challenges are not held against them.
    """
    seen: set[str] = set()
    challenges = []
    for table in lesson.tables("challenges", "challenge"):
        challenge = _read_challenge(table, lesson_name, steps, classes)
        if challenge.id in seen:
            lesson.faults.add(lesson.place, f"challenge '{challenge.id}' is there twice")
        seen.add(challenge.id)
        challenges.append(challenge)
    return tuple(challenges)


def _read_challenge(
    table: Table,
    lesson_name: str,
    steps: Sequence[str],
    classes: Mapping[str, SettingsClass] | None,
) -> Challenge:
    settings = table.string("settings")
    challenge = Challenge(
        id=table.string("id"),
        step=table.string("step"),
        task=table.text("task"),
        hint=table.text("hint"),
        settings=settings,
        check=_read_check(table.table("check")),
        starting_settings=table.mapping("starting_settings"),
        model_settings=table.mapping("model_settings"),
    )
    table.refuse_unknown()
    if challenge.id and not CHALLENGE_ID.fullmatch(challenge.id):
        table.faults.add(table.place, "id must be lower-case words joined by hyphens")
    if challenge.step and challenge.step not in steps:
        table.faults.add(table.place, f"step '{challenge.step}' is no step of this lesson")
    if classes is not None:
        _compare(table, challenge, lesson_name, classes)
    return challenge


def _compare(
    table: Table, challenge: Challenge, lesson_name: str, classes: Mapping[str, SettingsClass]
) -> None:
    """Hold a challenge against the settings that it names."""
    check, settings = challenge.check, challenge.settings
    if isinstance(check, PredicateCheck):
        if check.predicate and not _has_predicate(lesson_name, check.predicate):
            table.faults.add(
                f"{table.place}: check", f"challenges.py has no function '{check.predicate}'"
            )
    elif check.field and settings in classes:
        _check_field(table.table("check"), check.field, classes[settings])
    if settings and settings not in classes:
        table.faults.add(table.place, f"settings '{settings}' is no settings class of records.py")
    elif settings:
        for key in ("starting_settings", "model_settings"):
            _try_settings(table, key, lesson_name, settings)


def _try_settings(table: Table, key: str, lesson_name: str, class_name: str) -> None:
    try:
        build_settings(lesson_name, class_name, table.mapping(key))
    except (InvalidSettingError, TypeError, ValueError) as error:
        table.faults.add(f"{table.place}: {key}", f"{class_name} refuses it: {error}")


def _read_check(table: Table) -> Check:
    if "predicate" in table:
        name = table.string("predicate")
        table.refuse_unknown()
        return PredicateCheck(predicate=name)
    field = table.string("field")
    named = [comparison for comparison in Comparison if comparison in table]
    if len(named) != 1:
        table.faults.add(table.place, f"needs exactly one of {', '.join(Comparison)}, or predicate")
        return FieldCheck(field=field, comparison=Comparison.EQUALS, value=None)
    value = table.raw(named[0])
    table.refuse_unknown()
    return FieldCheck(
        field=field, comparison=named[0], value=tuple(value) if isinstance(value, list) else value
    )


def _has_predicate(lesson_name: str, name: str) -> bool:
    try:
        module = importlib.import_module(f"playground.lessons.{lesson_name}.challenges")
    except ModuleNotFoundError as error:
        if error.name != f"playground.lessons.{lesson_name}.challenges":
            raise  # the file is there and imports something that is not
        return False
    return callable(getattr(module, name, None))


def _check_field(table: Table, dotted: str, settings_class: SettingsClass) -> None:
    """Follow a dotted field through the report's types, as far as they are records."""
    record: object = report_class(settings_class)
    for part in dotted.split("."):
        if not isinstance(record, type) or not is_dataclass(record):
            return
        types = field_types(record)
        if part not in types and not hasattr(record, part):
            table.faults.add(table.place, f"{record.__name__} has no field '{part}'")
            return
        record = types.get(part)
