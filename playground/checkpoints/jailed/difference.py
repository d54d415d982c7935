"""The task of the child that loads two inspected files and measures how their tensors differ."""

import io
import math
import time
import warnings
from collections.abc import Sequence
from typing import Any, BinaryIO

import torch
from torch import Tensor

from playground.checkpoints import save
from playground.checkpoints.jailed.comparison import raise_if_memory
from playground.checkpoints.jailed.json_values import chunks, distance, take_within, unequal
from playground.checkpoints.jailed.task import READERS, described, walk
from playground.checkpoints.load_results import DifferenceAnswer, TensorDistance
from playground.checkpoints.verification import fingerprint, lines_of
from playground.errors import attempt
from playground.sandbox import schema
from playground.sandbox.limits import LIMITS, Limits
from playground.sandbox.schema import JsonObject

MAX_DISTANCES_BYTES = 100_000  # bytes of JSON for all of them
TIME_SHARE = 0.5  # of the run's computing time, loading included


def compare_checkpoints(arguments: JsonObject, data: BinaryIO, limits: Limits) -> JsonObject:
    """Load two files and compare the values of pairs of their tensors.

    Args:
        arguments: ``formats`` of both files; ``first_bytes``, where the second begins;
            ``pairs``: the places of two tensors of one shape, each among the sorted lines
            (``verification.lines_of``) of its file.
        data: The first file, and then the second.
        limits: Of this run.
    """
    asked: Any = arguments
    until = time.process_time() + TIME_SHARE * limits.cpu_seconds
    files = io.BytesIO(data.read(asked["first_bytes"])), data
    tables: list[list[tuple[str, Tensor]]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, file in zip(asked["formats"], files, strict=True):
            table = _table(kind, file)
            if table is None:  # the loader's message is left out
                return _written(DifferenceAnswer(is_loaded=False))
            tables.append(table)
        return _written(_answer(tables, asked["pairs"], until))


def warm_up() -> None:
    """Run everything that a job runs once, since a child cannot import."""
    first = save.save_torch({"w": torch.ones(2)}).data or b""
    second = save.save_safetensors({"w": torch.ones(2, dtype=torch.float16) / 3}).data or b""
    asked: JsonObject = {
        "formats": ["torch", "safetensors"],
        "first_bytes": len(first),
        "pairs": [[0, 0]],
    }
    compare_checkpoints(asked, io.BytesIO(first + second), LIMITS)


def _table(kind: str, file: BinaryIO) -> list[tuple[str, Tensor]] | None:
    """Load a file; return the line of each tensor with it, sorted, or None if it is refused."""
    given = io.BytesIO(file.read())
    loaded, outcome = attempt(lambda: READERS[kind](given))
    raise_if_memory(outcome)
    if not outcome.ok:
        return None
    tensors = list(walk(loaded))
    lines = lines_of(described(path, each) for path, each in tensors)
    pairs = ((line, each.detach()) for line, (_, each) in zip(lines, tensors, strict=True))
    return sorted(pairs, key=lambda pair: pair[0])


def _answer(
    tables: Sequence[Sequence[tuple[str, Tensor]]],
    pairs: Sequence[Sequence[int]],
    until: float,
) -> DifferenceAnswer:
    equal: list[int] = []
    changed: list[int] = []
    found: list[TensorDistance] = []
    for number, places in enumerate(pairs):
        if time.process_time() >= until:
            break
        first, second = (table[place][1] for table, place in zip(tables, places, strict=True))
        if _are_equal(first, second):
            equal.append(number)
            continue
        each = TensorDistance(pair=number, distance=distance(first, second))
        found.append(each)
        (changed if each.distance.changed else equal).append(number)
    found.sort(key=_weight, reverse=True)
    return DifferenceAnswer(
        is_loaded=True,
        fingerprints=tuple(fingerprint(line for line, _ in table) for table in tables),
        equal=tuple(equal),
        changed=tuple(changed),
        distances=tuple(take_within(MAX_DISTANCES_BYTES, found)),
    )


def _are_equal(first: Tensor, second: Tensor) -> bool:
    """Return whether all elements are finite and equal."""
    return not any(
        bool(unequal(mine, other).any()) or not bool(mine.isfinite().all())
        for mine, other in zip(chunks(first), chunks(second), strict=True)
    )


def _weight(each: TensorDistance) -> tuple[bool, float]:
    """Return what a pair is sorted by: NaN or infinities, then how far it has moved."""
    found = each.distance
    far = found.relative if found.relative is not None else math.inf
    return any(found.not_finite), far if found.changed else 0.0


def _written(answer: DifferenceAnswer) -> JsonObject:
    plain: JsonObject = schema.write(answer)
    return plain
