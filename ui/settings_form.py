"""Settings made of controls: one for each field that is named."""

from dataclasses import fields
from enum import StrEnum
from typing import Any

from ui.controls import choice, number, switch
from ui.step import Step


def choose(step: Step, kind: Any, names: tuple[str, ...], **given: Any) -> Any:
    """Ask for some fields of a settings class; defaults and bounds stand in the class.

    Args:
        step: Draws the controls.
        kind: The settings class; its ``BOUNDS`` have the least and most of each number.
        names: The fields to ask for, choices, switches or numbers, in this order.
        given: The other fields.
    """
    defaults: dict[str, Any] = {field.name: field.default for field in fields(kind)}
    for name in names:
        default = defaults[name]
        if isinstance(default, StrEnum):
            given[name] = choice(step, name, type(default), default=default)
        elif isinstance(default, bool):
            given[name] = switch(step, name, default=default)
        else:
            given[name] = number(step, name, default=default, **kind.BOUNDS[name])
    return kind(**given)
