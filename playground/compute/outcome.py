"""What PyTorch answered: a result, or its own error; an expected failure is an answer too."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from playground.errors import PlaygroundError

T = TypeVar("T")
ANSI_CODE = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Whether an operation worked, and torch's own words where it did not.

    Attributes:
        ok: It worked; the two others are then empty.
        error_type: The class of the exception, without its module, e.g. ``"RuntimeError"``.
        message: The exception's text as torch words it, without terminal colours.
    """

    ok: bool
    error_type: str = ""
    message: str = ""


def attempt(action: Callable[[], T]) -> tuple[T | None, Outcome]:
    """Run an action and keep torch's answer, whichever it is.

    The playground's own errors (a setting refused, something that is not simulated) pass through.

    >>> attempt(lambda: 1 // 0)[1]
    Outcome(ok=False, error_type='ZeroDivisionError', message='integer division or modulo by zero')
    """
    try:
        return action(), Outcome(ok=True)
    except PlaygroundError:
        raise
    except Exception as error:  # noqa: BLE001 - torch refuses with any type, and each is an answer
        message = ANSI_CODE.sub("", str(error))
        return None, Outcome(ok=False, error_type=type(error).__name__, message=message)
