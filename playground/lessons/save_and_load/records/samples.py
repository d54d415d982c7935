"""Files to look into where the visitor has none: good ones, odd ones, and a hostile one."""

from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import ClassVar

from playground.checkpoints.inspect import inspect
from playground.compute.settings import Settings


@unique
class Sample(StrEnum):
    """A file that is made on the spot."""

    GOOD = "good"
    CHECKPOINT = "checkpoint"
    SAFETENSORS = "safetensors"
    CUDA = "cuda"
    TIED = "tied"
    VIEW = "view"
    HOSTILE = "hostile"
    MODULE = "module"
    RENAMED = "renamed"
    TRUNCATED = "truncated"
    ZIPPED = "zipped"
    HTML = "html"

    @property
    def file_name(self) -> str:
        """What it is called; a name proves nothing."""
        return "weights.safetensors" if self is Sample.SAFETENSORS else "weights.pt"


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeSampleReport:
    """The file.

    Attributes:
        data: Its bytes.
    """

    file_name: str
    data: bytes = field(repr=False)

    @property
    def brings_more_than_it_shows(self) -> bool:
        """A tensor of it is a part of a larger storage, which is in the file as a whole."""
        found = inspect(self.data, self.file_name)
        return any(each.is_view_of_more for each in found.tensors)


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeSample(Settings[MakeSampleReport]):
    """Make a file; the hostile one asks for a harmless command, and nobody here loads it.

    Args:
        sample: Which.
    """

    uses_hardware: ClassVar[bool] = False

    sample: Sample = Sample.GOOD
