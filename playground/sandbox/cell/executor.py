"""Runs one cell as a notebook does: its statements, and then the value of its last expression.

Works on a plain dictionary of names, in any process; what limits it, is around it.
"""

import ast
import contextlib
import io
import sys
import types
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from playground.sandbox.cell.complaint import CELL
from playground.sandbox.cell_answer import CellAnswer
from playground.sandbox.facade.guard import READ, guarded
from playground.sandbox.text import cut

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
        warnings: Text and line (None: not known), each text once.
    """

    names: dict[str, Any]
    value: object = NOTHING
    error: BaseException | None = None
    warnings: list[tuple[str, int | None]] = field(default_factory=list)


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
    try:
        statements, last = compiled(source, is_guarded=READ in bindings)
        with contextlib.redirect_stdout(stdout), _noted(ran.warnings):
            exec(statements, ran.names)
            if last is not None:
                ran.value = eval(last, ran.names)
    except BaseException as error:  # noqa: BLE001 - whatever a student raises is the answer
        ran.value = NOTHING
        ran.error = error
    return ran


def compiled(source: str, *, is_guarded: bool) -> tuple[types.CodeType, types.CodeType | None]:
    """The statements of a cell, and its last expression where its value is to be shown.

    As in a notebook, a semicolon at the end hides the value.

    Raises:
        SyntaxError: It is not Python, or nested deeper than Python's parser goes.
        ValueError: It holds a NUL character.
    """
    try:
        return _compiled(source, is_guarded=is_guarded)
    except (RecursionError, MemoryError) as error:
        raise SyntaxError("too deeply nested") from error


def _compiled(source: str, *, is_guarded: bool) -> tuple[types.CodeType, types.CodeType | None]:
    tree = ast.parse(source, CELL)
    if is_guarded:
        guarded(tree)
    last: ast.Expression | None = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not _is_hushed(source, tree.body[-1]):
        last = ast.Expression(cast("ast.Expr", tree.body.pop()).value)
    statements = compile(tree, CELL, "exec", dont_inherit=True)
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
def _noted(noted: list[tuple[str, int | None]]) -> Iterator[None]:
    """Collect warnings instead of writing them."""

    def note(message: Warning | str, *_: object, **__: object) -> None:
        text = cut(str(message), MOST_LETTERS)
        if len(noted) < CellAnswer.MAX_WARNINGS and text not in [known for known, _ in noted]:
            noted.append((text, _line_now()))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = note
        yield


def _line_now() -> int | None:
    """The line of the cell that is being run."""
    frame: types.FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename == CELL:
            return frame.f_lineno
        frame = frame.f_back
    return None
