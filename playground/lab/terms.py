"""On which terms a lesson's program runs here: where it differs from the lesson's page, and why.

A measured program meets no simulated GPU, as in its lesson: their times would be invented. At its
default settings each program fits the limits of any cell. Training and measurements may be set to
take longer, and then get longer while they are the lesson's: only numbers and texts may be others.
The jail is the same for all.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum, StrEnum, unique
from functools import cache

from playground.lab.starts import Start, starts
from playground.machines import Machine, MachineKind
from playground.sandbox.limits import LIMITS, Limits

CPU = Machine(kind=MachineKind.REAL)  # the sandbox has no other GPUs than simulated ones
MEASURED = "timing"  # the lesson whose programs take times
SIMULATED = frozenset({"timing/timeline"})  # but for these
TRAINING = frozenset({"training/watch", "training/same_curve", "training/rates"})
LONGER = replace(LIMITS, cpu_seconds=8, cpu_hard_seconds=9, wall_seconds=12.0)


@unique
class Note(StrEnum):
    """What is to be known before a program is run."""

    TIMES = "times"  # it runs on the CPU, which alone has times


def note_on(start_id: str) -> Note | None:
    """What is to be known of a program that a lesson shows; None where it runs as it does there."""
    return Note.TIMES if _is_measured(start_id) else None


def machine_for(start_id: str, machine: Machine) -> Machine:
    """The machine that a program runs on, which came from a lesson's.

    >>> machine_for("timing/clocks", Machine()).is_simulated
    False
    """
    return CPU if _is_measured(start_id) else machine


def limits_for(start_id: str, source: str) -> Limits:
    """What a program may take, which came from a lesson's and may have been changed."""
    may_be_longer = start_id in TRAINING or _is_measured(start_id)
    return LONGER if may_be_longer and is_version(start_id, source) else LIMITS


def is_version(start_id: str, source: str) -> bool:
    """Whether a program is a lesson's, but for its numbers and texts.

    Args:
        start_id: Of the lesson's.
        source: Whatever it is.
    """
    try:
        given = set(_statements(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return given <= _known(start_id)


def _is_measured(start_id: str) -> bool:
    return start_id.partition("/")[0] == MEASURED and start_id not in SIMULATED


@cache
def _known(start_id: str) -> frozenset[str]:
    """Every statement that the program has at any setting of its step."""
    start = next(each for each in starts() if each.id == start_id)
    return frozenset(statement for text in _versions(start) for statement in _statements(text))


def _versions(start: Start) -> Iterator[str]:
    """The program at the default settings, and with each choice of them made otherwise."""
    default = start.kind()
    yield default.program()
    for field in start.kind.declared():
        hint, given = field.type, getattr(default, field.name)
        others: tuple[object, ...] = ()
        if isinstance(given, bool):
            others = (not given,)
        elif isinstance(hint, type) and issubclass(hint, Enum):
            others = tuple(hint)
        elif isinstance(given, int | float):
            others = (0, 1)  # nothing, and something, may be written differently
        for other in others:
            try:
                yield default.replaced(**{field.name: other}).program()
            except ValueError:
                continue  # out of its bounds


def _statements(source: str) -> Iterator[str]:
    """Each statement of a program, without its numbers and texts."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = "" if isinstance(node.value, str) else 0
    yield from map(ast.dump, tree.body)
