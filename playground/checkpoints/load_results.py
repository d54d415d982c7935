"""Results of loading a checkpoint: plain records.

``LoadAnswer`` is what the jail's child sends as JSON; the others are shown.
"""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TypeAlias

from playground.checkpoints.inspect.verdicts import display_path
from playground.checkpoints.keys import KeyCounts, KeyRow, Shape
from playground.compute.outcome import Outcome

HISTOGRAM_BINS = 20
Number: TypeAlias = int | float
Element: TypeAlias = bool | int | float | str  # a text for "nan", "inf", "-inf" and complex numbers


@unique
class LoadVerdict(StrEnum):
    """The outcome of loading a file."""

    LOADED = "loaded"
    REFUSED = "refused"  # by the inspection, so nothing was loaded
    UNREADABLE = "unreadable"  # the inspection accepted it, torch or safetensors did not
    DISAGREES = "disagrees"  # what was loaded is not what the inspection saw
    STOPPED = "stopped"  # the child was ended at one of its limits, or crashed
    CLOSED = "closed"  # the jail does not hold on this computer
    BUSY = "busy"  # too many wait for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Statistics over all elements of a tensor.

    Attributes:
        nans: How many elements are NaN.
        infinities: How many are infinite.
        zeros: How many are zero.
        minimum: Of the finite elements; None where there are none, and for complex numbers.
        maximum: Likewise.
        mean: Likewise.
        std: Likewise, corrected as ``Tensor.std()`` does; None for fewer than two.
        histogram: The number of finite elements in each of ``HISTOGRAM_BINS`` equal intervals
            from the minimum to the maximum; empty where these are equal or missing.
    """

    nans: int
    infinities: int
    zeros: int
    minimum: Number | None
    maximum: Number | None
    mean: float | None
    std: float | None
    histogram: tuple[int, ...] = ()


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
        return display_path(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """The output of a network for the seeded input.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorAnswer:
    """One tensor.

    Attributes:
        place: Index of its line (``verification.lines_of``) among the sorted lines of all tensors.
        values: Its first elements.
        statistics: None where there was no time.
    """

    place: int
    dtype: str
    shape: Shape
    values: tuple[Element, ...]
    statistics: Statistics | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkRefusal:
    """The reason that no network could be built: key and values of a ``PlaygroundError``."""

    key: str
    values: tuple[tuple[str, str | int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadAnswer:
    """The answer of the child about a file.

    Attributes:
        is_loaded: False where the loader refused it; the reason is left out.
        fingerprint: Of all tensors that were loaded.
        tensors: The first of them, as many as fit into an answer.
        refusal: Where the network cannot be built.
        comparison: Where there is a network.
    """

    is_loaded: bool
    fingerprint: str = ""
    tensors: tuple[TensorAnswer, ...] = ()
    refusal: NetworkRefusal | None = None
    comparison: Comparison | None = None
