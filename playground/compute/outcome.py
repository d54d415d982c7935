"""Results: of one operation of PyTorch, and of an experiment in a worker.

An error that PyTorch raises is a result too: an ``Outcome`` with torch's own type and text.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from playground.errors import PlaygroundError

T = TypeVar("T")
ANSI_CODE = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Result of one operation: success, or torch's own error.

    Attributes:
        ok: It worked; the two others are then empty.
        error_type: The class of the exception, without its module, e.g. ``"RuntimeError"``.
        message: The exception's text as torch words it, without terminal colours.
    """

    ok: bool
    error_type: str = ""
    message: str = ""


def attempt(action: Callable[[], T]) -> tuple[T | None, Outcome]:
    """Run an action and catch the error that torch raises.

    The playground's own errors (a refused setting, a feature that is not simulated) propagate.

    >>> attempt(lambda: 1 // 0)[1]
    Outcome(ok=False, error_type='ZeroDivisionError', message='integer division or modulo by zero')
    """
    try:
        return action(), Outcome(ok=True)
    except PlaygroundError:
        raise
    except Exception as error:  # noqa: BLE001 - torch refuses with any type, and each is a result
        message = ANSI_CODE.sub("", str(error))
        return None, Outcome(ok=False, error_type=type(error).__name__, message=message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error that the experiment should not have raised.

    Attributes:
        traceback: Where it was raised, for the log only; without the error's own text.
    """

    experiment: str
    error_type: str
    traceback: str


Result = bytes | PlaygroundError | Failure  # of a worker; the bytes are a pickled report
