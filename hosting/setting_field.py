"""One setting: its declaration as a dataclass field, and the parsing of its text."""

import dataclasses
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

PREFIX = "PLAYGROUND_"
FILE_SUFFIX = "_FILE"
ValueT = TypeVar("ValueT")


class SettingError(Exception):
    """A setting is invalid; the message is one sentence, without any secret."""


def setting(
    default: ValueT, meaning: str, *, is_secret: bool = False, minimum: int = 0, maximum: int = 0
) -> ValueT:
    """Declare a field of the settings.

    Args:
        default: The value if the operator sets none.
        meaning: For the table in docs/settings.md.
        is_secret: It is never shown, and may be in a file of its own.
        minimum: Of a number.
        maximum: Of a number; 0 for a setting that is none.
    """
    metadata = {
        "meaning": meaning,
        "is_secret": is_secret,
        "minimum": minimum,
        "maximum": maximum,
    }
    field: Any = dataclasses.field(default=default, repr=not is_secret, metadata=metadata)
    value: ValueT = field
    return value


def is_secret(field: "dataclasses.Field[Any]") -> bool:
    """Return whether the field must never be shown."""
    return bool(field.metadata["is_secret"])


def parse(name: str, text: str, field: "dataclasses.Field[Any]") -> object:
    """Parse the text of an environment variable.

    Args:
        name: The variable, for the error.
        text: Its text.
        field: Has the type and the bounds.

    Raises:
        SettingError: The text is invalid.
    """
    kind: Any = field.type
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        if text not in set(kind):
            choices = ", ".join(kind)
            raise SettingError(f"{name} must be one of {choices}; it is {text!r:.60}.")
        return kind(text)
    if kind is int:
        return _number(name, text, field.metadata["minimum"], field.metadata["maximum"])
    if kind is Path:
        return Path(text).expanduser().absolute()
    if kind is str:
        return text
    return tuple(part.strip().lower() for part in text.split(",") if part.strip())


def _number(name: str, text: str, minimum: int, maximum: int) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(maximum))
    if not is_number or not minimum <= int(text) <= maximum:
        raise SettingError(
            f"{name} must be a whole number from {minimum} to {maximum}; it is {text!r:.60}."
        )
    return int(text)
