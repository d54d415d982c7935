"""The same weights in two formats: how large the files are, and how long they take."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.settings import check_within
from playground.compute.streaming import StreamSettings
from playground.explained import Explained, Table, Told
from playground.units import format_bytes, short

NOTICEABLE = 1.25


@unique
class FileFormat(StrEnum):
    """What a file of weights is written by."""

    TORCH = "torch"
    SAFETENSORS = "safetensors"

    @property
    def file_name(self) -> str:
        """What the program calls the file."""
        return {FileFormat.TORCH: "weights.pt", FileFormat.SAFETENSORS: "weights.safetensors"}[self]

    @property
    def saving(self) -> str:
        """The function that writes it."""
        return {FileFormat.TORCH: "torch.save", FileFormat.SAFETENSORS: "save_file"}[self]

    @property
    def loading(self) -> str:
        """The function that reads it."""
        return {FileFormat.TORCH: "torch.load", FileFormat.SAFETENSORS: "load_file"}[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Times of one thing that was done several times: the median, and the middle half."""

    median_seconds: float
    low_seconds: float
    high_seconds: float

    def __str__(self) -> str:
        """The median, fit for a table."""
        return milliseconds(self.median_seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatTimes:
    """What one format came to.

    Attributes:
        file_bytes: The file.
        saving: Writing it.
        loading: Opening it, and reading every number once.
    """

    format: FileFormat
    file_bytes: int
    saving: Span
    loading: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatsProgress:
    """How far the measurement is."""

    done: int
    total: int

    @property
    def fraction(self) -> float:
        """From 0 to 1."""
        return self.done / self.total

    @property
    def facts(self) -> Told:
        """Nothing is told before all rounds are done."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareFormatsReport(Explained):
    """Sizes and times of two files with the same tensors.

    Attributes:
        tensors: How many.
        number_bytes: What their numbers take.
        repeats: How often everything was timed.
        torch, safetensors: What each format came to.
        is_equal: Both files gave back the numbers that were saved.
    """

    tensors: int
    number_bytes: int
    repeats: int
    torch: FormatTimes
    safetensors: FormatTimes
    is_equal: bool

    @property
    def both(self) -> tuple[FormatTimes, FormatTimes]:
        """The formats in the order shown."""
        return self.torch, self.safetensors

    @property
    def ratio(self) -> float:
        """Reading the one in units of the other, by their quicker quarters.

        Whatever else the server does only ever makes a time longer.
        """
        return self.torch.loading.low_seconds / self.safetensors.loading.low_seconds

    @property
    def actual(self) -> str:
        """Which one is read faster."""
        if self.ratio > NOTICEABLE:
            return "safetensors"
        return "torch" if self.ratio < 1 / NOTICEABLE else "about_equal"

    @property
    def is_outcome_shown(self) -> bool:
        """The times are the answer."""
        return False

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "tensors": self.tensors,
            "number_bytes": format_bytes(self.number_bytes),
            "repeats": self.repeats,
            "is_equal": self.is_equal,
        }

    @property
    def mentions(self) -> Told:
        """The facts, the sizes and the times."""
        frames = {each.format: each.file_bytes - self.number_bytes for each in self.both}
        return {
            **self.told,
            "torch_frame": format_bytes(frames[FileFormat.TORCH]),
            "safetensors_frame": format_bytes(frames[FileFormat.SAFETENSORS]),
            "torch_bytes": format_bytes(self.torch.file_bytes),
            "safetensors_bytes": format_bytes(self.safetensors.file_bytes),
            "torch_loading": str(self.torch.loading),
            "safetensors_loading": str(self.safetensors.loading),
            "ratio": short(max(self.ratio, 1 / self.ratio)),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        ways = {"safetensors": "header-and-numbers", "torch": "torch-was-faster"}
        return ways.get(self.actual, "both-alike")

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """One row for each format."""
        del words
        rows = tuple(
            (each.format.saving, format_bytes(each.file_bytes), str(each.saving), str(each.loading))
            for each in self.both
        )
        return ((("written_by", "file_bytes", "saving", "loading"), rows),)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareFormats(StreamSettings[CompareFormatsReport, FormatsProgress]):
    """Write the same tensors with ``torch.save`` and with ``safetensors``, and read them back.

    Args:
        tensors: How many.
        numbers: How many numbers each of them has.
    """

    deterministic: ClassVar[bool] = False
    measures: ClassVar[bool] = True
    uses_hardware: ClassVar[bool] = False
    REPEATS: ClassVar[int] = 9
    TOTAL_SECONDS: ClassVar[float] = 6.0
    BOUNDS: ClassVar[Mapping[str, Mapping[str, int]]] = {
        "tensors": {"least": 1, "most": 300},
        "numbers": {"least": 1, "most": 20_000},
    }

    tensors: int = 60
    numbers: int = 20_000

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        for field, bounds in self.BOUNDS.items():
            check_within(field, getattr(self, field), **bounds)


def milliseconds(seconds: float) -> str:
    r"""A time for a table.

    >>> milliseconds(0.01234), milliseconds(0.00000042)
    ('12.3\xa0ms', '0.00042\xa0ms')
    """
    return f"{short(seconds * 1000)}\xa0ms"
