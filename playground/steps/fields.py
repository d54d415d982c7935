"""Fields of a step: their declarations, and the conversion of plain values to them."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from playground.errors import InvalidSettingError
from playground.machines.machine import Machine

Condition = Mapping[str, tuple[object, ...]]


def number(least: float, most: float, *, default: float, only_if: Condition | None = None) -> Any:
    """Declare a number and its bounds; an integer if both bounds are integers."""
    bounds = {"least": least, "most": most}
    return field(default=default, metadata={"bounds": bounds, "only_if": only_if})


def seed() -> Any:
    """Declare the seed of the random numbers."""
    return number(0, 9999, default=0)


def text(max_length: int, *, default: str, only_if: Condition | None = None) -> Any:
    """Declare a short text."""
    return field(default=default, metadata={"max_length": max_length, "only_if": only_if})


def one_of(*options: str, default: str, only_if: Condition | None = None) -> Any:
    """Declare a text that is one of a few options."""
    return field(default=default, metadata={"options": options, "only_if": only_if})


def shown_if(default: Any, **conditions: tuple[object, ...]) -> Any:
    """Declare a field that is shown only for certain values of another field."""
    return field(default=default, metadata={"only_if": conditions})


def fix_field() -> Any:
    """Declare the field that applies the fix; it has no control of its own."""
    return field(default=False, metadata={"is_fix": True})


def network_link() -> Any:
    """Declare a network from the builder, as ``modules.spec.link`` writes it; empty for none.

    Its control is shown once the visitor has brought a network. The step checks that it is one,
    and ``check_runnable`` that it can be built.
    """
    return field(default="", metadata={"is_network": True})


def points(*, default: str, only_if: Condition) -> Any:
    """Declare points of the visitor's own, as text; their control is below the program.

    The step checks them, and writes only numbers of them into its program.
    """
    return field(default=default, metadata={"is_points": True, "only_if": only_if})


def id_of(value: object) -> str:
    """Return the id of a field's value in URLs and words files.

    >>> id_of(True), id_of(2.0), id_of("cpu")
    ('true', '2', 'cpu')
    """
    if isinstance(value, StrEnum):
        return value.name.lower()
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def convert(name: str, kind: Any, given: object) -> object:
    """Convert a text from a URL, a control or a words file to the type of a field.

    Raises:
        InvalidSettingError: The text is no value of that type.
    """
    if isinstance(kind, type) and issubclass(kind, StrEnum) and not isinstance(given, kind):
        members = {id_of(member): member for member in kind}
        if given not in members:
            raise InvalidSettingError("choice", field=name, given=given, allowed=", ".join(members))
        return members[str(given)]
    if kind is Machine and isinstance(given, Mapping):
        return Machine(**given)
    if not isinstance(given, str) or kind not in (bool, int, float):
        return given
    try:
        return {"true": True, "false": False}[given] if kind is bool else kind(given)
    except (KeyError, ValueError):
        raise InvalidSettingError(
            "choice", field=name, given=given, allowed=kind.__name__
        ) from None


def collect(declared: Mapping[str, Mapping[str, Any]], key: str) -> dict[str, Any]:
    """Collect one kind of metadata of the fields that declare it."""
    return {name: metadata[key] for name, metadata in declared.items() if metadata.get(key)}
