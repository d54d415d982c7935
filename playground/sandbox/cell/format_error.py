"""An exception of a cell as Python and torch word it, with the lines of the cell.

Frames of other files are left out: they show the server's paths, and do not help.
"""

import re
import traceback
from dataclasses import dataclass
from types import TracebackType

from playground.errors import NotSimulatedError
from playground.sandbox.text import clean, cut

CELL_FILE = "<cell>"
MAX_CHARACTERS = 4_000
ALLOCATOR = re.compile(r"DefaultCPUAllocator: .*?you tried to allocate (\d+) bytes", re.DOTALL)
BAD_ALLOC = "std::bad_alloc"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormattedError:
    """A formatted exception.

    Attributes:
        error_type: The class, e.g. ``"RuntimeError"``.
        message: Its text.
        line: The deepest line of the cell that was being run, from 1.
        column: Where in it, from 1, if Python says so.
        top_line: The line of the statement of the cell that was being run.
        needed_bytes: The memory that could not be allocated; 0 if unknown or not the reason.
        is_memory: Memory was the reason.
        is_recursion: Infinite recursion was the reason.
    """

    error_type: str
    message: str
    line: int | None = None
    column: int | None = None
    top_line: int | None = None
    needed_bytes: int = 0
    is_memory: bool = False
    is_recursion: bool = False


def format_error(error: BaseException, source: str) -> FormattedError:
    """Format an exception.

    Args:
        error: Any; its class may be the student's, whose ``__str__`` may fail.
        source: The cell.

    >>> try:
    ...     exec(compile("x = 1\\nx / 0", CELL_FILE, "exec"))
    ... except ZeroDivisionError as error:
    ...     format_error(error, "x = 1\\nx / 0").line
    2
    """
    message = _message(error)
    needed_bytes = _missing_bytes(error) or _asked_bytes(message)
    is_memory = isinstance(error, MemoryError) or needed_bytes > 0 or message == BAD_ALLOC
    if isinstance(error, SyntaxError) and error.filename == CELL_FILE:
        line = _within(error.lineno, source)
        places: tuple[int | None, int | None, int | None] = (line, error.offset, line)
    else:
        places = _places(error.__traceback__)
    return FormattedError(
        error_type=cut(type(error).__name__, 100),
        message=cut(message, MAX_CHARACTERS),
        line=places[0],
        column=places[1],
        top_line=places[2],
        needed_bytes=needed_bytes,
        is_memory=is_memory,
        is_recursion=isinstance(error, RecursionError),
    )


def _places(trace: TracebackType | None) -> tuple[int | None, int | None, int | None]:
    """Return line and column of the deepest frame of the cell, and the line of the outermost."""
    top: int | None = None
    deepest: TracebackType | None = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == CELL_FILE:
            top = trace.tb_lineno if top is None else top
            deepest = trace
        trace = trace.tb_next
    return (deepest and deepest.tb_lineno), (deepest and _column(deepest)), top


def _column(trace: TracebackType) -> int | None:
    """Return the column of a frame, from 1."""
    places = list(trace.tb_frame.f_code.co_positions())
    index = trace.tb_lasti // 2
    if not 0 <= index < len(places):
        return None
    line, _, column, _ = places[index]
    return None if column is None or line != trace.tb_lineno else column + 1


def _message(error: BaseException) -> str:
    try:
        if isinstance(error, NotSimulatedError):
            what = (
                "more than the memory of a run"
                if _missing_bytes(error)
                else error.values.get("what")
            )
            return f"{what} is not simulated here"
        if isinstance(error, SyntaxError):
            return clean(str(error.msg))
        if isinstance(error, KeyError):
            return clean(traceback.format_exception_only(error)[-1].partition(": ")[2].rstrip())
        return clean(str(error))
    except BaseException:  # noqa: BLE001 - a student's own class may fail at being written
        return ""


def _missing_bytes(error: BaseException) -> int:
    """Return the bytes that this computer, not the simulated GPU, could not allocate."""
    if not isinstance(error, NotSimulatedError):
        return 0
    missing = error.__cause__ or error.__context__
    if type(missing) is MemoryError and missing.args:
        return int(missing.args[0])
    return _asked_bytes(str(missing)) if type(missing) is RuntimeError else 0


def _asked_bytes(message: str) -> int:
    """Return the bytes requested in a message of the CPU's allocator, else 0."""
    found = ALLOCATOR.search(message)
    return int(found[1][:19]) if found else 0


def _within(line: int | None, source: str) -> int | None:
    return None if line is None else max(1, min(line, source.count("\n") + 1))
