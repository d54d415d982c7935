"""Runs one cell as a notebook does: its statements, and then the value of its last expression.

Works on a plain dictionary of names, in any process; what limits it, is around it.
"""

import ast
import contextlib
import io
import types
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from playground.sandbox.cell.complaint import CELL
from playground.sandbox.cell_answer import CellAnswer
from playground.sandbox.facade.guard import READ, guarded
from playground.sandbox.text import cut
from playground.steps.recording import Line, Recorder, compiled

Statements: TypeAlias = list[tuple[ast.stmt, types.CodeType]]
NOTHING = object()  # no last expression, or one that is not shown
MOST_LETTERS = 1_000  # of a warning


class CpuTimeUpError(BaseException):
    """The kernel says that the computing time is over; no student's ``except`` catches it."""


@dataclass(slots=True)
class Ran:
    """What became of a cell.

    Attributes:
        names: Everything that is bound afterwards.
        value: Of the last expression; ``NOTHING`` where there is none to show.
        error: What was raised, also by the compiler.
        warnings: Text and line, each text once.
        lines: What each line bound and printed.
    """

    names: dict[str, Any]
    value: object = NOTHING
    error: BaseException | None = None
    warnings: list[tuple[str, int | None]] = field(default_factory=list)
    lines: tuple[Line, ...] = ()


def execute(source: str, bindings: Mapping[str, Any], stdout: io.TextIOBase) -> Ran:
    """Run a cell.

    Args:
        source: The student's text.
        bindings: The names that are there before, ``__builtins__`` among them where they are
            other than Python's. Attributes are read by ``READ`` where it is among them.
        stdout: Receives what is printed.

    >>> execute("x = 3\\nx + 4", {}, io.StringIO()).value
    7
    """
    ran = Ran({"__name__": "__main__", **bindings})
    recorder = Recorder(CELL, stdout)
    try:
        statements, last = parsed(source, is_guarded=READ in bindings)
        with contextlib.redirect_stdout(recorder), _noted(ran.warnings, recorder):
            recorder.run(statements, ran.names)
            if last is not None:
                ran.value = eval(last, ran.names)
    except BaseException as error:  # noqa: BLE001 - whatever a student raises is the answer
        ran.value = NOTHING
        ran.error = error
    ran.lines = recorder.lines()
    return ran


def parsed(source: str, *, is_guarded: bool) -> tuple[Statements, types.CodeType | None]:
    """The statements of a cell, and its last expression where its value is to be shown.

    As in a notebook, a semicolon at the end hides the value.

    Raises:
        SyntaxError: It is not Python, or nested deeper than Python's parser goes.
        ValueError: It holds a NUL character.
    """
    try:
        return _parsed(source, is_guarded=is_guarded)
    except (RecursionError, MemoryError) as error:
        raise SyntaxError("too deeply nested") from error


def _parsed(source: str, *, is_guarded: bool) -> tuple[Statements, types.CodeType | None]:
    tree = ast.parse(source, CELL)
    if is_guarded:
        guarded(tree)
    last: ast.Expression | None = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not _is_hushed(source, tree.body[-1]):
        last = ast.Expression(cast("ast.Expr", tree.body.pop()).value)
    statements = compiled(tree.body, CELL)
    if last is None:
        return statements, None
    return statements, compile(last, CELL, "eval", dont_inherit=True)


def _is_hushed(source: str, last: ast.Expr) -> bool:
    lines = source.encode("utf-8", "replace").split(b"\n")
    rest = b"\n".join(
        [lines[last.end_lineno - 1][last.end_col_offset :], *lines[last.end_lineno :]]
        if last.end_lineno is not None and last.end_col_offset is not None
        else []
    )
    return rest.lstrip().startswith(b";")


@contextlib.contextmanager
def _noted(noted: list[tuple[str, int | None]], recorder: Recorder) -> Iterator[None]:
    """Collect warnings instead of writing them."""

    def note(message: Warning | str, *_: object, **__: object) -> None:
        text = cut(str(message), MOST_LETTERS)
        if len(noted) < CellAnswer.MAX_WARNINGS and text not in [known for known, _ in noted]:
            noted.append((text, recorder.line()))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = note
        yield
