"""Runs a program line by line and records what each line assigned, printed or raised."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from playground.errors import Outcome, attempt
from playground.steps.line_recorder import Line, Recorder, compiled

FILE_NAME = "<program>"


@dataclass
class Run:
    """A program that was run.

    Attributes:
        names: The names that the program bound, with live objects.
        lines: The lines that ran, in order of their numbers.
        outcome: Success, or the exception's type and message.
        stopped_at: The line of the top-level statement that raised; None if none did.
    """

    names: dict[str, Any]
    lines: tuple[Line, ...]
    outcome: Outcome
    stopped_at: int | None = None

    @property
    def printed(self) -> str:
        return "".join(line.printed for line in self.lines)

    def __getitem__(self, name: str) -> Any:
        """Return the object that the program bound to a name.

        Raises:
            KeyError: The program stopped before.
        """
        return self.names[name]

    def get(self, name: str) -> Any:
        """Return that object, or None if the program stopped before."""
        return self.names.get(name)

    def device_of(self, name: str) -> str | None:
        """Return the device of a tensor that the program bound; None if there is none."""
        device = getattr(self.names.get(name), "device", None)
        return None if device is None else str(device)


def run_program(text: str, names: dict[str, Any] | None = None) -> Run:
    """Run the top-level statements of a program one by one, and record each line.

    An exception ends the program and is part of the result, including a syntax error. Errors of the
    playground itself are raised.

    Args:
        text: Python source.
        names: An empty dictionary that receives the program's names while it runs.

    Raises:
        PlaygroundError: The program does something that is not simulated.

    >>> run = run_program("a = 2\\nprint(a)\\nb = a / 0")
    >>> [(line.number, line.printed, line.error) for line in run.lines]
    [(1, '', ''), (2, '2\\n', ''), (3, '', 'ZeroDivisionError: division by zero')]
    """
    recorder = Recorder(FILE_NAME)
    try:
        program = compiled(ast.parse(text).body, FILE_NAME)
    except (SyntaxError, ValueError) as error:  # a null byte is a ValueError
        outcome = Outcome(ok=False, error_type=type(error).__name__, message=str(error))
        line = getattr(error, "lineno", None) or 1
        recorder.at(line).error = f"{outcome.error_type}: {outcome.message}"
        return Run({}, recorder.lines(), outcome, stopped_at=line)
    names = {} if names is None else names
    names["__name__"] = "__main__"
    raised_at: list[int] = []

    def execute() -> None:
        try:
            recorder.run(program, names)
        except Exception as error:
            raised_at.extend(_program_lines(error.__traceback__))
            raise

    with recorder.listening():
        _, outcome = attempt(execute)
    if outcome.ok:
        return Run(names, recorder.lines(), outcome)
    line = raised_at[-1] if raised_at else recorder.current
    recorder.at(line).error = f"{outcome.error_type}: {outcome.message}"
    return Run(names, recorder.lines(), outcome, stopped_at=recorder.current)


def _program_lines(trace: TracebackType | None) -> Iterator[int]:
    while trace:
        if trace.tb_frame.f_code.co_filename == FILE_NAME:
            yield trace.tb_lineno
        trace = trace.tb_next
