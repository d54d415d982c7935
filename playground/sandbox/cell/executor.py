"""Execution of one cell, as in a notebook: its statements, then the value of its last expression.

Works on a plain dictionary of names, in any process; the limits are set around it.
"""

import ast
import contextlib
import io
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from playground.sandbox.cell.format_error import CELL_FILE
from playground.sandbox.cell_answer import CellAnswer
from playground.sandbox.facade.attributes import READ, guarded
from playground.sandbox.text import cut
from playground.steps.line_recorder import Line, Recorder, compiled

Statements: TypeAlias = list[tuple[ast.stmt, types.CodeType]]
NOTHING = object()  # no last expression, or one that is not shown
MAX_WARNING_CHARACTERS = 1_000
LIBRARIES = r"(matplotlib|mpl_toolkits)\."  # Python hides such warnings about calls in there


class OutputFullError(BaseException):
    """The cell has printed all it may; no ``except Exception`` of a student's catches it."""


class CappedStdout(io.TextIOBase):
    """A text stream with a limit in bytes of UTF-8.

    Args:
        max_bytes: How many bytes are kept.
        on_text: Receives each piece that is kept, as it is printed.

    >>> stdout = CappedStdout(4)
    >>> stdout.write("abc")
    3
    >>> stdout.write("defg")
    Traceback (most recent call last):
    playground.sandbox.cell.executor.OutputFullError
    >>> stdout.text
    'abcd'
    """

    def __init__(self, max_bytes: int, on_text: Callable[[str], object] | None = None) -> None:
        self._left = max_bytes
        self._pieces: list[str] = []
        self._on_text = on_text

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        """Keep a piece.

        Raises:
            OutputFullError: It does not fit; its beginning is kept.
        """
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        kept = text[: self._left].encode("utf-8", "replace")
        is_full = len(text) > self._left or len(kept) > self._left
        if is_full:
            kept = kept[: self._left]
        piece = kept.decode("utf-8", "ignore") if is_full else text
        self._left -= len(kept)
        if piece:
            self._pieces.append(piece)
            if self._on_text is not None:
                self._on_text(piece)
        if is_full:
            self._left = 0
            raise OutputFullError
        return len(text)


class CpuTimeUpError(BaseException):
    """The kernel says that the computing time is over; no student's ``except`` catches it."""


@dataclass(slots=True)
class Execution:
    """The result of executing a cell.

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


def execute(
    source: str,
    bindings: Mapping[str, Any],
    stdout: io.TextIOBase,
    *,
    recorder: Recorder | None = None,
    finish: Callable[[], object] = lambda: None,
) -> Execution:
    """Run a cell.

    Args:
        source: The student's text.
        bindings: The names that are there before, ``__builtins__`` among them where they are
            other than Python's. Attributes are read by ``READ`` where it is among them.
        stdout: Receives what is printed.
        recorder: Records what its lines do, and writes to ``stdout``.
        finish: Called where the program has ended, also with an error, but met no limit; its
            warnings are the program's.

    >>> execute("x = 3\\nx + 4", {}, io.StringIO()).value
    7
    """
    ran = Execution({"__name__": "__main__", **bindings})
    recorder = recorder or Recorder(CELL_FILE, stdout)
    try:
        statements, last = compile_cell(source, is_guarded=READ in bindings)
        with contextlib.redirect_stdout(recorder), _record_warnings(ran.warnings, recorder):
            try:
                recorder.run(statements, ran.names)
                if last is not None:
                    ran.value = eval(last, ran.names)
            except Exception as error:  # noqa: BLE001 - it is the answer, and no limit
                ran.value, ran.error = NOTHING, error
            finish()
    except BaseException as error:  # noqa: BLE001 - whatever a student raises is the answer
        ran.value = NOTHING
        ran.error = error
    ran.lines = recorder.lines()
    return ran


def compile_cell(source: str, *, is_guarded: bool) -> tuple[Statements, types.CodeType | None]:
    """Compile the statements of a cell, and its last expression if its value is shown.

    As in a notebook, a semicolon at the end hides the value.

    Raises:
        SyntaxError: It is not Python, or nested deeper than Python's parser goes.
        ValueError: It holds a NUL character.
    """
    try:
        return _compile_cell(source, is_guarded=is_guarded)
    except (RecursionError, MemoryError) as error:
        raise SyntaxError("too deeply nested") from error


def _compile_cell(source: str, *, is_guarded: bool) -> tuple[Statements, types.CodeType | None]:
    tree = ast.parse(source, CELL_FILE)
    if is_guarded:
        guarded(tree)
    last: ast.Expression | None = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not _is_hidden(source, tree.body[-1]):
        last = ast.Expression(cast("ast.Expr", tree.body.pop()).value)
    statements = compiled(tree.body, CELL_FILE)
    if last is None:
        return statements, None
    return statements, compile(last, CELL_FILE, "eval", dont_inherit=True)


def _is_hidden(source: str, last: ast.Expr) -> bool:
    lines = source.encode("utf-8", "replace").split(b"\n")
    rest = b"\n".join(
        [lines[last.end_lineno - 1][last.end_col_offset :], *lines[last.end_lineno :]]
        if last.end_lineno is not None and last.end_col_offset is not None
        else []
    )
    return rest.lstrip().startswith(b";")


@contextlib.contextmanager
def _record_warnings(recorded: list[tuple[str, int | None]], recorder: Recorder) -> Iterator[None]:
    """Collect warnings instead of writing them."""

    def note(message: Warning | str, *_: object, **__: object) -> None:
        text = cut(str(message), MAX_WARNING_CHARACTERS)
        if len(recorded) < CellAnswer.MAX_WARNINGS and text not in [known for known, _ in recorded]:
            recorded.append((text, recorder.line()))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", "", DeprecationWarning, LIBRARIES)
        warnings.showwarning = note
        yield
