"""Errors: the playground's exceptions, and errors of torch and of experiments as plain records.

Each exception of the playground has a text key and values, and no message text. An error that
PyTorch raises is a result: an ``Outcome`` with torch's own type and text.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
ANSI_CODE = re.compile(r"\x1b\[[0-9;]*m")


class PlaygroundError(Exception):
    """An error with a message for the visitor.

    The message, in both languages, is found by ``key`` in the interface words of ``ui/``.

    Args:
        key: The key of the message, e.g. ``"bounds"``.
        values: The values in the message, e.g. the given one and the allowed ones.

    >>> PlaygroundError("bounds", field="rows", given=0).values["field"]
    'rows'
    """

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key, values)
        self.key = key
        self.values = values

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the keyword arguments too, which the default drops."""
        return _rebuild, (type(self), self.key, self.values)

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        return f"{self.key} ({values})" if values else self.key


def _rebuild(kind: type[PlaygroundError], key: str, values: dict[str, object]) -> PlaygroundError:
    return kind(key, **values)


class InvalidSettingError(PlaygroundError, ValueError):
    """A setting is out of range; ``field`` names it, raised before any memory is taken."""

    def __init__(self, key: str, *, field: str, given: object, **values: object) -> None:
        super().__init__(key, field=field, given=given, **values)

    @property
    def field(self) -> str:
        return str(self.values["field"])


class InvalidSpecError(PlaygroundError, ValueError):
    """A network described as data cannot be built, or is too large.

    Args:
        key: The key of the message.
        path: The path of the layer, as torch writes it: ``"encoder.0"``; empty for the whole.
        type: The layer's class, e.g. ``"Linear"``; empty where no single layer is to blame.
        argument: The argument that is wrong; empty where none is.
        values: Other values in the message.

    >>> InvalidSpecError("spec_times", path="0", type="Linear").values["layer"]
    '0 (Linear)'
    """

    def __init__(
        self, key: str, *, path: str = "", type: str = "", argument: str = "", **values: object
    ) -> None:
        named = f"{path} ({type})" if path and type else path or type or "net"
        places = {"path": path, "type": type, "argument": argument, "layer": named}
        super().__init__(key, **{**values, **places})

    def within(self, block: str) -> "InvalidSpecError":
        """Return the same error with the path seen from the enclosing block."""
        values = {name: value for name, value in self.values.items() if name != "layer"}
        path = f"{block}.{self.values['path']}".rstrip(".")
        return InvalidSpecError(self.key, **{**values, "path": path})  # type: ignore[arg-type]


class CheckpointTooLargeError(PlaygroundError):
    """The data to save exceeds the file size limit; raised before the file is written."""


class CheckpointUnwritableError(PlaygroundError):
    """The format cannot hold the data; ``values["text"]`` is its library's message."""


class UploadRefusedError(PlaygroundError):
    """A file is not inspected: it is too large, or there were too many within a minute."""


class NotSimulatedError(PlaygroundError):
    """Simulated devices cannot reproduce this faithfully, so they raise an error."""


class ComputeUnavailableError(PlaygroundError):
    """The workers did not start, or the pool that this machine needs does not exist."""


class QueueFullError(PlaygroundError):
    """Too many experiments are waiting; ``values["place"]`` is the place that was refused."""


class GpuMemoryError(PlaygroundError):
    """A GPU has no room for an experiment, or the experiment asks for more than its share."""


class TooManyExperimentsError(PlaygroundError):
    """A session starts experiments too fast; ``values["seconds"]`` says how long to wait."""


class ExperimentTimedOutError(PlaygroundError):
    """An experiment ran past its time limit and was stopped."""


class ExperimentCrashedError(PlaygroundError):
    """The worker died, or the experiment raised an unexpected exception."""


class SandboxClosedError(PlaygroundError):
    """Untrusted code cannot run here safely, so it is refused; the log has the reason."""


class SandboxBusyError(PlaygroundError):
    """Too many runs are waiting; ``values["waiting"]`` says how many."""


class RunQuotaError(PlaygroundError):
    """A cell may not be run right now; ``values["seconds"]`` says how long to wait, if known."""


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
