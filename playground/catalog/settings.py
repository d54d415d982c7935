"""Finds a lesson's settings classes and builds settings from plain TOML values."""

import importlib
import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, ForwardRef, Union, get_args, get_origin, get_type_hints

from playground.compute.settings import Settings
from playground.compute.streaming import StreamSettings
from playground.errors import InvalidSettingError

SettingsClass = type[Settings[Any]]


def records_module(lesson_name: str) -> types.ModuleType:
    """The lesson's ``records``; free of torch, so the web process may import it.

    Raises:
        ModuleNotFoundError: The lesson has none.
    """
    return importlib.import_module(f"playground.lessons.{lesson_name}.records")


def settings_classes(lesson_name: str) -> Mapping[str, SettingsClass]:
    """Every settings class that the lesson's ``records`` defines, by name."""
    module = records_module(lesson_name)
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Settings)
        and f"{value.__module__}.".startswith(f"{module.__name__}.")  # not merely imported
    }


def report_class(settings_class: SettingsClass) -> type | None:
    """The report that a settings class names, as in ``Settings["MoveTensorReport"]``."""
    for base in getattr(settings_class, "__orig_bases__", ()):
        if get_origin(base) in (Settings, StreamSettings):
            named, *_ = get_args(base)  # what a run tells on the way is the second
            if isinstance(named, ForwardRef):
                module = importlib.import_module(settings_class.__module__)
                named = getattr(module, named.__forward_arg__, None)
            return named if isinstance(named, type) else None
    return None


def choices(settings_class: SettingsClass) -> Mapping[str, tuple[str, ...]]:
    """By field: the ids that it may have, empty where its type is no closed choice."""
    return {
        name: tuple(str(member.value) for enum in _enums(hint) for member in enum)
        for name, hint in field_types(settings_class).items()
    }


def field_names(record: type) -> frozenset[str]:
    """The fields of a record by name; what their types are takes longer to find out."""
    return frozenset(field.name for field in fields(record))


def field_types(record: type) -> Mapping[str, Any]:
    """The fields of a record with their resolved types."""
    hints = get_type_hints(record)
    return {field.name: hints[field.name] for field in fields(record)}


def build_settings(
    lesson_name: str, class_name: str, values: Mapping[str, object]
) -> Settings[Any]:
    """Make settings of plain values: ids become enum members, tables become records.

    Args:
        lesson_name: The lesson, e.g. ``"tensors"``.
        class_name: One of its settings classes, e.g. ``"AddAcrossDevices"``.
        values: By field, e.g. ``{"operation": "add", "machine": {"gpus": 4}}``; the rest default.

    Raises:
        KeyError: The lesson has no such class.
        InvalidSettingError: A field is unknown, or its value is not allowed.
    """
    built: Settings[Any] = _build(settings_classes(lesson_name)[class_name], values)
    return built


def _build(record: type, values: Mapping[str, object]) -> Any:
    known = field_types(record)
    for name in values:
        if name not in known:
            raise InvalidSettingError("choice", field=name, given=name, allowed=", ".join(known))
    return record(**{name: _convert(name, known[name], values[name]) for name in values})


def _convert(field: str, hint: Any, given: object) -> object:
    """Turn one TOML value into what the field's type asks for."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _convert_union(field, arguments, given)
    if origin is tuple and isinstance(given, list | tuple):
        inner = arguments[:1] * len(given) if arguments[-1:] == (...,) else arguments
        if len(inner) != len(given):
            raise _refused(field, given, f"{len(inner)} values")
        return tuple(_convert(field, each, value) for each, value in zip(inner, given, strict=True))
    if not isinstance(hint, type):
        return given
    if isinstance(given, hint) and not (isinstance(given, bool) and hint is not bool):
        return given
    if issubclass(hint, Enum):
        members = {str(member.value): member for member in hint}
        if str(given) not in members:
            raise _refused(field, given, ", ".join(members))
        return members[str(given)]
    if is_dataclass(hint) and isinstance(given, Mapping):
        return _build(hint, given)
    if hint is float and isinstance(given, int) and not isinstance(given, bool):
        return float(given)
    raise _refused(field, given, hint.__name__)


def _convert_union(field: str, arguments: tuple[Any, ...], given: object) -> object:
    for each in arguments:
        try:
            return _convert(field, each, given)
        except InvalidSettingError:
            continue
    raise _refused(
        field, given, ", ".join(getattr(each, "__name__", str(each)) for each in arguments)
    )


def _refused(field: str, given: object, allowed: str) -> InvalidSettingError:
    return InvalidSettingError("choice", field=field, given=given, allowed=allowed)


def _enums(hint: Any) -> Iterator[type[Enum]]:
    if isinstance(hint, type) and issubclass(hint, Enum):
        yield hint
    for argument in get_args(hint):
        yield from _enums(argument)
