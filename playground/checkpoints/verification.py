"""Checks that the jail's child loaded exactly what was inspected.

The child sends a fingerprint of the paths, dtypes and shapes of all its tensors; it must equal the
fingerprint of the inspected ones. Free of torch.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from playground.checkpoints.inspect.results import (
    ITEM_BYTES,
    Inspection,
    Path,
    Tensor,
    display_text,
)
from playground.checkpoints.keys import Fit, Shape
from playground.checkpoints.load_results import (
    HISTOGRAM_BINS,
    Cast,
    Comparison,
    LoadAnswer,
    LoadedTensor,
    Statistics,
)

Described: TypeAlias = tuple[Path, str, tuple[int, ...]]  # where, dtype, shape


def lines_of(tensors: Iterable[Described]) -> list[str]:
    """Hash the path, dtype and shape of each tensor into 64 characters, for keys of any length.

    Each key is hashed once, and what leads to a dict is, not once for each tensor in it.

    >>> [len(line) for line in lines_of([((), "int8", ()), (("k" * 200, 0), "int8", ())])]
    [64, 64]
    """
    keys: dict[str, str] = {}
    digests: dict[Path, bytes] = {(): bytes(32)}

    def step_of(path: Path) -> str:
        if not path:
            return "whole"
        key = path[-1]
        if isinstance(key, int):
            return str(key)
        if key not in keys:
            keys[key] = "k" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        return keys[key]

    def digest_of(path: Path) -> bytes:
        if path not in digests:
            before = digest_of(path[:-1])
            digests[path] = hashlib.sha256(before + step_of(path).encode("ascii")).digest()
        return digests[path]

    return [
        hashlib.sha256(
            digest_of(path[:-1]) + f"{step_of(path)} {dtype} {shape}".encode("ascii")
        ).hexdigest()
        for path, dtype, shape in tensors
    ]


def fingerprint(lines: Iterable[str]) -> str:
    """Hash a whole table; any difference in a key, a dtype or a size changes it.

    Args:
        lines: Of all its tensors, sorted: then their order in the file does not matter.
    """
    return hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()


def agrees_with(
    answer: LoadAnswer, inspection: Inspection, lines: Sequence[str], part: Path | None
) -> bool:
    """Return whether the child loaded exactly the inspected names, shapes and dtypes.

    Args:
        answer: The child's.
        inspection: Of the same file.
        lines: Of its tensors, as ``lines_of`` writes them.
        part: Which dict of it was put into a network; None where none was.
    """
    known = sorted(zip(lines, inspection.tensors, strict=True), key=lambda pair: pair[0])
    if answer.fingerprint != fingerprint(line for line, _ in known):
        return False
    places = [each.place for each in answer.tensors]
    if len(set(places)) != len(places) or not all(0 <= each < len(known) for each in places):
        return False
    for each in answer.tensors:
        _, seen = known[each.place]
        if (each.dtype, each.shape) != (seen.dtype, seen.shape):
            return False
        if each.statistics is not None and not _can_be(each.statistics, seen.numel):
            return False
    if (answer.comparison is None) != (part is None):
        return False
    return answer.comparison is None or _fits(answer.comparison, inspection, part or ())


def verified_tensors(
    answer: LoadAnswer, inspection: Inspection, lines: Sequence[str]
) -> tuple[LoadedTensor, ...]:
    """Return all tensors under the inspection's names, in the order of the file.

    The child sends the values of as many as its answer holds; that it has loaded the others, with
    these very shapes and dtypes, is what the fingerprint says.
    """
    known = sorted(lines)
    answered = {known[each.place]: each for each in answer.tensors}
    pairs = [
        (seen, answered.get(line)) for seen, line in zip(inspection.tensors, lines, strict=True)
    ]
    return tuple(
        LoadedTensor(
            path=seen.path,
            dtype=seen.dtype,
            shape=seen.shape,
            bytes=seen.bytes,
            values=each.values if each else (),
            statistics=each.statistics if each else None,
        )
        for seen, each in pairs
    )


def described(tensor: Tensor) -> Described:
    """Return the description of a tensor that both sides hash."""
    return tensor.path, tensor.dtype, tensor.shape


def _can_be(statistics: Statistics, numel: int) -> bool:
    counts = statistics.nans, statistics.infinities, statistics.zeros
    bars = statistics.histogram
    return (
        min(*counts, *bars) >= 0
        and sum(counts) <= numel
        and sum(bars) <= numel
        and len(bars) in (0, HISTOGRAM_BINS)
    )


def _fits(comparison: Comparison, inspection: Inspection, part: Path) -> bool:
    """Return whether a comparison is one with this part of the file."""
    shapes = _shapes_at(inspection, part)
    counts = comparison.counts
    in_file = counts.fits + counts.unexpected + counts.size_mismatch + counts.no_tensor
    if in_file != len(shapes) or counts.missing < 0:
        return False
    if not _can_be_casts(comparison.casts, inspection, counts.fits):
        return False
    shapes_by_name = {display_text(name): shape for name, shape in shapes.items()}
    return all(
        row.in_file is None
        if row.fit is Fit.MISSING
        else row.name in shapes_by_name and row.in_file == shapes_by_name[row.name]
        for row in comparison.rows
    )


def _can_be_casts(casts: Sequence[Cast], inspection: Inspection, most: int) -> bool:
    """Return whether a load of this file can have converted that."""
    numbers = Counter[str]()
    for each in inspection.tensors:
        numbers[each.dtype] += each.numel
    return sum(each.tensors for each in casts) <= most and all(
        each.network_dtype in ITEM_BYTES
        and each.file_dtype in numbers
        and each.tensors > 0
        and 0 <= each.infinite <= each.rounded <= each.numbers <= numbers[each.file_dtype]
        and each.largest_error >= 0
        for each in casts
    )


def _shapes_at(inspection: Inspection, part: Path) -> dict[str, Shape | None]:
    shapes = {each.path: each.shape for each in inspection.tensors}
    if inspection.structure is None:
        return {}
    children = inspection.structure.root.children
    for step in part:
        children = next((each.children for each in children if each.path[-1] == step), ())
    return {str(each.path[-1]): shapes.get(each.path) for each in children}
