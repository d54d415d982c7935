"""The fields of a step as native controls, in the program or in the row above it."""

from collections.abc import Iterator
from dataclasses import Field
from enum import StrEnum
from functools import lru_cache
from typing import Any

from playground import catalog
from playground.errors import InvalidSettingError
from playground.machines.machine import DeviceName
from playground.modules.spec.link import trained_steps
from playground.steps import Machine, Part, Step, id_of, literal
from ui.language import say, table

Control = dict[str, object]


def program_lines(
    step: Step, words: catalog.Step, devices: tuple[str, ...], language: catalog.Language
) -> list[list[dict[str, object]]]:
    """Return the program as lines of parts; the first occurrence of a field is its control.

    Args:
        step: The settings.
        words: The step's words.
        devices: The devices of the visitor's machine.
        language: The language of the labels.
    """
    lines: list[list[dict[str, object]]] = [[]]
    used: set[str] = set()
    for part in step.parts():
        if part.field and part.field not in used:
            used.add(part.field)
            lines[-1].append(_control(step, words, part.field, devices, language, part))
            continue
        first, *others = part.text.split("\n")
        lines[-1] += [{"text": first}] if first else []
        for text in others:
            lines.append([{"text": text}] if text else [])
    return lines


def row(
    step: Step,
    words: catalog.Step,
    devices: tuple[str, ...],
    language: catalog.Language,
    brought: str = "",
) -> list[Control]:
    """Return the controls of the fields that do not occur in the program.

    Args:
        step, words, devices, language: As in ``program_lines``.
        brought: The visitor's network from the builder, as in a link.
    """
    in_program = {part.field for part in step.parts()}
    shown = [
        each
        for each in _settings(step)
        if each.name not in in_program
        and step.is_shown(each.name)
        and not each.metadata.get("is_points")
    ]
    return [
        _network_control(step, words, each.name, language, brought)
        if each.metadata.get("is_network")
        else _control(step, words, each.name, devices, language)
        for each in shown
        if brought or getattr(step, each.name) or not each.metadata.get("is_network")
    ]


def network_field(step: Step) -> str:
    """Return the name of the field for a network from the builder; empty if there is none."""
    names = [each.name for each in step.declared() if each.metadata.get("is_network")]
    return names[0] if names else ""


def points_field(step: Step) -> str:
    """Return the name of the field for the visitor's points; empty if there is none now."""
    names = [each.name for each in step.declared() if each.metadata.get("is_points")]
    return names[0] if names and step.is_shown(names[0]) else ""


def changed(step: Step, name: str, value: str) -> Step:
    """Return the settings with one field changed, as a control sends it.

    A fix is undone, and fields that do not apply to the new value get their defaults.

    Raises:
        InvalidSettingError: There is no such control, or its value is not allowed.
    """
    if name not in {each.name for each in _settings(step)}:
        raise InvalidSettingError("choice", field=name, given=value, allowed="")
    values = {
        each.name: getattr(step, each.name)
        for each in step.declared()
        if not each.metadata.get("is_fix")
    }
    new = type(step).of({**values, name: value})
    idle = {each.name: each.default for each in _settings(new) if not new.is_shown(each.name)}
    return new.replaced(**idle)


def fixed(step: Step) -> Step:
    """Return the settings with the fix applied."""
    names = [each.name for each in step.declared() if each.metadata.get("is_fix")]
    return step.replaced(**dict.fromkeys(names, True))


def ids(step: Step, base: Step | None = None, *, with_defaults: bool = False) -> dict[str, str]:
    """Return the ids of settings for the URL: those that differ from the defaults, or all.

    Args:
        step: The settings.
        base: Other settings that take the place of the defaults.
        with_defaults: Return all.
    """
    default = {
        each.name: getattr(base, each.name) if base else each.default for each in step.declared()
    }
    return {
        each.name: id_of(getattr(step, each.name))
        for each in _settings(step)
        if with_defaults or getattr(step, each.name) != default[each.name]
    }


def _settings(step: Step) -> Iterator[Field[Any]]:
    for each in step.declared():
        if each.type is not Machine and not each.metadata.get("is_fix"):
            yield each


def _control(
    step: Step,
    words: catalog.Step,
    name: str,
    devices: tuple[str, ...],
    language: catalog.Language,
    part: Part | None = None,
) -> Control:
    """Describe one control; ``part`` is its word in the program, None in the row."""
    field = next(each for each in _settings(step) if each.name == name)
    label = words.words.labels[name].said(language).replace("`", "")
    value = getattr(step, name)
    control: Control = {"field": name, "label": label, "value": id_of(value), "kind": "select"}
    if bounds := step.BOUNDS.get(name):
        is_integer = all(isinstance(each, int) for each in bounds.values())
        increment = 1 if is_integer else "any"
        shown = {"value": part.text} if part else {}
        return {**control, **shown, **bounds, "kind": "number", "increment": increment}
    if most := step.TEXTS.get(name):
        quotes = {"prefix": '"', "suffix": '"'} if part else {}
        return {**control, **quotes, "kind": "text", "max_length": most}
    is_device = field.type == DeviceName
    options = devices if is_device else _options(step, name, field.type)
    said = words.words.options.get(name, {})
    return {
        **control,
        "is_device": is_device,
        "options": tuple(
            {
                "value": id_of(each),
                "shown": _shown(step, name, each, said, language, is_word=part is not None),
            }
            for each in (*options, *(() if value in options else (value,)))
        ),
    }


def _network_control(
    step: Step, words: catalog.Step, name: str, language: catalog.Language, brought: str
) -> Control:
    """Describe the choice between the lesson's own network and the visitor's."""
    value = getattr(step, name)
    return {
        "field": name,
        "label": words.words.labels[name].said(language),
        "value": value,
        "kind": "select",
        "is_device": False,
        "options": tuple(
            {"value": each, "shown": _network_name(each)}
            for each in dict.fromkeys(("", brought or value, value))
        ),
    }


def _network_name(link: str) -> str:
    if not link:
        return say("network.own")
    steps = trained_steps(link)
    return say("network.trained", steps=steps) if steps else say("network.yours")


def _options(step: Step, name: str, kind: Any) -> tuple[Any, ...]:
    if kind is bool:
        return (False, True)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return tuple(kind)
    return step.OPTIONS[name]


def _shown(
    step: Step,
    name: str,
    value: Any,
    said: catalog.Texts,
    language: catalog.Language,
    *,
    is_word: bool,
) -> str:
    """Format an option: as code in the program, in words in the row."""
    if is_word:
        return _word(step, name, value)
    text = said.get(id_of(value))
    if text is None and isinstance(value, bool):
        text = table()["step.yes" if value else "step.no"]
    return text.said(language).replace("`", "") if text else id_of(value)


@lru_cache(maxsize=4096, typed=True)
def _word(step: Step, name: str, value: Any) -> str:
    """Return the code in the program for another value of a field."""
    try:
        other = step.replaced(**{name: value})
    except InvalidSettingError:  # beside the other settings it means nothing yet
        return literal(value)
    found = next((part.text for part in other.parts() if part.field == name), literal(value))
    return found or "–"
