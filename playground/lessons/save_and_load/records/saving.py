"""Tensors to a file and back: one, a list, a dict; and one tensor that is saved twice."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.settings import Settings, check_within
from playground.explained import Explained, Table, Told
from playground.units import format_bytes


@unique
class Thing(StrEnum):
    """What is saved. ``x`` is ``torch.arange(length)``, ``y`` as many zeros."""

    TENSOR = "tensor"
    LIST = "list"
    DICT = "dict"
    TWICE = "twice"

    @property
    def written(self) -> str:
        """How a program writes it."""
        return WRITTEN[self][0]

    @property
    def unpacked(self) -> str:
        """What a program calls it when it comes back."""
        return WRITTEN[self][1]

    @property
    def file_name(self) -> str:
        """The file's."""
        return WRITTEN[self][2]


WRITTEN = {
    Thing.TENSOR: ("x", "x2", "x-file"),
    Thing.LIST: ("[x, y]", "x2, y2", "x-files"),
    Thing.DICT: ('{"x": x, "y": y}', "mydict2", "mydict"),
    Thing.TWICE: ("[x, x]", "x2, x3", "x-twice"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One tensor of what was saved; the first numbers of each.

    Attributes:
        before: When it was saved.
        now: In memory, after the file was read.
        loaded: What came out of the file.
        record: The file's record with its numbers, e.g. ``"data/0"``.
    """

    name: str
    loaded_name: str
    before: tuple[float, ...]
    now: tuple[float, ...]
    loaded: tuple[float, ...]
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTripReport(Explained):
    """What was saved, the file, and what was loaded.

    Attributes:
        type_name: The type of what came back.
        equal: What came back is equal to what is in memory now, tensor by tensor.
        equal_to_saved: It is equal to what was saved.
        is_same_object: It is the very object that was saved.
        shares_memory: A tensor that came back lies in the memory of one that was saved.
        shares_inside: Both tensors that came back lie in one memory; None where there is one.
        dtype: The data type of ``x``, before and after.
        pieces: Every tensor.
        records: The records of the file with their bytes; the file is a zip archive.
        file_bytes: The whole file.
        number_bytes: The memory that the saved tensors lie in.
        shown: What the program prints.
    """

    thing: Thing
    length: int
    is_changed: bool
    type_name: str
    equal: bool
    equal_to_saved: bool
    is_same_object: bool
    shares_memory: bool
    shares_inside: bool | None
    dtype: tuple[str, str]
    pieces: tuple[Piece, ...]
    records: tuple[tuple[str, int], ...]
    file_bytes: int
    number_bytes: int
    shown: str

    @property
    def actual(self) -> str:
        """What came out of the file."""
        if self.is_same_object or self.shares_memory:
            return "itself"
        return "equal" if self.equal else "different"

    @property
    def printed(self) -> str:
        """What the program prints."""
        return self.shown

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "type_name": self.type_name,
            "equal": self.equal,
            "shares_memory": self.shares_memory,
            "shares_inside": self.shares_inside,
            "number_bytes": format_bytes(self.number_bytes),
            "file_bytes": format_bytes(self.file_bytes),
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the file."""
        return {
            **self.told,
            "file": self.thing.file_name,
            "dtype": self.dtype[1],
            "frame_bytes": format_bytes(self.file_bytes - self.number_bytes),
            "tensors": len(self.pieces),
            "stored": len({piece.record for piece in self.pieces}),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.is_changed and not self.equal:
            return "file-keeps-the-past"
        if self.thing is Thing.TWICE:
            return "saved-once"
        return "one-tensor" if self.thing is Thing.TENSOR else "with-its-container"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The records of the file."""
        del words
        rows = tuple((name, size) for name, size in self.records)
        return ((("record", "record_bytes"), rows),)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTrip(Settings[RoundTripReport]):
    """Save tensors, perhaps change one of them in memory, and load the file.

    Args:
        thing: What is saved.
        is_changed: Whether ``x[0] = 9`` is written between saving and loading.
        length: How many numbers ``x`` and ``y`` have.
    """

    uses_hardware: ClassVar[bool] = False
    BOUNDS: ClassVar[Mapping[str, Mapping[str, int]]] = {"length": {"least": 1, "most": 100_000}}

    thing: Thing = Thing.TENSOR
    is_changed: bool = False
    length: int = 4

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_within("length", self.length, **self.BOUNDS["length"])
