"""What the child says, held against what the inspection saw; knows no torch."""

from collections.abc import Sequence

from playground.checkpoints.answer import Answer
from playground.checkpoints.fingerprint import Described, Path, fingerprint
from playground.checkpoints.inspect.records import Inspection, Tensor
from playground.checkpoints.inspect.shown import shown
from playground.checkpoints.keys import Fit, Shape
from playground.checkpoints.loaded import Comparison, LoadedTensor, Statistics


def agrees(answer: Answer, inspection: Inspection, lines: Sequence[str], part: Path | None) -> bool:
    """Whether the child has loaded the very names, shapes and dtypes that were inspected.

    Args:
        answer: The child's.
        inspection: Of the same file.
        lines: Of its tensors, as ``fingerprint.lines_of`` writes them.
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


def judged_tensors(
    answer: Answer, inspection: Inspection, lines: Sequence[str]
) -> tuple[LoadedTensor, ...]:
    """All tensors under the inspection's names, in the order of the file.

    The child tells the values of as many as its answer holds; that it has loaded the others, with
    these very shapes and dtypes, is what the fingerprint says.
    """
    known = sorted(lines)
    told = {known[each.place]: each for each in answer.tensors}
    pairs = [(seen, told.get(line)) for seen, line in zip(inspection.tensors, lines, strict=True)]
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
    """What both sides say about a tensor."""
    return tensor.path, tensor.dtype, tensor.shape


def _can_be(statistics: Statistics, numel: int) -> bool:
    counts = statistics.nans, statistics.infinities, statistics.zeros
    return min(counts) >= 0 and sum(counts) <= numel


def _fits(comparison: Comparison, inspection: Inspection, part: Path) -> bool:
    """Whether a comparison is one with this part of the file."""
    shapes = _shapes_at(inspection, part)
    counts = comparison.counts
    in_file = counts.fits + counts.unexpected + counts.size_mismatch + counts.no_tensor
    if in_file != len(shapes) or counts.missing < 0:
        return False
    shapes_by_name = {shown(name): shape for name, shape in shapes.items()}
    return all(
        row.in_file is None
        if row.fit is Fit.MISSING
        else row.name in shapes_by_name and row.in_file == shapes_by_name[row.name]
        for row in comparison.rows
    )


def _shapes_at(inspection: Inspection, part: Path) -> dict[str, Shape | None]:
    shapes = {each.path: each.shape for each in inspection.tensors}
    if inspection.structure is None:
        return {}
    children = inspection.structure.root.children
    for step in part:
        children = next((each.children for each in children if each.path[-1] == step), ())
    return {str(each.path[-1]): shapes.get(each.path) for each in children}
