"""Loads an inspected file in the jail, and checks the answer. Free of torch.

``load`` never shows what a loader says: its texts advise to switch its safety off.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from playground.checkpoints.inspect import inspect
from playground.checkpoints.inspect.results import (
    Inspection,
    Kind,
    Node,
    Path,
    Sentence,
    display_text,
    sentence,
)
from playground.checkpoints.load_results import (
    Comparison,
    Ending,
    LoadAnswer,
    LoadedTensor,
    LoadVerdict,
    NetworkRefusal,
)
from playground.checkpoints.verification import (
    agrees_with,
    described,
    lines_of,
    verified_tensors,
)
from playground.errors import (
    CheckpointTooLargeError,
    InvalidSettingError,
    InvalidSpecError,
    SandboxBusyError,
    SandboxClosedError,
)
from playground.modules.spec import Network
from playground.sandbox import jail, schema
from playground.sandbox.jail import StoppedBecause
from playground.sandbox.limits import LIMITS
from playground.sandbox.schema import JsonObject

TASK = "load_checkpoint"
MEBIBYTES = LIMITS.memory_bytes // 2**20


class Answered(Protocol):
    """The answer of a child that loads files."""

    @property
    def is_loaded(self) -> bool:
        """False where a loader refused one; the reason is left out."""


T = TypeVar("T", bound=Answered)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """The result of loading a file.

    Attributes:
        verdict: How it ended.
        inspection: What was found before; also where nothing was loaded.
        why: The sentence why.
        instead: What to do instead; None where it was loaded.
        tensors: As loaded, in the order of the file; values and statistics of as many as one
            answer holds.
        parts: The keys that lead to each dict of tensors, as in the file, the model's first.
        comparison: Where there is a network, and a dict of tensors to put into it.
        stopped_because: At which limit the child was ended.
        elapsed_seconds: What the child took.
    """

    verdict: LoadVerdict
    inspection: Inspection
    why: Sentence
    instead: Sentence | None = None
    tensors: tuple[LoadedTensor, ...] = ()
    parts: tuple[Path, ...] = ()
    comparison: Comparison | None = None
    stopped_because: StoppedBecause | None = None
    elapsed_seconds: float = 0.0

    @property
    def accepted(self) -> bool:
        """True if it was loaded, and agrees with the inspection."""
        return self.verdict is LoadVerdict.LOADED

    @property
    def reason(self) -> str:
        """Why, for a log; the inspection's own words where that refused the file."""
        refused = self.verdict is LoadVerdict.REFUSED
        return self.inspection.reason if refused else self.why.text("en")

    @property
    def advice(self) -> str:
        """The advice in English; empty where it was loaded."""
        return self.instead.text("en") if self.instead else ""


def load(
    data: bytes,
    file_name: str,
    *,
    inspection: Inspection | None = None,
    network: Network | str | None = None,
    part: Path | None = None,
    seed: int = 0,
    on_wait: Callable[[int], None] | None = None,
) -> LoadReport:
    """Inspect a file, load it in the jail, and compare it with a network.

    Args:
        data: The file.
        file_name: What its owner calls it; says nothing about what it is.
        inspection: Of this very file, where it was inspected already.
        network: To put it into: a spec with its inputs, or the JSON of one.
        part: Which dict of the file is put into it, by the keys that lead there; one of the
            report's ``parts``. Left out, it is the model's.
        seed: Of the network's parameters and of its input.
        on_wait: As of ``jail.run``.

    Raises:
        InvalidSpecError: The network cannot be built.
        CheckpointTooLargeError: The network is larger than any file here.
        InvalidSettingError: The file has no such part.
    """
    spec = Network.from_json(network) if isinstance(network, str) else network
    inspection = inspection or inspect(data, file_name)
    if not inspection.accepted:
        return LoadReport(
            verdict=LoadVerdict.REFUSED,
            inspection=inspection,
            why=inspection.why,
            instead=inspection.instead,
        )
    parts = parts_of(inspection)
    if part is not None and part not in parts:
        raise InvalidSettingError(
            "choice", field="part", given=_dotted(part), allowed=", ".join(map(_dotted, parts))
        )
    arguments: JsonObject = {"format": inspection.format.value}
    chosen = parts[0] if part is None and parts else part
    if spec is not None and chosen is not None:
        arguments |= {"network": spec.to_json(), "part": list(chosen), "seed": seed}
    given = ask(TASK, arguments, LoadAnswer, on_wait, data)
    if isinstance(given, Ending):
        return _not_loaded(inspection, given)
    return _judged(inspection, parts, chosen if "network" in arguments else None, *given)


