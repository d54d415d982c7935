"""A part of a large tensor, saved: with all of its storage, or by itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.settings import Settings, check_within
from playground.explained import Explained, Told
from playground.units import format_bytes

ALIKE = 1.05  # two sizes with a smaller ratio


@unique
class Part(StrEnum):
    """What is saved of ``big``, a vector."""

    FIRST_TWO = "first_two"
    EVERY_THOUSANDTH = "every_thousandth"
    COMPUTED = "computed"
    EXPANDED = "expanded"

    @property
    def written(self) -> str:
        """How a program writes it."""
        return PARTS[self]


PARTS = {
    Part.FIRST_TWO: "big[:2]",
    Part.EVERY_THOUSANDTH: "big[::1000]",
    Part.COMPUTED: "big[:2] * 1",
    Part.EXPANDED: "big[:1].clone().expand(len(big))",
}


@unique
class Copying(StrEnum):
    """What is done to it before it is saved."""

    NOTHING = "nothing"
    CLONE = "clone"
    CONTIGUOUS = "contiguous"
    DETACH = "detach"

    @property
    def written(self) -> str:
        """What a program appends."""
        return "" if self is Copying.NOTHING else f".{self}()"


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveViewReport(Explained):
    """A part, the storage that it lies in, and the file.

    Attributes:
        length: Of ``big``.
        numbers: How many numbers the part has.
        stride: How far apart they lie in the storage; 0 where all are one.
        part_bytes: What these numbers take.
        big_bytes: The storage of ``big``.
        storage_bytes: The storage of what is saved.
        file_bytes: The file.
        cloned_bytes: The file after ``.clone()``.
        shares_storage: What is saved lies in the storage of ``big``.
        equal: What came back is equal to the part.
    """

    part: Part
    copying: Copying
    length: int
    numbers: int
    stride: int
    part_bytes: int
    big_bytes: int
    storage_bytes: int
    file_bytes: int
    cloned_bytes: int
    shares_storage: bool
    equal: bool

    @property
    def actual(self) -> str:
        """The size of the file."""
        return format_bytes(self.file_bytes)

    @property
    def answers(self) -> tuple[str, ...]:
        """Sizes that could be meant; of those that nobody could tell apart, the file's."""
        frame = self.file_bytes - self.storage_bytes
        sizes = [self.file_bytes, self.cloned_bytes, self.big_bytes + frame, self.part_bytes]
        if self.part is Part.EXPANDED:
            sizes.append(frame + self.part_bytes // self.numbers)
        apart: list[int] = []
        for size in sizes:
            if all(max(size, other) > ALIKE * min(size, other) for other in apart):
                apart.append(size)
        return tuple(map(format_bytes, sorted(apart)))

    @property
    def is_outcome_shown(self) -> bool:
        """The size is the answer."""
        return False

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "part_numbers": self.numbers,
            "part_bytes": format_bytes(self.part_bytes),
            "storage_bytes": format_bytes(self.storage_bytes),
            "file_bytes": format_bytes(self.file_bytes),
            "cloned_bytes": format_bytes(self.cloned_bytes),
            "shares_storage": self.shares_storage,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the code."""
        return {
            **self.told,
            "part": self.part.written,
            "saved": f"{self.part.written}{self.copying.written}",
            "big_bytes": format_bytes(self.big_bytes),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.shares_storage:
            ways = {Copying.CONTIGUOUS: "contiguous-already", Copying.DETACH: "detach-is-a-view"}
            return ways.get(self.copying, "whole-storage")
        if self.part is Part.EXPANDED:
            return "one-number" if self.storage_bytes < self.part_bytes else "written-out"
        return "storage-of-its-own" if self.part is Part.COMPUTED else "copied-first"


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveView(Settings[SaveViewReport]):
    """Save a part of a large vector, and look at the file."""

    uses_hardware: ClassVar[bool] = False
    BOUNDS: ClassVar[Mapping[str, Mapping[str, int]]] = {"length": {"least": 1000, "most": 500_000}}

    part: Part = Part.FIRST_TWO
    copying: Copying = Copying.NOTHING
    length: int = 250_000

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_within("length", self.length, **self.BOUNDS["length"])
