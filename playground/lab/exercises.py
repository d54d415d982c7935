"""Exercises: a program that fails, and the checks that a solution passes; no torch.

A check is a program that runs in the sandbox after the student's, and tries it on several inputs.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import tomli

from playground import sandbox
from playground.catalog import Text
from playground.machines import Machine
from playground.sandbox.report import SandboxReport

FILE = Path(__file__).with_name("exercises.toml")
MAX_RESULT = 4_000  # letters of what a check binds; a cell may send any text as that
LEAST_GPUS = 2  # what the checks move tensors to; simulated, as all GPUs of the sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that an exercise demands.

    Attributes:
        says: What it demands.
        program: Binds ``result`` to True, or to a text that says what was seen instead.
    """

    says: Text
    program: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """One task.

    Attributes:
        id: Stable; without a slash.
        lesson: The name of the lesson that it belongs to.
        title: A few words.
        task: What the program is to do; `code` and **bold** only.
        hints: The same, from a nudge to nearly the line.
        program: What the student starts from; it fails at least one check.
        model: A solution; it passes all checks.
        trials: The checks.
        previous_ids: Ids under which older links name the exercise.
    """

    id: str
    lesson: str
    title: Text
    task: Text
    hints: tuple[Text, ...]
    program: str
    model: str
    trials: tuple[Check, ...]
    previous_ids: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids that name it."""
        return (self.id, *self.previous_ids)

    @property
    def checks(self) -> tuple[Text, ...]:
        """What each check demands, in order."""
        return tuple(each.says for each in self.trials)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """What the checks have said of a text.

    Attributes:
        exercise: The one that it was checked against.
        report: Of the student's program; where it was refused or failed, no check was made.
        passed: By check, in the exercise's order; empty where none was made.
        told: For each check that was not passed, what was seen instead; a stranger's text.
    """

    exercise: Exercise
    report: SandboxReport
    passed: tuple[bool, ...] = ()
    told: tuple[str, ...] = ()

    @property
    def is_solved(self) -> bool:
        """All checks were made and passed."""
        return bool(self.passed) and all(self.passed)


@cache
def exercises() -> tuple[Exercise, ...]:
    """All exercises, in the order of the lessons."""
    table = tomli.loads(FILE.read_text("utf-8"))
    return tuple(_exercise(each) for each in table["exercises"])


def exercise(exercise_id: str) -> Exercise:
    """The exercise of this id, or of this previous id.

    Raises:
        KeyError: There is none.
    """
    for each in exercises():
        if exercise_id in each.ids:
            return each
    raise KeyError(exercise_id)


def grade(
    task: Exercise,
    source: str,
    machine: Machine = Machine(),  # noqa: B008 - a frozen record
    *,
    on_wait: Callable[[int], None] | None = None,
) -> Grade:
    """Check a student's text against an exercise, in the sandbox.

    Args:
        task: The exercise.
        source: The student's text, whatever it is.
        machine: Where it runs; one with two simulated GPUs instead where it has fewer.
        on_wait: Is told the place in the queue, as by ``sandbox.run``.

    Raises:
        PlaygroundError: As ``sandbox.run`` does.
    """
    fitting = machine if machine.is_simulated and machine.gpus >= LEAST_GPUS else Machine()
    report = sandbox.run(source, fitting, on_wait=on_wait)
    if not report.ok:
        return Grade(exercise=task, report=report)
    told = [_try(each, source, fitting, on_wait) for each in task.trials]
    return Grade(
        exercise=task,
        report=report,
        passed=tuple(each is None for each in told),
        told=tuple(each for each in told if each is not None),
    )


def _try(
    check: Check, source: str, machine: Machine, on_wait: Callable[[int], None] | None
) -> str | None:
    """What was seen instead of what the check demands; None where it is passed."""
    report = sandbox.run(
        f"{source}\n\n{check.program}",
        machine,
        is_checked=False,  # the student's part has been; ours may be longer than a cell
        looks_at_modules=False,
        on_wait=on_wait,
    )
    if not report.ok:
        return f"{report.error_type}: {report.message}" if report.error_type else ""
    if len(report.result) > MAX_RESULT:
        return ""
    try:
        result = ast.literal_eval(report.result)
    except (ValueError, SyntaxError, MemoryError, RecursionError):  # a stranger's text
        return ""
    return None if result is True else result if isinstance(result, str) else ""


def _exercise(table: dict[str, Any]) -> Exercise:
    return Exercise(
        id=table["id"],
        lesson=table["lesson"],
        title=Text(**table["title"]),
        task=Text(**table["task"]),
        hints=tuple(Text(**each) for each in table["hints"]),
        program=table["program"],
        model=table["model"],
        trials=tuple(
            Check(says=Text(**each["says"]), program=each["program"]) for each in table["checks"]
        ),
        previous_ids=tuple(table.get("previous_ids", ())),
    )
