"""Loads a file in the jail once it has been inspected; knows no torch, and believes nobody.

``load`` never shows what a loader says: its texts advise to switch its safety off.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from playground.checkpoints.answer import Answer, NetworkRefusal
from playground.checkpoints.fingerprint import Path, lines_of
from playground.checkpoints.inspect import Inspection, inspect
from playground.checkpoints.inspect.sentences import Sentence, sentence
from playground.checkpoints.inspect.shown import shown
from playground.checkpoints.judging import agrees, described, judged_tensors
from playground.checkpoints.loaded import Comparison, LoadedTensor, LoadVerdict
from playground.checkpoints.parts import parts_of
from playground.errors import (
    CheckpointTooLargeError,
    InvalidSettingError,
    InvalidSpecError,
    SandboxBusyError,
    SandboxClosedError,
)
from playground.modules.spec import Network
from playground.sandbox import jail, schema
from playground.sandbox.jail import JailAnswer, JsonObject, StoppedBecause
from playground.sandbox.limits import LIMITS

TASK = "load_checkpoint"
MEBIBYTES = LIMITS.memory_bytes // 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """What came of loading a file.

    Attributes:
        verdict: How it ended.
        inspection: What was found before; also where nothing was loaded.
        why: The sentence why.
        instead: What to do instead; None where it was loaded.
        tensors: As loaded, in the order of the file; values and statistics of as many as one
            answer holds.
        parts: The keys that lead to each dict of tensors, as in the file, the model's first;
            ``part_names`` are fit to be shown.
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
        """Whether it was loaded, and is what the inspection saw."""
        return self.verdict is LoadVerdict.LOADED

    @property
    def part_names(self) -> tuple[str, ...]:
        """The parts with dots; empty for the file itself."""
        return tuple(map(_dotted, self.parts))

    @property
    def reason(self) -> str:
        """Why, for a log; the inspection's own words where that refused the file."""
        refused = self.verdict is LoadVerdict.REFUSED
        return self.inspection.reason if refused else self.why.text("en")

    @property
    def advice(self) -> str:
        """What to do instead, in English; empty where it was loaded."""
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
    try:
        answer = jail.run(TASK, arguments, data=data, on_wait=on_wait)
    except SandboxClosedError:
        return _ended(inspection, LoadVerdict.CLOSED, "closed")
    except SandboxBusyError as error:
        waiting = int(str(error.values.get("waiting", LIMITS.waiting)))
        return _ended(inspection, LoadVerdict.BUSY, "busy", waiting=waiting)
    return _judged(inspection, parts, chosen if "network" in arguments else None, answer)


def _judged(
    inspection: Inspection, parts: tuple[Path, ...], part: Path | None, answer: JailAnswer
) -> LoadReport:
    """Compare the child's word with what the inspection saw."""
    stopped = answer.stopped_because
    if stopped is not None:
        return _stopped(inspection, stopped)
    try:
        told = schema.read(Answer, answer.value)
    except ValueError:
        return _stopped(inspection, StoppedBecause.NO_RESULT)
    if not told.is_loaded:
        return _ended(inspection, LoadVerdict.UNREADABLE, "unreadable")
    if told.refusal is not None:
        raise _refused(told.refusal)
    lines = lines_of(map(described, inspection.tensors))
    if not agrees(told, inspection, lines, part):
        return _ended(inspection, LoadVerdict.DISAGREES, "disagrees")
    comparison = told.comparison
    if comparison is not None and part is not None:
        comparison = replace(comparison, part=_dotted(part))
    return LoadReport(
        verdict=LoadVerdict.LOADED,
        inspection=inspection,
        why=sentence("load", "loaded"),
        tensors=judged_tensors(told, inspection, lines),
        parts=parts,
        comparison=comparison,
        elapsed_seconds=answer.elapsed_seconds,
    )


def _stopped(inspection: Inspection, because: StoppedBecause) -> LoadReport:
    values = {
        StoppedBecause.CPU: {"seconds": LIMITS.cpu_seconds},
        StoppedBecause.WALL: {"seconds": int(LIMITS.wall_seconds)},
        StoppedBecause.MEMORY: {"mebibytes": MEBIBYTES},
    }
    known = because in values or because in (StoppedBecause.CRASHED, StoppedBecause.RESTARTED)
    key = f"stopped_{because.value}" if known else "stopped"
    return replace(
        _ended(inspection, LoadVerdict.STOPPED, key, **values.get(because, {})),
        stopped_because=because,
    )


def _ended(inspection: Inspection, verdict: LoadVerdict, key: str, **values: int) -> LoadReport:
    return LoadReport(
        verdict=verdict,
        inspection=inspection,
        why=sentence("load", key, values),
        instead=sentence("load_instead", key),
    )


def _refused(refusal: NetworkRefusal) -> InvalidSpecError | CheckpointTooLargeError:
    values: dict[str, object] = dict(refusal.values)
    if refusal.key == "checkpoint_too_large":
        return CheckpointTooLargeError(refusal.key, **values)
    values.pop("layer", None)  # it is made of the others
    return InvalidSpecError(refusal.key, **values)  # type: ignore[arg-type]


def _dotted(path: Path) -> str:
    return shown(".".join(map(str, path)))
