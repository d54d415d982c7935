"""Runs a program line by line and notes what each line assigned, printed or raised."""

import ast
import contextlib
import io
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Any

from playground.compute.outcome import Outcome, attempt

FILE_NAME = "<program>"
MAX_PRINTED = 20_000  # characters that are kept of what one program prints
MAX_REPR = 60  # characters of a plain value in a note
SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True, slots=True)
class Note:
    """What a name is bound to after a line.

    Attributes:
        kind: The dtype of a tensor, the class of a module, the type of another value.
        size: The shape of a tensor, the number of parameters of a module, the length of a
            container, the repr of a plain value.
        devices: Where it lives; empty for what is on no device.
    """

    name: str
    kind: str
    size: str
    devices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """What one line of a program did.

    Attributes:
        number: From 1.
        printed: What was printed from this line, also inside a function or a loop.
        error: Type and message of the exception that this line raised; empty where it did not.
        warnings: Texts of the warnings that were issued while the line ran.
    """

    number: int
    notes: tuple[Note, ...] = ()
    printed: str = ""
    error: str = ""
    warnings: tuple[str, ...] = ()


@dataclass
class Run:
    """A program that was run.

    Attributes:
        names: What the program bound, live objects included.
        lines: The lines that ran, in order of their numbers.
        outcome: Whether it ran to its end, with the exception's type and message if not.
        stopped_at: The line of the top-level statement that raised; None where none did.
    """

    names: dict[str, Any]
    lines: tuple[Line, ...]
    outcome: Outcome
    stopped_at: int | None = None

    @property
    def printed(self) -> str:
        """All that was printed."""
        return "".join(line.printed for line in self.lines)

    def __getitem__(self, name: str) -> Any:
        """Return the object that the program bound to a name.

        Raises:
            KeyError: The program did not come that far.
        """
        return self.names[name]

    def get(self, name: str) -> Any:
        """Return that object, or None where the program did not come that far."""
        return self.names.get(name)

    def device_of(self, name: str) -> str | None:
        """Return the device of a tensor that the program bound; None where there is none."""
        device = getattr(self.names.get(name), "device", None)
        return None if device is None else str(device)


def run_program(text: str) -> Run:
    """Execute the top-level statements of a program one by one, and note what each line did.

    An exception ends the program and is part of the result, a syntax error too; errors of the
    playground itself pass through.

    Args:
        text: Python source.

    Raises:
        PlaygroundError: Something that the simulated devices cannot answer was asked of them.

    >>> run = run_program("a = 2\\nprint(a)\\nb = a / 0")
    >>> [(line.number, line.printed, line.error) for line in run.lines]
    [(1, '', ''), (2, '2\\n', ''), (3, '', 'ZeroDivisionError: division by zero')]
    """
    recorder = _Recorder()
    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError) as error:  # a null byte is a ValueError
        outcome = Outcome(ok=False, error_type=type(error).__name__, message=str(error))
        line = getattr(error, "lineno", None) or 1
        recorder.at(line).error = f"{outcome.error_type}: {outcome.message}"
        return Run({}, recorder.lines(), outcome, stopped_at=line)
    names: dict[str, Any] = {"__name__": "__main__"}
    outcome, stopped_at = Outcome(ok=True), None
    with recorder.listening():
        for statement in statements:
            outcome, raised_at = _execute(statement, names, recorder)
            if not outcome.ok:
                stopped_at = statement.lineno
                error_text = f"{outcome.error_type}: {outcome.message}"
                recorder.at(raised_at or stopped_at).error = error_text
                break
            recorder.at(statement.lineno)
            for name, line in _assigned(statement).items():
                recorder.note(line, name, names)
    return Run(names, recorder.lines(), outcome, stopped_at)


def _execute(
    statement: ast.stmt, names: dict[str, Any], recorder: "_Recorder"
) -> tuple[Outcome, int | None]:
    """Run one statement; return what came of it, and the line of the program that raised."""
    code = compile(ast.Module([statement], []), FILE_NAME, "exec")
    recorder.current = statement.lineno
    raised_at: list[int] = []

    def execute() -> None:
        try:
            exec(code, names)  # noqa: S102 - the purpose of this module
        except Exception as error:
            raised_at.extend(_program_lines(error.__traceback__))
            raise

    _, outcome = attempt(execute)
    return outcome, raised_at[-1] if raised_at else None


