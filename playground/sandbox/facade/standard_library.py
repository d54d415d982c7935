"""Functions of Python and its modules that take a name, code or a path, as a cell has them.

Each refuses with the error that a student would expect, e.g. ``FileNotFoundError`` for a program.
Two stand behind the Jupyter lines of a cell: ``%timeit`` and ``%time``.
"""

import ast
import contextlib
import dataclasses
import functools
import pickletools
import platform
import pydoc
import statistics
import sys
import time
import timeit
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from types import FunctionType
from typing import Any, NoReturn

from playground.sandbox.allowed_names import is_timed_code
from playground.sandbox.facade.attributes import READ, guarded
from playground.sandbox.facade.guard import HOME, VettedModule, read
from playground.sandbox.text import cut

MAX_ERROR_CHARACTERS = 4_000
FORWARDED = frozenset({"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"})
"""Variables that torch reads when a program asks for its GPUs; no others are shown."""
TIMEIT_RUNS = 5
MIN_LOOP_SECONDS = 0.02  # of the loop of one run of ``%timeit``
MAX_TIMEIT_SECONDS = 0.3  # of all its runs, unless one call takes longer
TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))
PLAIN: Any = vars(pydoc)["plaintext"]  # typeshed does not have it


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
    return timeit.timeit(_callable(stmt, globals), _callable(setup, globals), timer, number)


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


def _callable(code: Callable[[], Any] | str, names: Mapping[str, Any] | None) -> Callable[[], Any]:
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


def which(name: str) -> None:
    """Find no program, as ``shutil.which`` if there is none."""
    if not isinstance(name, str):
        raise TypeError(f"expected str, not {type(name).__name__}")


def run_program(
    programs: Sequence[str],
    *,
    timeout: object = None,  # noqa: ARG001
    check: object = False,  # noqa: ARG001
    capture_output: object = False,  # noqa: ARG001
    text: object = None,  # noqa: ARG001
) -> NoReturn:
    """Raise as ``subprocess.run`` if there is no such program."""
    raise FileNotFoundError(2, "No such file or directory", programs[0])


class Environment(MutableMapping[str, str]):
    """Environment variables that begin empty.

    Args:
        outer: The process's environment.

    >>> here = Environment({"HOME": "/root"})
    >>> here["CUDA_VISIBLE_DEVICES"] = "1"
    >>> dict(here)
    {'CUDA_VISIBLE_DEVICES': '1'}
    """

    def __init__(self, outer: MutableMapping[str, str]) -> None:
        self._outer = outer
        self._own: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        return self._own[name]

    def __setitem__(self, name: Any, value: Any) -> None:
        if not isinstance(name, str) or not isinstance(value, str):
            given = value if isinstance(name, str) else name
            raise TypeError(f"str expected, not {type(given).__name__}")
        if name in FORWARDED:
            self._outer[name] = value
        self._own[name] = value

    def __delitem__(self, name: str) -> None:
        del self._own[name]
        if name in FORWARDED:
            self._outer.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)

    def __repr__(self) -> str:
        return f"environ({self._own!r})"


def time_loop(function: Callable[[], Any]) -> None:
    """Measure a call in a loop, and print the mean of a few runs as ``%timeit`` does."""
    loops, seconds = 1, _measured_seconds(function, 1)
    while seconds < MIN_LOOP_SECONDS:
        loops *= 2 if seconds > MIN_LOOP_SECONDS / 10 else 10
        seconds = _measured_seconds(function, loops)
    runs = max(1, min(TIMEIT_RUNS, int(MAX_TIMEIT_SECONDS / seconds)))
    measured = [
        seconds / loops,
        *(_measured_seconds(function, loops) / loops for _ in range(runs - 1)),
    ]
    mean, deviation = statistics.fmean(measured), statistics.pstdev(measured)
    sys.stdout.write(
        f"{_format_seconds(mean)} ± {_format_seconds(deviation)} per loop"
        f" (mean ± std. dev. of {len(measured)} runs, {loops:,} loops each)\n"
    )


def time_once(function: Callable[[], Any]) -> Any:
    """Call a function, print how long it took as ``%time`` does, and return its result."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = function()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    sys.stdout.write(
        f"CPU times: total: {_format_seconds(cpu)}\nWall time: {_format_seconds(wall)}\n"
    )
    return result


def _measured_seconds(function: Callable[[], Any], loops: int) -> float:
    start = time.perf_counter()
    for _ in range(loops):
        function()
    return time.perf_counter() - start


def _format_seconds(seconds: float) -> str:
    """Write a time with three digits.

    >>> _format_seconds(0.00123)
    '1.23 ms'
    """
    scale, unit = next((scale, unit) for scale, unit in TIME_UNITS if seconds >= scale)
    return f"{seconds / (scale or 1e-9):.3g} {unit}"


def help_on(*thing: Any) -> None:
    """``help``: print the documentation of an object, and never look one up by a text."""
    if not thing or isinstance(thing[0], str):
        raise TypeError("help() takes an object here, such as help(torch.ones)")
    value = thing[0]
    if isinstance(value, VettedModule):
        text = f"{value!r} has here:\n\n{'  '.join(sorted(vars(value)))}"
    else:
        text = pydoc.render_doc(value, "Help on %s", renderer=PLAIN)
    sys.stdout.write(f"{text}\n")


def ask(prompt: object = "") -> NoReturn:
    """``input``, which finds nobody to answer."""
    sys.stdout.write(str(prompt))
    raise EOFError("EOF when reading a line: nobody can answer while the program runs")