def ask(
    task: str,
    arguments: JsonObject,
    kind: type[T],
    on_wait: Callable[[int], None] | None,
    data: bytes,
    more: bytes = b"",
) -> tuple[T, float] | Ending:
    """Run a task on files that were inspected, and read its answer.

    Args:
        task: As of ``jail.run``, like all others but one.
        kind: The record that the child answers with; it has ``is_loaded``.

    Returns:
        The record and what the child took in seconds, or why there is none. It is still to be
        checked against the inspections.
    """
    try:
        answer = jail.run(task, arguments, data=data, more=more, on_wait=on_wait)
    except SandboxClosedError:
        return ending(LoadVerdict.CLOSED, "closed")
    except SandboxBusyError as error:
        waiting = int(str(error.values.get("waiting", LIMITS.waiting)))
        return ending(LoadVerdict.BUSY, "busy", waiting=waiting)
    if answer.stopped_because is not None:
        return _stopped(answer.stopped_because)
    try:
        found = schema.read(kind, answer.value)
    except ValueError:
        return _stopped(StoppedBecause.NO_RESULT)
    if not found.is_loaded:
        return ending(LoadVerdict.UNREADABLE, "unreadable")
    return found, answer.elapsed_seconds


def _judged(
    inspection: Inspection,
    parts: tuple[Path, ...],
    part: Path | None,
    loaded: LoadAnswer,
    elapsed_seconds: float,
) -> LoadReport:
    """Compare the child's word with what the inspection saw."""
    if loaded.refusal is not None:
        raise _refused(loaded.refusal)
    lines = lines_of(map(described, inspection.tensors))
    if not agrees_with(loaded, inspection, lines, part):
        return _not_loaded(inspection, ending(LoadVerdict.DISAGREES, "disagrees"))
    comparison = loaded.comparison
    if comparison is not None and part is not None:
        comparison = replace(comparison, part=_dotted(part))
    return LoadReport(
        verdict=LoadVerdict.LOADED,
        inspection=inspection,
        why=sentence("load", "loaded"),
        tensors=verified_tensors(loaded, inspection, lines),
        parts=parts,
        comparison=comparison,
        elapsed_seconds=elapsed_seconds,
    )


def _stopped(because: StoppedBecause) -> Ending:
    values = {
        StoppedBecause.CPU: {"seconds": LIMITS.cpu_seconds},
        StoppedBecause.WALL: {"seconds": int(LIMITS.wall_seconds)},
        StoppedBecause.MEMORY: {"mebibytes": MEBIBYTES},
    }
    known = because in values or because in (StoppedBecause.CRASHED, StoppedBecause.RESTARTED)
    key = f"stopped_{because.value}" if known else "stopped"
    found = ending(LoadVerdict.STOPPED, key, **values.get(because, {}))
    return replace(found, stopped_because=because)


def ending(verdict: LoadVerdict, key: str, **values: int) -> Ending:
    """Return an ending with its sentences."""
    return Ending(
        verdict=verdict,
        why=sentence("load", key, values),
        instead=sentence("load_instead", key),
    )


def _not_loaded(inspection: Inspection, found: Ending) -> LoadReport:
    return LoadReport(
        verdict=found.verdict,
        inspection=inspection,
        why=found.why,
        instead=found.instead,
        stopped_because=found.stopped_because,
    )


def _refused(refusal: NetworkRefusal) -> InvalidSpecError | CheckpointTooLargeError:
    values: dict[str, object] = dict(refusal.values)
    if refusal.key == "checkpoint_too_large":
        return CheckpointTooLargeError(refusal.key, **values)
    values.pop("layer", None)  # it is made of the others
    return InvalidSpecError(refusal.key, **values)  # type: ignore[arg-type]


def _dotted(path: Path) -> str:
    return display_text(".".join(map(str, path)))


MAX_PARTS = 50


def parts_of(inspection: Inspection) -> tuple[Path, ...]:
    """Return the path of each dict that holds tensors, the model's first; none of an optimizer.

    Args:
        inspection: Of an accepted file.
    """
    structure = inspection.structure
    if structure is None:
        return ()
    found = list(_dicts(structure.root))[:MAX_PARTS]
    model = structure.model
    if model is not None:
        found = [model, *(path for path in found if path != model)]
    return tuple(found)


def _dicts(node: Node) -> Iterator[Path]:
    if node.kind is Kind.OPTIMIZER:
        return
    is_dict = node.kind in (Kind.DICT, Kind.STATE_DICT, Kind.CHECKPOINT)
    if is_dict and any(child.kind is Kind.TENSOR for child in node.children):
        yield node.path
    for child in node.children:
        yield from _dicts(child)
