"""Compares two inspected files, tensor by tensor. Free of torch.

Names, shapes and data types come from the inspections; only values are compared in the jail, and
what its child says is checked against the inspections.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from typing import TYPE_CHECKING

from playground.checkpoints.inspect.results import Inspection, Path, Tensor, display_path
from playground.checkpoints.keys import compare_keys, extra_prefix
from playground.checkpoints.load import ask, ending
from playground.checkpoints.load_results import (
    DifferenceAnswer,
    Distance,
    Ending,
    LoadVerdict,
)
from playground.checkpoints.verification import described, fingerprint, lines_of

if TYPE_CHECKING:
    from playground.sandbox.schema import JsonObject

TASK = "compare_checkpoints"
NO_DISTANCE = Distance(changed=0, maximum=0.0, mean=0.0, relative=0.0, not_finite=(0, 0))


@unique
class Change(StrEnum):
    """The difference between the tensors of one name; those that matter most come first."""

    NOT_FINITE = "not_finite"  # NaN or infinities in one of them only
    SHAPE = "shape"
    ONLY_FIRST = "only_first"
    ONLY_SECOND = "only_second"
    DTYPE = "dtype"  # their values may differ, too
    CHANGED = "changed"
    UNKNOWN = "unknown"  # the values were not compared
    EQUAL = "equal"


ORDER = {change: place for place, change in enumerate(Change)}


@unique
class Basis(StrEnum):
    """The tensors that were paired."""

    ALL = "all"
    MODELS = "models"  # those of the model, which stands at another place in each file
    PREFIX = "prefix"  # the names of one file begin with a prefix that those of the other lack


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One name, and its tensor in each file.

    Attributes:
        first: None where the first file has none of that name; likewise ``second``.
        is_of_model: Whether it belongs to the model, and not to an optimizer or another part.
        distance: None where their values were not measured, or there was no room to say it.
    """

    first: Tensor | None
    second: Tensor | None
    change: Change
    is_of_model: bool = False
    distance: Distance | None = None

    @property
    def name(self) -> str:
        """The name in the first file that has it, fit to be shown."""
        known = self.first or self.second
        return display_path(known.path) if known else ""

    @property
    def relative(self) -> float:
        """The relative distance between the values, to sort by; infinite from nothing but zeros."""
        found = self.distance
        if found is None or not found.changed:
            return 0.0
        return math.inf if found.relative is None else found.relative


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceReport:
    """Two files beside each other.

    Attributes:
        is_same_file: They have the same bytes; then there is no pair.
        basis: Which tensors were paired.
        prefix: The prefix, where the basis is one.
        pairs: What matters most comes first: by the kind of change, those of the model before
            others, and those that moved furthest; then in the order of the first file.
        ending: Why no values were compared; None where they were.
    """

    is_same_file: bool = False
    basis: Basis = Basis.ALL
    prefix: str = ""
    pairs: tuple[Pair, ...] = ()
    ending: Ending | None = None

    @property
    def counts(self) -> Counter[Change]:
        """The number of pairs of each change."""
        return Counter(each.change for each in self.pairs)

    @property
    def common(self) -> int:
        """The number of names that are in both files."""
        return sum(each.first is not None and each.second is not None for each in self.pairs)


def compare_files(
    first: bytes,
    second: bytes,
    inspections: tuple[Inspection, Inspection],
    *,
    on_wait: Callable[[int], None] | None = None,
) -> DifferenceReport:
    """Compare two files: names, shapes and data types here, values in the jail.

    Args:
        first: A file.
        second: Another one.
        inspections: Of both; both are accepted.
        on_wait: As of ``jail.run``.
    """
    if first == second:
        return DifferenceReport(is_same_file=True)
    paired = pair_tensors(*inspections)
    asked = [each for each in paired.pairs if each.change in (Change.UNKNOWN, Change.DTYPE)]
    if asked:
        paired = _with_values(paired, asked, first, second, inspections, on_wait)
    pairs = sorted(
        paired.pairs, key=lambda each: (ORDER[each.change], not each.is_of_model, -each.relative)
    )
    return replace(paired, pairs=tuple(pairs))


def pair_tensors(first: Inspection, second: Inspection) -> DifferenceReport:
    """Pair the tensors of two files by their names, without their values.

    Where the model stands at another place in each file, as in a checkpoint beside a bare
    ``state_dict``, only the models are paired. Where no name is in both, but would be without a
    prefix such as ``module.``, it is left out.

    Args:
        first: An accepted file.
        second: Another one.

    Returns:
        A report without values; what is not different otherwise is ``UNKNOWN``.
    """
    models = [each.structure.model if each.structure else None for each in (first, second)]
    is_moved = None not in models and models[0] != models[1]
    mine, other = (
        {
            each.path[len(at or ()) if is_moved else 0 :]: each
            for each in found.tensors
            if not is_moved or each.path[: len(at or ())] == at
        }
        for found, at in zip((first, second), models, strict=True)
    )
    basis, prefix = Basis.MODELS if is_moved else Basis.ALL, ""
    if not mine.keys() & other.keys() and (prefix := _prefix(mine, other) or _prefix(other, mine)):
        basis = Basis.PREFIX
        mine, other = (
            {_without(prefix, path): each for path, each in table.items()}
            for table in (mine, other)
        )
    pairs = [_pair(each, other.get(path), models[0]) for path, each in mine.items()]
    pairs += [_pair(None, each, models[1]) for path, each in other.items() if path not in mine]
    return DifferenceReport(basis=basis, prefix=prefix, pairs=tuple(pairs))


