"""Where a file goes: a folder that is not there, a name that is not there, a file cut in two."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.settings import Settings
from playground.explained import Explained, Table, Told

MAKE_FOLDER = 'os.makedirs("data", exist_ok=True)'


@unique
class Place(StrEnum):
    """Where the file is saved, and what happens before it is loaded."""

    MISSING = "missing"
    MADE = "made"
    OTHER_NAME = "other_name"
    AGAIN = "again"
    CUT = "cut"

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of a program that save and load."""
        return LINES[self]


SAVE, LOAD = 'torch.save(x, "data/x")', 'x2 = torch.load("data/x")'
LINES = {
    Place.MISSING: (SAVE, LOAD),
    Place.MADE: (MAKE_FOLDER, SAVE, LOAD),
    Place.OTHER_NAME: (MAKE_FOLDER, SAVE, 'x2 = torch.load("data/X")'),
    Place.AGAIN: (MAKE_FOLDER, SAVE, 'torch.save(x + 10, "data/x")', LOAD),
    Place.CUT: (
        MAKE_FOLDER,
        SAVE,
        'file = Path("data/x")',
        "file.write_bytes(file.read_bytes()[:1000])  # a copy that was interrupted",
        LOAD,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveIntoReport(Explained):
    """What became of saving into a folder.

    Attributes:
        loaded: What came back; None where nothing did.
        files: The files that are there afterwards, with their bytes.
        is_mended: With the folder made first, the same lines worked; None where they did at once.
    """

    place: Place
    loaded: tuple[int, ...] | None
    files: tuple[tuple[str, int], ...]
    is_mended: bool | None

    @property
    def printed(self) -> str:
        """What the program prints."""
        return "" if self.loaded is None else f"tensor({list(self.loaded)})"

    @property
    def is_fixed(self) -> bool:
        """The folder was made, and it worked."""
        return bool(self.is_mended)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"files_there": len(self.files)}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return f"place-{self.place.replace('_', '-')}"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The files that are there."""
        del words
        return ((("file", "record_bytes"), self.files),) if self.files else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveInto(Settings[SaveIntoReport]):
    """Save four numbers as ``data/x``, and load them."""

    uses_hardware: ClassVar[bool] = False

    place: Place = Place.MISSING

    @property
    def leaves_file(self) -> bool:
        """Its program leaves a file behind, whole or cut."""
        return self.place is not Place.MISSING
