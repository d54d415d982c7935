"""Replacements of functions and classes that do less than the real ones of the same name.

Each refuses with the error that a student would expect, e.g. ``FileNotFoundError`` for a program.
The last ones stand behind the Jupyter lines of a cell: ``%timeit``, ``%time``, ``!nvidia-smi``.
"""

import ast
import importlib
import statistics
import sys
import time
import timeit
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, NoReturn

import torch
from torch.nn.utils import parametrizations
from torch.utils import benchmark

from playground.sandbox.allowed_names import is_timed_code
from playground.sandbox.facade.guard import VettedModule, read
from playground.sandbox.facade.rewrite import guarded
from playground.sandbox.limits import OneProcessError
from playground.units import MEBIBYTE

FORWARDED = frozenset({"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"})
"""What torch reads when a program asks for its GPUs; nothing else of the server is shown."""
TIMED_READ = "_read"  # no timed code can write this name, since it may not begin with an underscore
TIMEIT_RUNS = 5
MIN_LOOP_SECONDS = 0.02  # of the loop of one run of ``%timeit``
MAX_TIMEIT_SECONDS = 0.3  # of all its runs, unless one call takes longer
TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))


def set_num_threads(number: int) -> None:
    """Accept one thread only.

    Raises:
        OneProcessError: More were asked for.
    """
    if number != 1:
        raise OneProcessError(f"a run of the lab has one thread, not {number}")
    torch.set_num_threads(1)


def compile_eagerly(model: Any = None, **_: object) -> Any:
    """``torch.compile`` without a compiler: return the model, or the decorator that returns it."""
    return model if model is not None else lambda function: function


def which(name: str) -> None:
    """Find no program, as ``shutil.which`` if there is none."""
    if not isinstance(name, str):
        raise TypeError(f"expected str, not {type(name).__name__}")


def run(
    programs: Sequence[str],
    *,
    timeout: object = None,  # noqa: ARG001
    check: object = False,  # noqa: ARG001
    capture_output: object = False,  # noqa: ARG001
    text: object = None,  # noqa: ARG001
) -> NoReturn:
    """Raise as ``subprocess.run`` if there is no such program."""
    raise FileNotFoundError(2, "No such file or directory", programs[0])


