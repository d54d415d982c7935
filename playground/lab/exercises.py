"""Exercises: a program that fails, and the checks that a solution passes; loads no torch.

A check is a program that runs in the sandbox after the student's and tests it on several inputs.
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
from playground.sandbox.live_run import LiveRun
from playground.sandbox.report import SandboxReport

FILE = Path(__file__).with_name("exercises.toml")
MAX_RESULT_CHARACTERS = 4_000  # of a check's result, which may be any text
MIN_GPUS = 2  # the checks move tensors to them; all GPUs of the sandbox are simulated


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One requirement of an exercise.

    Attributes:
        requirement: The requirement in words.
        program: Binds ``result`` to True, or to a text that describes what was found instead.
    """

    requirement: Text
    program: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """One task.

    Attributes:
        id: Stable; without a slash.
        lesson: The name of its lesson.
        title: A few words.
        task: What the program must do; `code` and **bold** only.
        hints: Likewise, from a nudge to almost the solution.
        program: The program to start from; it fails at least one check.
        model: A solution; it passes all checks.
        checks: The checks.
        previous_ids: Ids of the exercise in older links.
    """

    id: str
    lesson: str
    title: Text
    task: Text
    hints: tuple[Text, ...]
    program: str
    model: str
    checks: tuple[Check, ...]
    previous_ids: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        return (self.id, *self.previous_ids)

    @property
    def requirements(self) -> tuple[Text, ...]:
        """The requirement of each check, in order."""
        return tuple(each.requirement for each in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The results of the checks for a program.

    Attributes:
        exercise: The exercise.
        report: The report of the student's program; if it was refused or failed, no check ran.
        passed: By check, in the exercise's order; empty if no check ran.
        findings: For each failed check, what was found instead; untrusted text.
    """

    exercise: Exercise
    report: SandboxReport
    passed: tuple[bool, ...] = ()
    findings: tuple[str, ...] = ()

    @property
    def is_solved(self) -> bool:
        """Return whether all checks ran and passed."""
        return bool(self.passed) and all(self.passed)


@cache
def exercises() -> tuple[Exercise, ...]:
    """Return all exercises, in the order of the lessons."""
    table = tomli.loads(FILE.read_text("utf-8"))
    return tuple(_exercise(each) for each in table["exercises"])


def exercise(exercise_id: str) -> Exercise:
    """Return the exercise with this id, or with this previous id.

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
    live: LiveRun | None = None,
) -> Grade:
    """Run the checks of an exercise on a student's program, in the sandbox.

    Args:
        task: The exercise.
        source: The student's program; any text.
        machine: The machine; replaced by one with two simulated GPUs if it has fewer.
        on_wait: Called with the place in the queue, as by ``sandbox.run``.
        live: Follows the student's own part.

    Raises:
        PlaygroundError: As ``sandbox.run``.
    """
    suitable = machine if machine.is_simulated and machine.gpus >= MIN_GPUS else Machine()
    report = sandbox.run(source, suitable, on_wait=on_wait, live=live)
    if not report.ok:
        return Grade(exercise=task, report=report)
    findings = [_run_check(each, source, suitable, on_wait) for each in task.checks]
    return Grade(
        exercise=task,
        report=report,
        passed=tuple(each is None for each in findings),
        findings=tuple(each for each in findings if each is not None),
    )


def _run_check(
    check: Check, source: str, machine: Machine, on_wait: Callable[[int], None] | None
) -> str | None:
    """Return what a check found instead; None if it passed."""
    report = sandbox.run(
        f"{source}\n\n{check.program}",
        machine,
        is_checked=False,  # the student's part is checked already; ours may be longer than a cell
        looks_at_modules=False,
        on_wait=on_wait,
    )
    if not report.ok:
        return f"{report.error_type}: {report.message}" if report.error_type else ""
    if len(report.result) > MAX_RESULT_CHARACTERS:
        return ""
    try:
        result = ast.literal_eval(report.result)
    except (ValueError, SyntaxError, MemoryError, RecursionError):  # untrusted text
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
        checks=tuple(
            Check(requirement=Text(**each["says"]), program=each["program"])
            for each in table["checks"]
        ),
        previous_ids=tuple(table.get("previous_ids", ())),
    )
