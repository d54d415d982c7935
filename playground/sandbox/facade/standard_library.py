"""Functions of Python's modules that take a name, code or a path, as a cell may have them."""

import ast
import contextlib
import dataclasses
import functools
import pickletools
import platform
import sys
import timeit
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any

from playground.sandbox.allowed_names import is_timed_code
from playground.sandbox.facade.guard import HOME, read
from playground.sandbox.facade.rewrite import READ, guarded
from playground.sandbox.text import cut

MAX_ERROR_CHARACTERS = 4_000


def attrgetter(*names: str) -> Callable[[object], Any]:
    """``operator.attrgetter``; the guard is asked for each attribute."""
    if not names or any(type(name) is not str for name in names):
        raise TypeError("attribute name must be a string")

    def get(owner: object) -> Any:
        found = tuple(functools.reduce(read, name.split("."), owner) for name in names)
        return found if len(names) > 1 else found[0]

    return get


def methodcaller(name: str, /, *args: Any, **words: Any) -> Callable[[object], Any]:
    """``operator.methodcaller``; the guard is asked for the method."""
    if type(name) is not str:
        raise TypeError("method name must be a string")
    return lambda owner: read(owner, name)(*args, **words)


def contextmanager(function: Callable[..., Any]) -> Callable[..., Any]:
    """``contextlib.contextmanager`` of a function of the cell."""
    _check_own(function)
    return contextlib.contextmanager(function)


def _check_own(function: object) -> None:
    if type(function) is not FunctionType or function.__module__ != HOME:
        raise TypeError("this decorates a function of this program")


def total_ordering(kind: type) -> type:
    """``functools.total_ordering`` of a class of the cell."""
    if not isinstance(kind, type) or kind.__module__ != HOME:
        raise TypeError("this decorates a class of this program")
    return functools.total_ordering(kind)


def timed(
    stmt: Callable[[], Any] | str = "pass",
    setup: Callable[[], Any] | str = "pass",
    timer: Callable[[], float] = timeit.default_timer,
    number: int = 1_000_000,
    globals: Mapping[str, Any] | None = None,
) -> float:
    """``timeit.timeit`` of a function, or of one plain expression.

    Raises:
        ValueError: Other code as text.
    """
    return timeit.timeit(_called(stmt, globals), _called(setup, globals), timer, number)


def repeated(
    stmt: Callable[[], Any] | str = "pass",
    setup: Callable[[], Any] | str = "pass",
    timer: Callable[[], float] = timeit.default_timer,
    repeat: int = 5,
    number: int = 1_000_000,
    globals: Mapping[str, Any] | None = None,
) -> list[float]:
    """``timeit.repeat``."""
    return [timed(stmt, setup, timer, number, globals) for _ in range(repeat)]


def _called(code: Callable[[], Any] | str, names: Mapping[str, Any] | None) -> Callable[[], Any]:
    if callable(code):
        return code
    if code == "pass":
        return lambda: None
    if type(code) is not str or not is_timed_code(code):
        raise ValueError("the lab times a function, or one plain expression such as 'A @ B'")
    return expression(code, names or {})


def expression(code: str, names: Mapping[str, Any]) -> Callable[[], Any]:
    """Compile a plain expression whose attributes the guard reads."""
    statement = guarded(ast.parse(code)).body[0]
    tree = ast.Expression(statement.value)  # type: ignore[attr-defined]
    compiled = compile(tree, "<timed>", "eval", dont_inherit=True)
    scope = {**names, "__builtins__": {}, READ: read}
    return lambda: eval(compiled, scope)


class catch_warnings(warnings.catch_warnings):  # noqa: N801
    """``warnings.catch_warnings`` of Python's own module, and of no object of the cell."""

    def __init__(self, *, record: bool = False, action: Any = None) -> None:
        super().__init__(record=record, action=action)


class Output:
    """``sys.stdout`` and ``sys.stderr``, which write where ``print`` does."""

    def write(self, text: str) -> int:
        """Write a text."""
        return sys.stdout.write(text)

    def flush(self) -> None:
        """Do nothing: each text is shown at once."""


def format_exc() -> str:
    """``traceback.format_exc`` without the lines of other files."""
    error = sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1]
    if error is None:
        return "NoneType: None\n"
    return cut("".join(traceback.format_exception_only(error)), MAX_ERROR_CHARACTERS)


def print_exc() -> None:
    """``traceback.print_exc``."""
    sys.stdout.write(format_exc())


def python_version() -> str:
    """Return the version of Python that runs the cell."""
    return platform.python_version()


def wraps(wrapped: object) -> Callable[[FunctionType], FunctionType]:
    """Copy names and docstring, as ``functools.wraps``; the real one copies any given attribute.

    Raises:
        TypeError: It decorates something else than a function.
    """

    def decorate(wrapper: FunctionType) -> FunctionType:
        if type(wrapper) is not FunctionType:
            raise TypeError(f"wraps() decorates a function, not a {type(wrapper).__name__!r}")
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            value = getattr(wrapped, name, None)
            if type(value) is str:
                setattr(wrapper, name, value)
        return wrapper

    return decorate


def dataclass(
    cls: Any = None,
    /,
    *,
    init: bool = True,
    repr: bool = True,
    eq: bool = True,
    order: bool = False,
    unsafe_hash: bool = False,
    frozen: bool = False,
    kw_only: bool = False,
    slots: bool = False,
) -> Any:
    """``dataclasses.dataclass`` of a class of the cell; it writes code with the fields' names.

    Raises:
        TypeError: It is no class of the cell, so that its fields may have any names.
    """
    decorate = dataclasses.dataclass(
        init=init, repr=repr, eq=eq, order=order, unsafe_hash=unsafe_hash, frozen=frozen,
        kw_only=kw_only, slots=slots,
    )  # fmt: skip

    def checked(kind: Any) -> Any:
        if not isinstance(kind, type) or kind.__module__ != HOME:
            raise TypeError("a dataclass is a class of this program")
        return decorate(kind)

    return checked if cls is None else checked(cls)


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One instruction of a pickle."""

    name: str


def genops(pickle: bytes) -> Iterator[tuple[Step, object, int | None]]:
    """Disassemble a pickle as ``pickletools.genops``; nothing of it is run.

    Raises:
        TypeError: ``pickle`` is something else than bytes.
        ValueError: It is no pickle.
    """
    if type(pickle) is not bytes:
        raise TypeError(f"a pickle is taken apart as bytes, not as {type(pickle).__name__}")
    for step, argument, place in pickletools.genops(pickle):
        yield Step(step.name), argument, place
