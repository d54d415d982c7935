"""One setting: how it is declared, and how its text becomes a value."""

import dataclasses
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

PREFIX = "PLAYGROUND_"
FILE_SUFFIX = "_FILE"
ValueT = TypeVar("ValueT")


class SettingError(Exception):
    """The operator's setting cannot be used; the message is one sentence, without any secret."""


def setting(
    default: ValueT, meaning: str, *, is_secret: bool = False, least: int = 0, most: int = 0
) -> ValueT:
    """Declare a field of the settings.

    Args:
        default: What holds where the operator says nothing.
        meaning: What it decides, for the table.
        is_secret: It is never shown, and may stand in a file of its own.
        least: The smallest number.
        most: The largest number.
    """
    known = {"meaning": meaning, "is_secret": is_secret, "least": least, "most": most}
    declared: Any = dataclasses.field(default=default, repr=not is_secret, metadata=known)
    value: ValueT = declared
    return value


def is_secret(field: "dataclasses.Field[Any]") -> bool:
    """Whether the field must never be shown."""
    return bool(field.metadata["is_secret"])


def parse(name: str, text: str, field: "dataclasses.Field[Any]") -> object:
    """Turn a variable's text into the value of its field.

    Args:
        name: The variable, for the refusal.
        text: What the operator wrote.
        field: Says the type and the bounds.

    Raises:
        SettingError: The text is no such value.
    """
    kind: Any = field.type
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        if text not in set(kind):
            choices = ", ".join(kind)
            raise SettingError(f"{name} must be one of {choices}; it is {text!r:.60}.")
        return kind(text)
    if kind is int:
        return _number(name, text, field.metadata["least"], field.metadata["most"])
    if kind is Path:
        return Path(text).expanduser().absolute()
    if kind is str:
        return text
    return tuple(part.strip().lower() for part in text.split(",") if part.strip())


def _number(name: str, text: str, least: int, most: int) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not is_number or not least <= int(text) <= most:
        raise SettingError(
            f"{name} must be a whole number from {least} to {most}; it is {text!r:.60}."
        )
    return int(text)