def _prefix(mine: dict[Path, Tensor], other: dict[Path, Tensor]) -> str:
    """Return the prefix that all names of ``other`` have, and those of ``mine`` have not."""
    if not all(len(path) == 1 for path in (*mine, *other)):
        return ""
    tables = ({str(path[0]): each.shape for path, each in table.items()} for table in (mine, other))
    found = extra_prefix(compare_keys(*tables))
    return found[0] if found else ""


def _without(prefix: str, path: Path) -> Path:
    (name,) = path
    return (name.removeprefix(prefix) if isinstance(name, str) else name,)


def _pair(first: Tensor | None, second: Tensor | None, model: Path | None) -> Pair:
    if first is None:
        change = Change.ONLY_SECOND
    elif second is None:
        change = Change.ONLY_FIRST
    elif first.shape != second.shape:
        change = Change.SHAPE
    else:
        change = Change.DTYPE if first.dtype != second.dtype else Change.UNKNOWN
    known = first or second
    is_of_model = known is not None and model is not None and known.path[: len(model)] == model
    return Pair(first=first, second=second, change=change, is_of_model=is_of_model)


def _with_values(
    paired: DifferenceReport,
    asked: Sequence[Pair],
    first: bytes,
    second: bytes,
    inspections: tuple[Inspection, Inspection],
    on_wait: Callable[[int], None] | None,
) -> DifferenceReport:
    """Have the values of some pairs compared in the jail."""
    tables = [_Table(each.tensors) for each in inspections]
    arguments: JsonObject = {
        "formats": [each.format.value for each in inspections],
        "first_bytes": len(first),
        "pairs": [
            [tables[0].places[pair.first.path], tables[1].places[pair.second.path]]
            for pair in asked
            if pair.first and pair.second
        ],
    }
    given = ask(TASK, arguments, DifferenceAnswer, on_wait, first, second)
    if isinstance(given, Ending):
        return replace(paired, ending=given)
    answer, _ = given
    if not _agrees(answer, [table.fingerprint for table in tables], asked):
        return replace(paired, ending=ending(LoadVerdict.DISAGREES, "disagrees"))
    places = {id(pair): place for place, pair in enumerate(asked)}
    kinds = dict.fromkeys(answer.equal, Change.EQUAL) | dict.fromkeys(
        answer.changed, Change.CHANGED
    )
    distances = {each.pair: each.distance for each in answer.distances}

    def valued(pair: Pair) -> Pair:
        place = places.get(id(pair), -1)
        kind = kinds.get(place, pair.change)
        found = distances.get(place) or (NO_DISTANCE if kind is Change.EQUAL else None)
        if found and (found.not_finite[0] == 0) != (found.not_finite[1] == 0):
            return replace(pair, change=Change.NOT_FINITE, distance=found)
        return replace(
            pair, change=kind if pair.change is Change.UNKNOWN else pair.change, distance=found
        )

    return replace(paired, pairs=tuple(map(valued, paired.pairs)))


class _Table:
    """The tensors of a file as the child knows them: by their place among the sorted lines."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        lines = lines_of(map(described, tensors))
        order = sorted(range(len(lines)), key=lines.__getitem__)
        self.places = {tensors[index].path: place for place, index in enumerate(order)}
        self.fingerprint = fingerprint(lines[index] for index in order)


def _agrees(answer: DifferenceAnswer, fingerprints: Sequence[str], asked: Sequence[Pair]) -> bool:
    """Return whether the child has compared these very tensors, and what it says can be."""
    if list(answer.fingerprints) != list(fingerprints):
        return False
    compared, known = (*answer.equal, *answer.changed), set(answer.changed)
    measured = [each.pair for each in answer.distances]
    if not (_are_places(compared, len(asked)) and _are_places(measured, len(asked))):
        return False
    for each in answer.distances:
        tensor, found = asked[each.pair].first, each.distance
        if tensor is None or (found.changed > 0) != (each.pair in known):
            return False
        if not 0 <= found.changed <= tensor.numel:
            return False
        if not all(0 <= count <= tensor.numel for count in found.not_finite):
            return False
        if any(size is not None and size < 0 for size in _sizes(found)):
            return False
    return set(measured) <= set(compared)


def _are_places(places: Sequence[int], most: int) -> bool:
    return len(set(places)) == len(places) and all(0 <= each < most for each in places)


def _sizes(found: Distance) -> Iterable[float | None]:
    return found.maximum, found.mean, found.relative
