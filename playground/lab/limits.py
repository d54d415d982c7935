"""The machine and the limits of a lesson's program in the lab, where they differ from a cell's.

A measured program runs on the CPU without simulated GPUs, as in its lesson: their times would be
invented. At its default settings each program fits into the limits of any cell. Measurements can
be set to take longer; they get more time as long as only numbers and texts differ from the
lesson's program. A program that trains gets more time wherever it comes from. The jail is the same
for all.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum, StrEnum, unique
from functools import cache

from playground.lab.examples import Example, examples
from playground.machines import Machine, MachineKind
from playground.sandbox.limits import LIMITS, Limits
from playground.sandbox.training_limits import training_limits, trains

CPU = Machine(kind=MachineKind.REAL)  # the sandbox has no real GPUs
MEASURED = "timing"  # the lesson whose programs measure times
SIMULATED = frozenset({"timing/timeline"})  # except these
LONG_LIMITS = replace(LIMITS, cpu_seconds=8, cpu_hard_seconds=9, wall_seconds=12.0)


@unique
class Note(StrEnum):
    """A note that is shown before a program runs."""

    TIMES = "times"  # it runs on the CPU: simulated GPUs have no times


def note_on(example_id: str) -> Note | None:
    """Return the note on a lesson's program; None if it runs as in the lesson."""
    return Note.TIMES if _is_measured(example_id) else None


def machine_for(example_id: str, machine: Machine) -> Machine:
    """Return the machine for a program that started as a lesson's.

    >>> machine_for("timing/clocks", Machine()).is_simulated
    False
    """
    return CPU if _is_measured(example_id) else machine


def limits_for(example_id: str, source: str) -> Limits:
    """Return the limits for a program, which may have started as a lesson's."""
    if trains(source):
        return training_limits()
    is_longer = _is_measured(example_id) and is_variant(example_id, source)
    return LONG_LIMITS if is_longer else LIMITS


def is_variant(example_id: str, source: str) -> bool:
    """Return whether a program differs from a lesson's only in numbers and texts.

    Args:
        example_id: The id of the lesson's program.
        source: Any text.
    """
    try:
        given = set(_statements(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return given <= _known_statements(example_id)


def _is_measured(example_id: str) -> bool:
    return example_id.partition("/")[0] == MEASURED and example_id not in SIMULATED


@cache
def _known_statements(example_id: str) -> frozenset[str]:
    """Return every statement that the program has at any setting of its step."""
    example = next(each for each in examples() if each.id == example_id)
    return frozenset(statement for text in _variants(example) for statement in _statements(text))


def _variants(example: Example) -> Iterator[str]:
    """Yield the program at the default settings, and with each setting changed."""
    default = example.kind()
    yield default.program()
    for field in example.kind.declared():
        hint, given = field.type, getattr(default, field.name)
        others: tuple[object, ...] = ()
        if isinstance(given, bool):
            others = (not given,)
        elif isinstance(hint, type) and issubclass(hint, Enum):
            others = tuple(hint)
        elif isinstance(given, int | float):
            others = (0, 1)  # zero may change the statements
        for other in others:
            try:
                yield default.replaced(**{field.name: other}).program()
            except ValueError:
                continue  # out of bounds


def _statements(source: str) -> Iterator[str]:
    """Yield each statement of a program, without its numbers and texts."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = "" if isinstance(node.value, str) else 0
    yield from map(ast.dump, tree.body)
