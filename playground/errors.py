"""What can go wrong, as types; knows a text key and its values, and no sentence in any language."""


class PlaygroundError(Exception):
    """An error that a visitor may be told about.

    The sentence, in both languages, is found by ``key`` in the interface words of ``ui/``.

    Args:
        key: Which sentence, e.g. ``"bounds"``.
        values: What the sentence mentions: what was given, what is allowed.

    >>> PlaygroundError("bounds", field="rows", given=0).values["field"]
    'rows'
    """

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key, values)
        self.key = key
        self.values = values

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling across the worker border; the default forgets keyword arguments."""
        return _rebuild, (type(self), self.key, self.values)

    def __str__(self) -> str:
        """Name the key and the values, for logs."""
        told = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        return f"{self.key} ({told})" if told else self.key


def _rebuild(kind: type[PlaygroundError], key: str, values: dict[str, object]) -> PlaygroundError:
    return kind(key, **values)


class InvalidSettingError(PlaygroundError, ValueError):
    """A setting is out of range; ``field`` names it, raised before any memory is taken."""

    def __init__(self, key: str, *, field: str, given: object, **values: object) -> None:
        super().__init__(key, field=field, given=given, **values)

    @property
    def field(self) -> str:
        """The name of the setting that was refused."""
        return str(self.values["field"])


class InvalidSpecError(PlaygroundError, ValueError):
    """A network described as data cannot be built, or is too large to be.

    Args:
        key: Which sentence.
        path: Where the layer stands, as torch writes it: ``"encoder.0"``; empty for the whole.
        type: The layer's class, e.g. ``"Linear"``; empty where no single layer is to blame.
        argument: The argument that is wrong; empty where none is.
        values: What else the sentence mentions.

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
        """The same refusal, seen from the block around the one that it was found in."""
        values = {name: value for name, value in self.values.items() if name != "layer"}
        path = f"{block}.{self.values['path']}".rstrip(".")
        return InvalidSpecError(self.key, **{**values, "path": path})  # type: ignore[arg-type]


class CheckpointTooLargeError(PlaygroundError):
    """What would be saved is larger than a file may be here; raised before it is made."""


class CheckpointUnwritableError(PlaygroundError):
    """The format cannot hold what would be saved; ``values["text"]`` is its library's word."""


class UploadRefusedError(PlaygroundError):
    """A file is not looked at: too large, or too many within a minute."""


class NotSimulatedError(PlaygroundError):
    """Simulated devices cannot answer this faithfully, so they refuse instead of guessing."""


class ComputeUnavailableError(PlaygroundError):
    """The workers did not start, or the lane that this machine needs does not exist."""


class QueueFullError(PlaygroundError):
    """Too many experiments are waiting; ``values["place"]`` is the place that was refused."""


class GpuMemoryError(PlaygroundError):
    """A GPU has no room for an experiment, or the experiment asks for more than its share."""


class TooManyExperimentsError(PlaygroundError):
    """A session starts experiments too fast; ``values["seconds"]`` says how long to wait."""


class ExperimentTimedOutError(PlaygroundError):
    """An experiment ran past its time limit and was stopped."""


class ExperimentCrashedError(PlaygroundError):
    """The worker died, or the experiment raised what it should not raise."""


class SandboxClosedError(PlaygroundError):
    """Strangers' code cannot run here safely, so it does not run; the operator's log says why."""


class SandboxBusyError(PlaygroundError):
    """Too many runs are waiting; ``values["waiting"]`` says how many."""


class RunQuotaError(PlaygroundError):
    """A cell may not be run right now; ``values["seconds"]`` says how long to wait, if known."""
