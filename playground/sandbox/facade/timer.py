"""``torch.utils.benchmark.Timer`` for one plain expression, which the check's grammar judges."""

import ast
import timeit
from collections.abc import Callable
from typing import Any

from torch.utils import benchmark

from playground.sandbox.facade.guard import guarded, read
from playground.sandbox.facade.module import VettedModule
from playground.sandbox.facade.timed_code import is_timed_code
from playground.sandbox.limits import OneProcessError

READ = "_read"  # no timed code can write this name, since it may not begin with an underscore


class Timer:
    """Times an expression.

    Args:
        torch: What the name ``torch`` stands for in it.
        stmt: A plain expression on the names of ``globals``.
        globals: What the names in it stand for.
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
        names = {"torch": torch, **(globals or {}), "__builtins__": {}, READ: read}
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
        code = ast.unparse(guarded(ast.parse(stmt), READ))
        super().__init__(code, setup, timer, globals)


class _Timer(benchmark.Timer):
    _timer_cls = _GuardedTimer