def orthogonal(
    module: torch.nn.Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> torch.nn.Module:
    """``parametrizations.orthogonal``, which looks the map up by its name.

    Raises:
        ValueError: There is no such map.
    """
    if orthogonal_map not in (None, "matrix_exp", "cayley", "householder"):
        raise ValueError(f'Unknown orthogonal_map: "{orthogonal_map}"')
    made: torch.nn.Module = parametrizations.orthogonal(
        module, name, orthogonal_map, use_trivialization=use_trivialization
    )
    return made


def importer(modules: Mapping[str, VettedModule]) -> Callable[..., VettedModule]:
    """Make the ``__import__`` that answers with vetted modules.

    An import statement passes a tuple of names. ``PyImport_Import``, by which the C code of NumPy
    imports on behalf of its caller, passes a list and ignores the answer.

    Args:
        modules: By dotted name.
    """

    def import_(
        name: str,
        _globals: object = None,
        _locals: object = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> VettedModule:
        if isinstance(fromlist, list):  # C code of a library, which takes from sys.modules after it
            importlib.import_module(name)
            return VettedModule(name)
        if level or name not in modules:
            raise ImportError(f"the lab has no module named {name!r}", name=name)
        for member in fromlist or ():
            if member != "*" and member not in vars(modules[name]):
                raise ImportError(f"cannot import name {member!r} from {name!r}", name=name)
        return modules[name] if fromlist else modules[name.partition(".")[0]]

    return import_


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


class Timer:
    """``torch.utils.benchmark.Timer`` for one plain expression.

    Args:
        torch: What the name ``torch`` is bound to in it.
        stmt: A plain expression on the names of ``globals``.
        globals: What the names in it are bound to.
        label: Of what is measured, as the other two.
        num_threads: 1, since a run has one thread.
        language: Python, since a run has one process and starts no compiler.

    Raises:
        ValueError: The statement is more than a plain expression.
        OneProcessError: More threads or another language were asked for.
    """

    def __init__(
        self,
        torch: VettedModule,
        stmt: str,
        *,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        num_threads: int = 1,
        language: str = "python",
    ) -> None:
        if language not in ("python", "py"):
            raise OneProcessError(
                f"language={language!r} starts a compiler, and a run of the lab has one process"
            )
        if num_threads != 1:
            raise OneProcessError(f"a run of the lab has one thread, not {num_threads}")
        if type(stmt) is not str or not is_timed_code(stmt):
            raise ValueError("the lab times one plain expression, such as 'A @ B'")
        names = {"torch": torch, **(globals or {}), "__builtins__": {}, TIMED_READ: read}
        self._timer = _Timer(
            stmt, globals=names, label=label, sub_label=sub_label, description=description
        )

    def timeit(self, number: int = 1_000_000) -> Any:
        """Run it a number of times."""
        return self._timer.timeit(number)

    def blocked_autorange(self, min_run_time: float = 0.2) -> Any:
        """Run it in blocks until some time has been measured."""
        return self._timer.blocked_autorange(min_run_time=min_run_time)


class _GuardedTimer(timeit.Timer):
    """Reads attributes as the cell around it does."""

    def __init__(
        self, stmt: str, setup: str, timer: Callable[[], float], globals: dict[str, Any]
    ) -> None:
        code = ast.unparse(guarded(ast.parse(stmt), TIMED_READ))
        super().__init__(code, setup, timer, globals)


class _Timer(benchmark.Timer):
    _timer_cls = _GuardedTimer


def time_loop(function: Callable[[], Any]) -> None:
    """Measure a call in a loop, and print the mean of a few runs as ``%timeit`` does."""
    loops, seconds = 1, _seconds(function, 1)
    while seconds < MIN_LOOP_SECONDS:
        loops *= 2 if seconds > MIN_LOOP_SECONDS / 10 else 10
        seconds = _seconds(function, loops)
    runs = max(1, min(TIMEIT_RUNS, int(MAX_TIMEIT_SECONDS / seconds)))
    measured = [seconds / loops, *(_seconds(function, loops) / loops for _ in range(runs - 1))]
    mean, deviation = statistics.fmean(measured), statistics.pstdev(measured)
    sys.stdout.write(
        f"{_written(mean)} ± {_written(deviation)} per loop"
        f" (mean ± std. dev. of {len(measured)} runs, {loops:,} loops each)\n"
    )


def time_once(function: Callable[[], Any]) -> Any:
    """Call a function, print how long it took as ``%time`` does, and return its result."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = function()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    sys.stdout.write(f"CPU times: total: {_written(cpu)}\nWall time: {_written(wall)}\n")
    return result


def nvidia_smi() -> None:
    """Print the simulated GPUs of the run as a table with the columns of ``nvidia-smi``."""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        sys.stdout.write("nvidia-smi: command not found (this run has no GPU)\n")
        return
    rule = f"+{'-' * 40}+{'-' * 24}+"
    title = "Simulated GPUs of this run; no driver, no temperature, no utilization"
    lines = [title, rule, f"| {'GPU  Name':38} | {'Memory-Usage':>22} |", rule]
    for index in range(count):
        used = torch.cuda.memory_reserved(index) // MEBIBYTE
        total = torch.cuda.get_device_properties(index).total_memory // MEBIBYTE
        name = f"{index:3}  {torch.cuda.get_device_name(index)}"
        lines += [f"| {name:38} | {f'{used}MiB / {total}MiB':>22} |", rule]
    sys.stdout.write("\n".join(lines) + "\n")


def _seconds(function: Callable[[], Any], loops: int) -> float:
    start = time.perf_counter()
    for _ in range(loops):
        function()
    return time.perf_counter() - start


def _written(seconds: float) -> str:
    """Write a time with three digits.

    >>> _written(0.00123)
    '1.23 ms'
    """
    scale, unit = next((scale, unit) for scale, unit in TIME_UNITS if seconds >= scale)
    return f"{seconds / (scale or 1e-9):.3g} {unit}"
