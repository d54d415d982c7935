"""Settings made of controls: one for each field of a settings class that a student is asked for."""

from dataclasses import fields
from enum import StrEnum
from typing import Any, TypeVar, cast

from playground.compute.settings import Settings
from playground.machines.machine import DeviceName
from ui.controls import choice, device, number, switch
from ui.step import Step, Value

SettingsT = TypeVar("SettingsT", bound=Settings[Any])
NOT_ASKED = ("machine", "network")  # the visitor has chosen the one, ui.network asks for the other


def choose(
    step: Step, kind: type[SettingsT], names: tuple[str, ...] | None = None, **given: Any
) -> SettingsT:
    """Ask for fields of a settings class; defaults and bounds stand in the class.

    A switch for what is true or false, the members of an enumeration, a number within the
    ``BOUNDS`` of the class, a device for a text. ``ONLY_WITH`` of the class may say that a field
    means something only beside certain values of another, ``{"target": ("method", (Method.TO,))}``;
    beside other values it is not asked for and keeps its default.

    Args:
        step: Draws the controls.
        kind: The settings class. Where it has a machine, it gets the visitor's, unless none of its
            devices means anything: then no machine has a say in the answer.
        names: The fields to ask for, in this order; by default all, in the order of the class.
        given: The fields that are known already.
    """
    known = fields(cast("Any", kind))
    defaults = {field.name: field.default for field in known}
    idle: set[str] = set()
    for name in defaults if names is None else names:
        other, values = kind.ONLY_WITH.get(name, ("", ()))
        if other and given.get(other, defaults[other]) not in values:
            idle.add(name)
        elif name not in given and name not in NOT_ASKED:
            given[name] = ask(step, kind, name, defaults[name])
    devices = {field.name for field in known if field.type == DeviceName}
    if "machine" in defaults and "machine" not in given and not (devices and devices <= idle):
        given["machine"] = step.machine
    return kind(**given)


def ask(step: Step, kind: Any, name: str, default: Any) -> Value:
    """One field's control, as its default has it.

    Args:
        step: Draws the control.
        kind: The settings class; its ``BOUNDS`` have the least and most of each number.
        name: The field.
        default: Its default.
    """
    if isinstance(default, bool):
        return switch(step, name, default=default)
    if isinstance(default, StrEnum):
        return choice(step, name, type(default), default=default)
    if isinstance(default, int | float):
        value: int | float = number(step, name, default=default, **kind.BOUNDS[name])
        return value
    return device(step, name, default=default)
