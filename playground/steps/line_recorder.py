"""Runs statements one by one, and records what each line assigned and printed.

Workers run the programs of lessons with it, children of the jail those of students.
"""

import __future__

import ast
import contextlib
import io
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

MAX_PRINTED = 20_000  # characters of a program's output that are kept
MAX_REPR = 60  # characters of each text in a note
SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Note:
    """The object that a name is bound to after a line.

    Attributes:
        kind: The dtype of a tensor, the class of a module, the type of another value.
        size: The shape of a tensor, the number of parameters of a module, the length of a
            container, the repr of a plain value.
        devices: Its devices; empty for a value without one.
    """

    name: str
    kind: str
    size: str
    devices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """The record of one line of a program.

    Attributes:
        number: From 1.
        printed: The output of this line, also inside a function or a loop.
        error: Type and message of the exception that this line raised; empty if none.
        warnings: Texts of the warnings that were issued while the line ran.
    """

    number: int
    notes: tuple[Note, ...] = ()
    printed: str = ""
    error: str = ""
    warnings: tuple[str, ...] = ()


@dataclass
class _Record:
    notes: dict[str, Note] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)
    error: str = ""
    warnings: list[str] = field(default_factory=list)


class Recorder(io.TextIOBase):
    """Runs statements, and replaces ``sys.stdout`` meanwhile.

    Args:
        file_name: The file name that the program is compiled with, which identifies its frames.
        stdout: Receives the output too.
    """

    def __init__(self, file_name: str, stdout: io.TextIOBase | None = None) -> None:
        self.current = 1  # the first line of the statement that is being run
        self._file_name = file_name
        self._stdout = stdout
        self._records: dict[int, _Record] = {}
        self._room = MAX_PRINTED

    def run(self, program: Sequence[tuple[ast.stmt, CodeType]], names: dict[str, Any]) -> None:
        """Run statements in order, and note after each the names that it bound.

        Args:
            program: As ``compiled`` returns it.
            names: The global names of the program.

        Raises:
            BaseException: A statement raises it; ``current`` is then its line.
        """
        for statement, code in program:
            self.current = statement.lineno
            exec(code, names)  # noqa: S102 - the purpose of this module
            self.at(self.current)
            for name, line in assigned(statement).items():
                self._note(line, name, names)

    def at(self, line: int) -> _Record:
        """Return the record of a line."""
        return self._records.setdefault(line, _Record())

    def lines(self) -> tuple[Line, ...]:
        """Return all records, in order."""
        return tuple(
            Line(
                number,
                tuple(each.notes.values()),
                "".join(each.printed),
                each.error,
                tuple(each.warnings),
            )
            for number, each in sorted(self._records.items())
        )

    def _note(self, line: int, name: str, names: Mapping[str, Any]) -> None:
        try:
            note = describe(name, names[name])
        except Exception:  # noqa: BLE001 - it was deleted, or its class refuses to be described
            return
        if note:
            self.at(line).notes[name] = note

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Record output and warnings."""
        with contextlib.redirect_stdout(self), warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = self._warn
            yield

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """Record a text at the line of the program that printed it."""
        if self._room and isinstance(text, str):
            self.at(self.line()).printed.append(text[: self._room])
            self._room = max(0, self._room - len(text))
        return len(text) if self._stdout is None else self._stdout.write(text)

    def _warn(self, message: Warning | str, *_: object, **__: object) -> None:
        self.at(self.line()).warnings.append(str(message))

    def line(self) -> int:
        """Return the line of the program that is running, also inside a function or a loop."""
        frame: FrameType | None = sys._getframe(1)
        while frame and frame.f_code.co_filename != self._file_name:
            frame = frame.f_back
        return frame.f_lineno if frame else self.current


def compiled(statements: Sequence[ast.stmt], file_name: str) -> list[tuple[ast.stmt, CodeType]]:
    """Compile each top-level statement of a program, before the first one runs.

    ``from __future__ import annotations`` holds for all of them.

    Raises:
        SyntaxError: A statement is not allowed there, e.g. ``return`` outside a function.
    """
    flags = 0
    for each in statements:
        if isinstance(each, ast.ImportFrom) and each.module == "__future__":
            flags = __future__.annotations.compiler_flag
    return [
        (each, compile(ast.Module([each], []), file_name, "exec", flags, dont_inherit=True))
        for each in statements
    ]


def assigned(statement: ast.stmt) -> dict[str, int]:
    """Return the names that a statement binds or writes into, with the last line that does so.

    >>> assigned(ast.parse("for i in range(2):\\n    x = y[0] = i").body[0])
    {'x': 2, 'y': 2}
    """
    found: dict[str, int] = {}
    if isinstance(statement, SCOPES):
        return found
    for node in _simple_statements(statement):
        targets: Sequence[ast.expr] = ()
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.With):
            targets = [each.optional_vars for each in node.items if each.optional_vars]
        line = node.lineno if isinstance(node, ast.With) else node.end_lineno or node.lineno
        for target in targets:
            found.update(dict.fromkeys(_names(target), line))
    return found


def _simple_statements(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the statement and those inside it, without bodies of functions and classes."""
    if isinstance(statement, SCOPES):
        return
    yield statement
    for child in ast.iter_child_nodes(statement):
        inner = child.body if isinstance(child, ast.ExceptHandler) else [child]
        for each in inner:
            if isinstance(each, ast.stmt):
                yield from _simple_statements(each)


def _names(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Subscript | ast.Starred):
        yield from _names(target.value)
    elif isinstance(target, ast.Tuple | ast.List):
        for each in target.elts:
            yield from _names(each)


def describe(name: str, value: object) -> Note | None:
    """Describe a tensor, a module, an array, a table or a plain value; None for any other object.

    >>> describe("n", 3)
    Note(name='n', kind='int', size='3', devices=())
    """
    torch = sys.modules.get("torch")  # without it the program has no tensors
    if torch and isinstance(value, torch.Tensor):
        return _describe_tensor(name, value)
    if torch and isinstance(value, torch.nn.Module):
        parameters = list(value.parameters())
        made = [each for each in parameters if not torch.nn.parameter.is_lazy(each)]
        devices = dict.fromkeys(str(each.device) for each in parameters)
        count = str(sum(each.numel() for each in made))
        return _note(name, type(value).__name__, count, tuple(sorted(devices)))
    if isinstance(value, str):
        return _note(name, type(value).__name__, repr(value[:MAX_REPR]))  # it may be very long
    if isinstance(value, int | float | bool | None) or (
        torch and isinstance(value, torch.device | torch.dtype | torch.Size)
    ):
        return _note(name, type(value).__name__, repr(value))
    if isinstance(value, list | tuple | dict | set):
        return _note(name, type(value).__name__, str(len(value)))
    if type(value).__name__ == "ndarray":
        array: Any = value
        return _note(name, f"ndarray {array.dtype}", str(tuple(array.shape)))
    if type(value).__module__ == "pandas" and hasattr(value, "shape"):
        return _note(name, type(value).__name__, str(tuple(value.shape)))
    return None


def _describe_tensor(name: str, value: Any) -> Note:
    kind = str(value.dtype).removeprefix("torch.")
    try:
        size = str(tuple(value.shape))
    except RuntimeError:  # an uninitialized parameter has no shape yet
        size = "?"
    return _note(name, kind, size, (str(value.device),))


def _note(name: str, kind: str, size: str, devices: tuple[str, ...] = ()) -> Note:
    return Note(_shortened(name), _shortened(kind), _shortened(size), devices)


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_REPR else f"{text[: MAX_REPR - 1]}…"
