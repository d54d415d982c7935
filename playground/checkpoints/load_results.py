"""Results of loading a checkpoint: plain records.

``LoadAnswer`` is what the jail's child sends as JSON; the others are shown.
"""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TypeAlias

from playground.checkpoints.inspect.results import ITEM_BYTES, Sentence, display_path
from playground.checkpoints.keys import KeyCounts, KeyRow, Shape
from playground.errors import Outcome
from playground.sandbox.jail.answer import StoppedBecause

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
class Ending:
    """The reason that the jail gave no answer that can be shown.

    Attributes:
        why: The sentence why.
        instead: What to do instead.
        stopped_because: At which limit the child was ended.
    """

    verdict: LoadVerdict
    why: Sentence
    instead: Sentence
    stopped_because: StoppedBecause | None = None


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
class Distance:
    """The difference of two tensors of one shape, measured in float64.

    Attributes:
        changed: How many elements are not equal; NaN equals NaN here.
        maximum: The largest ``|second - first|`` of the elements that are finite in both; None
            where there are none, or where it is too large for a number.
        mean: Their mean.
        relative: The Euclidean norm of ``second - first`` over that of ``first``, of the same
            elements; None also where all of ``first`` is zero.
        not_finite: How many elements are NaN or infinite, in the first and in the second.
    """

    changed: int
    maximum: float | None
    mean: float | None
    relative: float | None
    not_finite: tuple[int, int]


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


@dataclass(frozen=True, slots=True)
class Cast:
    """The tensors that a load converts from one data type to another, as ``copy_`` does.

    Attributes:
        file_dtype: As torch writes it, e.g. ``"float16"``.
        network_dtype: Of the network's own tensors, which take the numbers.
        tensors: How many.
        numbers: How many elements they have.
        rounded: Elements whose value is another one afterwards.
        infinite: Those of them that became infinite.
        largest_error: The largest distance between a value before and after, where both are
            finite; in float64.
    """

    file_dtype: str
    network_dtype: str
    tensors: int = 0
    numbers: int = 0
    rounded: int = 0
    infinite: int = 0
    largest_error: float = 0.0

    @property
    def file_bytes(self) -> int:
        return self.numbers * ITEM_BYTES[self.file_dtype]

    @property
    def network_bytes(self) -> int:
        return self.numbers * ITEM_BYTES[self.network_dtype]


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
        casts: What that converted.
    """

    part: str
    counts: KeyCounts
    rows: tuple[KeyRow, ...]
    before: Output
    strict: Attempt
    lenient: Attempt
    casts: tuple[Cast, ...] = ()


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorDistance:
    """The difference of one pair of tensors, by its number in the order of the request."""

    pair: int
    distance: Distance


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceAnswer:
    """The answer of the child about two files.

    Attributes:
        is_loaded: False where a loader refused one of them; the reason is left out.
        fingerprints: Of all tensors of each file.
        equal: The pairs whose values are equal; of pairs in neither list nothing is known.
        changed: The other pairs.
        distances: Of those that are not equal, or hold NaN; as many as fit into an answer.
    """

    is_loaded: bool
    fingerprints: tuple[str, ...] = ()
    equal: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    distances: tuple[TensorDistance, ...] = ()
