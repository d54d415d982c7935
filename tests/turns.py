"""Many small cases of one test, where pytest would take longer for each than the case itself."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

Test = Callable[..., None]


def in_turn(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Stands for ``pytest.mark.parametrize``: one test, which tries the cases one after the other.

    It ends at the first case that fails, and names it. Fixtures are those of the one test.

    Args:
        names: Of one argument, or of several, as ``parametrize`` takes them.
        cases: The values, in tuples where there are several names.
    """
    given = (names,) if isinstance(names, str) else names
    rows = [(case,) if isinstance(names, str) else tuple(case) for case in cases]
    assert rows, f"no case of {', '.join(given)}"

    def wrap(test: Test) -> Test:
        @functools.wraps(test)
        def try_all(**others: Any) -> None:
            for row in rows:
                values = dict(zip(given, row, strict=True))
                try:
                    test(**values, **others)
                except BaseException as error:
                    said = ", ".join(f"{name}={value!r}" for name, value in values.items())
                    error.add_note(f"where {said}")
                    raise

        signature = inspect.signature(test)
        left = [each for name, each in signature.parameters.items() if name not in given]
        try_all.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return try_all

    return wrap
