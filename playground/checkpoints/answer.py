"""What the child answers, as records that both sides share; its JSON is exactly this."""

from dataclasses import dataclass

from playground.checkpoints.keys import Shape
from playground.checkpoints.loaded import Comparison, Element, Statistics


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorAnswer:
    """One tensor.

    Attributes:
        place: Of its ``fingerprint.line`` among those of all tensors, sorted.
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
    """Why no network could be built: key and values of a ``PlaygroundError``."""

    key: str
    values: tuple[tuple[str, str | int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the child says about a file.

    Attributes:
        is_loaded: False where the loader refused it; why is not told.
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
