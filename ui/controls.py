"""The controls of a step; each convention (key, label, URL, bounds) is written here once."""

import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from streamlit.delta_generator import DeltaGenerator

from ui import address, machine_picker
from ui.step import Step
from ui.words import say

ChoiceT = TypeVar("ChoiceT", bound=StrEnum)
NumberT = TypeVar("NumberT", int, float)
MOST_SEGMENTS = 4


def option(
    step: Step,
    field: str,
    ids: Sequence[str],
    *,
    default: str | None = None,
    may_grow: bool = False,
) -> str:
    """One of a few ids, as a segmented control, or as pills where there are many.

    Where their number ``may_grow`` they are pills from the start: a control that changes its kind
    would lose its value.
    """
    allowed = tuple(ids)
    start = default if default in allowed else allowed[0]
    key = step.key(field)

    def draw(left: DeltaGenerator) -> str:
        address.settle_choice(key, allowed, start)
        is_short = (
            not may_grow
            and len(allowed) <= MOST_SEGMENTS
            and sum(_width(step.option(field, name)) for name in allowed) <= 36
        )
        kind = left.segmented_control if is_short else left.pills
        chosen = kind(
            step.label(field),
            allowed,
            format_func=lambda name: step.option(field, name),
            key=key,
            required=True,
            wrap=True,
            persist_state="session",
            on_change=step.touched,
        )
        value = str(chosen or start)
        address.write(key, value, start)
        return value

    return step.read(field, str(start), draw)  # as drawn: plain text, no member


def _width(text: str) -> int:
    """How much room a label takes; a Chinese character takes that of two letters.

    >>> _width("cpu"), _width("参数")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def choice(
    step: Step,
    field: str,
    kind: type[ChoiceT],
    *,
    default: ChoiceT | None = None,
    among: Sequence[ChoiceT] | None = None,
) -> ChoiceT:
    """A member of an enumeration; the first is the default."""
    return kind(option(step, field, tuple(among or kind), default=default))


def device(
    step: Step, field: str, *, default: str = "cpu", among: Sequence[str] | None = None
) -> str:
    """A device of the visitor's machine; says so where there is only the CPU to choose."""
    machine = step.machine
    names = tuple(among) if among is not None else machine_picker.devices(machine)
    value = option(step, field, names, default=default, may_grow=among is None)
    is_first = list(step.values) == [field]
    if among is None and len(names) == 1 and is_first and step.left is not None:
        step.left.caption(say("step.only-cpu"))
    return value


def number(
    step: Step,
    field: str,
    *,
    least: NumberT,
    most: NumberT,
    default: NumberT,
    increment: NumberT | None = None,
) -> NumberT:
    """A number in a box with plus and minus; its label says the range that is allowed."""

    def draw(left: DeltaGenerator) -> NumberT:
        value = left.number_input(
            f"{step.label(field)} ({least:g} – {most:g})",
            least,
            most,
            default,
            increment,
            key=step.key(field),
            bind=address.binding(step.key(field)),
            on_change=step.touched,
        )
        return default if value is None else value

    return step.read(field, default, draw)


def slider(
    step: Step,
    field: str,
    *,
    least: NumberT,
    most: NumberT,
    default: NumberT,
    increment: NumberT | None = None,
) -> NumberT:
    """A number on a line, where the place in the range says more than the number."""

    def draw(left: DeltaGenerator) -> NumberT:
        value: NumberT = left.slider(
            step.label(field),
            least,
            most,
            default,
            increment,
            key=step.key(field),
            bind=address.binding(step.key(field)),
            on_change=step.touched,
        )
        return value

    return step.read(field, default, draw)


def switch(step: Step, field: str, *, default: bool = False) -> bool:
    """Yes or no."""
    return step.read(
        field,
        default,
        lambda left: left.toggle(
            step.label(field),
            default,
            key=step.key(field),
            bind="query-params",
            on_change=step.touched,
        ),
    )


def text(step: Step, field: str, *, default: str, most: int = 64) -> str:
    """A short text."""

    def draw(left: DeltaGenerator) -> str:
        value = left.text_input(
            step.label(field),
            default,
            most,
            key=step.key(field),
            bind="query-params",
            on_change=step.touched,
        )
        return default if value is None else value

    return step.read(field, default, draw)
