"""``torch.utils.benchmark.Timer`` for one plain expression, which the check's grammar judges."""

from typing import Any

from torch.utils import benchmark

from playground.sandbox.facade.timed_code import is_timed_code


class Timer:
    """Times an expression.

    Args:
        stmt: A plain expression on the names of ``globals``.
        globals: What the names in it stand for.
        num_threads: 1, since a run has one thread.
        words: ``label``, ``sub_label``, ``description``.

    Raises:
        ValueError: The statement is more than a plain expression.
    """

    def __init__(
        self, stmt: str, globals: dict[str, Any] | None = None, num_threads: int = 1, **words: Any
    ) -> None:
        if not isinstance(stmt, str) or not is_timed_code(stmt):
            raise ValueError("the lab times one plain expression, such as 'A @ B'")
        if num_threads != 1:
            raise RuntimeError(f"a run of the lab has one thread, not {num_threads}")
        names = {**(globals or {}), "__builtins__": {}}
        self._timer = benchmark.Timer(stmt, globals=names, num_threads=1, **words)

    def timeit(self, number: int = 1_000_000) -> Any:
        """Run it a number of times."""
        return self._timer.timeit(number)

    def blocked_autorange(self, min_run_time: float = 0.2) -> Any:
        """Run it in blocks until some time has been measured."""
        return self._timer.blocked_autorange(min_run_time=min_run_time)