def _program_lines(trace: TracebackType | None) -> Iterator[int]:
    while trace:
        if trace.tb_frame.f_code.co_filename == FILE_NAME:
            yield trace.tb_lineno
        trace = trace.tb_next


def _assigned(statement: ast.stmt) -> dict[str, int]:
    """The names that a statement binds or writes into, with the line where it last does so.

    >>> _assigned(ast.parse("for i in range(2):\\n    x = y[0] = i").body[0])
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
    """The statement and those inside of it, bodies of functions and classes left out."""
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


@dataclass
class _Record:
    notes: dict[str, Note] = field(default_factory=dict)
    printed: str = ""
    error: str = ""
    warnings: list[str] = field(default_factory=list)


class _Recorder(io.TextIOBase):
    """Takes the place of ``sys.stdout`` and of the display of warnings while a program runs."""

    def __init__(self) -> None:
        self.current = 1
        self._records: dict[int, _Record] = {}
        self._room = MAX_PRINTED

    def at(self, line: int) -> _Record:
        """The record of a line."""
        return self._records.setdefault(line, _Record())

    def lines(self) -> tuple[Line, ...]:
        """Everything recorded, in order."""
        return tuple(
            Line(number, tuple(each.notes.values()), each.printed, each.error, tuple(each.warnings))
            for number, each in sorted(self._records.items())
        )

    def note(self, line: int, name: str, names: Mapping[str, Any]) -> None:
        """Note what a name is bound to now."""
        if name in names and (note := describe(name, names[name])):
            self.at(line).notes[name] = note

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Record what is printed and warned of."""
        with contextlib.redirect_stdout(self), warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = self._warn
            yield

    def writable(self) -> bool:
        """Accept text."""
        return True

    def write(self, text: str) -> int:
        """Record a printed text at the line of the program that printed it."""
        kept, self._room = text[: self._room], max(0, self._room - len(text))
        if kept:
            self.at(self._line(sys._getframe(1))).printed += kept
        return len(text)

    def _warn(self, message: Warning | str, *_: object, **__: object) -> None:
        self.at(self._line(sys._getframe(1))).warnings.append(str(message))

    def _line(self, frame: FrameType | None) -> int:
        while frame and frame.f_code.co_filename != FILE_NAME:
            frame = frame.f_back
        return frame.f_lineno if frame else self.current


def describe(name: str, value: object) -> Note | None:
    """Describe a tensor, a module or a plain value; None for what a note says nothing about.

    >>> describe("n", 3)
    Note(name='n', kind='int', size='3', devices=())
    """
    torch = sys.modules.get("torch")  # a program that never imported it has no tensors
    if torch and isinstance(value, torch.Tensor):
        return _describe_tensor(name, value)
    if torch and isinstance(value, torch.nn.Module):
        parameters = list(value.parameters())
        made = [each for each in parameters if not torch.nn.parameter.is_lazy(each)]
        devices = dict.fromkeys(str(each.device) for each in parameters)
        count = str(sum(each.numel() for each in made))
        return Note(name, type(value).__name__, count, tuple(sorted(devices)))
    if isinstance(value, str | int | float | bool | None) or (
        torch and isinstance(value, torch.device | torch.dtype | torch.Size)
    ):
        return Note(name, type(value).__name__, _shortened(repr(value)))
    if isinstance(value, list | tuple | dict | set):
        return Note(name, type(value).__name__, str(len(value)))
    if type(value).__name__ == "ndarray":
        array: Any = value
        return Note(name, f"ndarray {array.dtype}", str(tuple(array.shape)))
    return None


def _describe_tensor(name: str, value: Any) -> Note:
    kind = str(value.dtype).removeprefix("torch.")
    try:
        size = str(tuple(value.shape))
    except RuntimeError:  # an uninitialized parameter has no shape yet
        size = "?"
    return Note(name, kind, size, (str(value.device),))


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_REPR else f"{text[: MAX_REPR - 1]}…"
