"""Compares two tables of names and shapes, as ``load_state_dict`` does. Free of torch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TypeAlias

Shape: TypeAlias = tuple[int, ...]
Shapes: TypeAlias = Mapping[str, Shape | None]
COUNTER = "num_batches_tracked"  # of a BatchNorm


@unique
class Fit(StrEnum):
    """The result for one name when a state is loaded into a network."""

    FITS = "fits"
    MISSING = "missing"  # the network has it, the file does not
    UNEXPECTED = "unexpected"  # the file has it, the network does not
    SIZE_MISMATCH = "size_mismatch"
    NO_TENSOR = "no_tensor"  # what the file holds there is no tensor, or one without a shape


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One name, with both shapes.

    Attributes:
        in_network: None where the network has no such name, or a lazy layer no shape yet.
        in_file: None where the file has no such name, or no tensor there.
    """

    name: str
    fit: Fit
    in_network: Shape | None = None
    in_file: Shape | None = None


@dataclass(frozen=True, slots=True)
class KeyCounts:
    """The number of names of each fit."""

    fits: int = 0
    missing: int = 0
    unexpected: int = 0
    size_mismatch: int = 0
    no_tensor: int = 0

    @property
    def all_fit(self) -> bool:
        """True if a strict load would be accepted."""
        return not (self.missing or self.unexpected or self.size_mismatch or self.no_tensor)


def compare_keys(network: Shapes, file: Shapes) -> tuple[KeyRow, ...]:
    """Compare names and shapes as ``load_state_dict`` does.

    Torch knows one exception more: where a file carries no version of a BatchNorm, it does not
    mind that ``num_batches_tracked`` is missing. The table lists it as missing;
    ``tolerated_missing`` finds it.

    Args:
        network: By name, in the order of ``state_dict()``; None for a lazy layer's parameter.
        file: By name, in the file's order; None for what is no tensor.

    Returns:
        The network's names in its order, then those that only the file has.

    >>> rows = compare_keys({"weight": (1, 2), "bias": (1,)}, {"weight": (1, 3), "scale": (2,)})
    >>> [(row.name, row.fit.value) for row in rows]
    [('weight', 'size_mismatch'), ('bias', 'missing'), ('scale', 'unexpected')]
    """
    rows = [
        KeyRow(name, _fit(shape, file[name]), shape, file[name])
        if name in file
        else KeyRow(name, Fit.MISSING, shape)
        for name, shape in network.items()
    ]
    rows += [
        KeyRow(name, Fit.UNEXPECTED, None, shape)
        for name, shape in file.items()
        if name not in network
    ]
    return tuple(rows)


def count_keys(rows: Iterable[KeyRow]) -> KeyCounts:
    """Count the rows of each fit.

    >>> count_keys(compare_keys({"bias": (1,)}, {"bias": (1,)}))
    KeyCounts(fits=1, missing=0, unexpected=0, size_mismatch=0, no_tensor=0)
    """
    fits = [row.fit for row in rows]
    return KeyCounts(**{fit.value: fits.count(fit) for fit in Fit})


def extra_prefix(rows: Iterable[KeyRow]) -> tuple[str, int] | None:
    """Find the prefix that keeps the file's names from fitting, as ``module.`` does.

    ``nn.DataParallel`` and ``torch.compile`` wrap a network, and its names then begin with that.

    Returns:
        The prefix with its dot, and how many names fit without it; None where there is no such.

    >>> extra_prefix(compare_keys({"bias": (1,)}, {"module.bias": (1,)}))
    ('module.', 1)
    """
    rows = tuple(rows)
    extra = {row.name: row.in_file for row in rows if row.fit is Fit.UNEXPECTED}
    first, *others = {name.partition(".")[0] for name in extra} or {""}
    if others or not (first.isascii() and first.isidentifier()):
        return None
    prefix = f"{first}."
    missing = {row.name: row.in_network for row in rows if row.fit is Fit.MISSING}
    names = ((name.removeprefix(prefix), shape) for name, shape in extra.items())
    fits = sum(name in missing and missing[name] in (None, shape) for name, shape in names)
    return (prefix, fits) if fits else None


def tolerated_missing(rows: Iterable[KeyRow], strictly: str) -> tuple[str, ...]:
    """Return the missing names that torch tolerates, see ``compare_keys``.

    Args:
        rows: The comparison.
        strictly: What torch said to a strict load; a message that was cut gives nothing.

    >>> rows = compare_keys({"weight": (1,), "num_batches_tracked": ()}, {})
    >>> tolerated_missing(rows, 'Missing key(s) in state_dict: "weight".')
    ('num_batches_tracked',)
    """
    if strictly.endswith("…"):
        return ()
    missing = [row.name for row in rows if row.fit is Fit.MISSING]
    counters = [name for name in missing if name.rpartition(".")[2] == COUNTER]
    return tuple(name for name in counters if f'"{name}"' not in strictly)


def _fit(in_network: Shape | None, in_file: Shape | None) -> Fit:
    if in_file is None:
        return Fit.NO_TENSOR
    if in_network in (None, in_file):
        return Fit.FITS  # a lazy layer takes the file's shape
    if in_network == () and in_file == (1,):
        return Fit.FITS  # files before torch 0.4 had no tensors without dimensions
    return Fit.SIZE_MISMATCH
