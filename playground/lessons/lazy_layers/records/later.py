"""After the first batch: another width; and what the first batch decides of every lazy layer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings, check_bounds
from playground.errors import InvalidSettingError
from playground.explained import Quiet, Table, Told
from playground.lessons.lazy_layers.records.answers import Shape
from playground.lessons.lazy_layers.records.choices import Meeting

LAYER_NAME = re.compile(r"Lazy[A-Za-z0-9]{1,24}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedAgainReport(Quiet):
    """A second width.

    Attributes:
        shape: Of the weight, after the first width.
        printed_layer: The layer after the first width, as Python shows it.
    """

    meeting: Meeting
    width: int
    second: int
    shape: Shape
    printed_layer: str
    output_shape: Shape | None

    @property
    def printed(self) -> str:
        """The shape of the result."""
        return "" if self.output_shape is None else f"Y.shape == {self.output_shape}"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"layer_now": self.printed_layer, "shape_after": str(self.shape)}

    @property
    def mentions(self) -> Told:
        """The facts, and the widths."""
        return {**self.told, "width": self.width, "second": self.second}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.outcome.ok:
            return "same-width"
        return "decided-once" if self.meeting is Meeting.SECOND_BATCH else "decided-on-the-way"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedAgain(Settings[FeedAgainReport]):
    """Send a second width into a layer that has its shape."""

    BOUNDS: ClassVar[Bounds] = {
        "width": {"least": 1, "most": 256},
        "second": {"least": 1, "most": 256},
        "rows": {"least": 1, "most": 64},
    }

    meeting: Meeting = Meeting.SECOND_BATCH
    width: int = 20
    second: int = 21
    rows: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedTensor:
    """A parameter or buffer.

    Attributes:
        was_waiting: It had no shape before.
        shape: None where it still has none.
        decided: The places in its shape that grow with the batch.
    """

    name: str
    was_waiting: bool
    shape: Shape | None
    decided: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyKind:
    """A lazy layer, and what a batch made of it.

    Attributes:
        name: Its class; ``becomes`` is the class in the end.
        call: How it was made.
        attribute: What it found out, e.g. ``"in_features"``; empty where nothing.
        value: The value of that.
        batch: The shape of the batch.
        dimension: Which size of the batch decided, counted from 0; None where none did.
    """

    name: str
    becomes: str
    call: str
    attribute: str
    value: int
    batch: Shape
    dimension: int | None
    tensors: tuple[DecidedTensor, ...]

    @property
    def shaped(self) -> str:
        """What got its shape from the batch; of the first it is told."""
        waited = [each for each in self.tensors if each.was_waiting]
        first = [f"{each.name} {each.shape}" for each in waited[:1]]
        return ", ".join(first + [each.name for each in waited[1:]]) or "—"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedLazyLayerReport(Quiet):
    """One lazy layer and its first batch; beside it, all of them."""

    kind: LazyKind
    every: tuple[LazyKind, ...]

    @property
    def answers(self) -> tuple[str, ...]:
        """What may come of the batch."""
        return ("works", "RuntimeError", "ValueError", "other")

    @property
    def is_shaped(self) -> bool:
        """It has its shape now, whether the forward succeeded or not."""
        return bool(self.kind.value)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "call": self.kind.call,
            "becomes": self.kind.becomes,
            "attribute": f"{self.kind.attribute} = {self.kind.value}" if self.is_shaped else None,
        }

    @property
    def mentions(self) -> Told:
        """What was decided, by which size."""
        waited = [each.name for each in self.kind.tensors if each.was_waiting]
        return {
            **self.told,
            "name": self.kind.name,
            "batch": str(self.kind.batch),
            "value": self.kind.value,
            "field": self.kind.attribute,
            "dimension": self.kind.dimension,
            "waited": ", ".join(waited) or "—",
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "failed-but-shaped" if self.is_shaped else "wrong-dimensions"
        if any(each.was_waiting for each in self.kind.tensors):
            return "decides-shapes"
        return "decides-a-number"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """Every lazy layer, and what its first batch decided."""
        del words
        rows = tuple(
            (each.name, str(each.batch), f"{each.attribute} = {each.value}", each.shaped)
            for each in self.every
        )
        return ((("layer", "batch_shape", "finds", "gets_shape"), rows),)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedLazyLayer(Settings[FeedLazyLayerReport]):
    """Send a first batch of some dimensions into a lazy layer of torch.nn."""

    BOUNDS: ClassVar[Bounds] = {"dimensions": {"least": 1, "most": 5}}
    SIZES: ClassVar[Shape] = (2, 3, 5, 6, 7)

    layer: str = "LazyConv2d"
    dimensions: int = 4

    def __post_init__(self) -> None:
        """Refuse what is no name of such a layer, or out of range."""
        self.check_types()
        if not isinstance(self.layer, str) or not LAYER_NAME.fullmatch(self.layer):
            raise InvalidSettingError("choice", field="layer", given=self.layer, allowed="Lazy…")
        check_bounds(self)

    @property
    def batch(self) -> Shape:
        """The shape of the batch."""
        return self.SIZES[: self.dimensions]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLazyLayersReport:
    """The names of all lazy layers of torch.nn."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLazyLayers(Settings[ListLazyLayersReport]):
    """List the lazy layers of torch.nn."""
