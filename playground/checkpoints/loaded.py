"""What came of loading a file: plain records, which are also what the child's JSON must be."""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TypeAlias

from playground.checkpoints.inspect.shown import dotted
from playground.checkpoints.keys import KeyCounts, KeyRow, Shape
from playground.compute.outcome import Outcome

Number: TypeAlias = int | float
Element: TypeAlias = bool | int | float | str  # a text for "nan", "inf", "-inf" and complex numbers


@unique
class LoadVerdict(StrEnum):
    """How loading a file ended."""

    LOADED = "loaded"
    REFUSED = "refused"  # by the inspection, so nothing was loaded
    UNREADABLE = "unreadable"  # the inspection accepted it, torch or safetensors did not
    DISAGREES = "disagrees"  # what was loaded is not what the inspection saw
    STOPPED = "stopped"  # the child was ended at one of its limits, or crashed
    CLOSED = "closed"  # the jail does not hold on this computer
    BUSY = "busy"  # too many wait for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """What is in a tensor, all of it.

    Attributes:
        nans: How many elements are NaN.
        infinities: How many are infinite.
        zeros: How many are zero.
        minimum: Of the finite elements; None where there are none, and for complex numbers.
        maximum: Likewise.
        mean: Likewise.
        std: Likewise, corrected as ``Tensor.std()`` does; None for fewer than two.
    """

    nans: int
    infinities: int
    zeros: int
    minimum: Number | None
    maximum: Number | None
    mean: float | None
    std: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedTensor:
    """One tensor as the loader made it.

    Attributes:
        path: The keys and places that lead to it, as in the inspection.
        dtype: As torch writes it, e.g. ``"float32"``.
        bytes: Of its elements, each counted though several may share a storage.
        values: Its first elements in row-major order; what JSON has no number for is a text.
            Empty for the tensors of a very large file that there was no room for.
        statistics: None for those that there was no room or no time for.
    """

    path: tuple[str | int, ...]
    dtype: str
    shape: Shape
    bytes: int
    values: tuple[Element, ...]
    statistics: Statistics | None

    @property
    def name(self) -> str:
        """The inspection's name for it."""
        return dotted(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a network answered to the seeded input.

    Attributes:
        outcome: Torch's refusal, where the input does not go through.
        shape: Of the output; of several the first.
        values: Its first elements.
    """

    outcome: Outcome
    shape: Shape = ()
    values: tuple[Element, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One ``load_state_dict`` into the freshly built network.

    Attributes:
        outcome: Torch's own message, which names keys and shapes.
        loaded: How many of the network's tensors now hold the file's values.
        output: To the same input as before.
    """

    outcome: Outcome
    loaded: int
    output: Output


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A file beside a network, and the file loaded into it.

    Attributes:
        part: Which dict of the file was taken, e.g. ``"model"``; empty for the file itself.
        counts: Of all rows.
        rows: What does not fit first, in the network's order; the first few hundred.
        before: The network's output before anything was loaded.
        strict: ``load_state_dict(part)``.
        lenient: ``load_state_dict(part, strict=False)``, into another copy of the network.
    """

    part: str
    counts: KeyCounts
    rows: tuple[KeyRow, ...]
    before: Output
    strict: Attempt
    lenient: Attempt
