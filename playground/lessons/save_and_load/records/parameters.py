"""The parameters of any network and the weights of a measurement, as files to take away."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Settings, check_within
from playground.lessons.save_and_load.records.formats import CompareFormats, FileFormat
from playground.lessons.save_and_load.records.networks import MLP, read
from playground.lessons.save_and_load.records.writing import WriteFileReport

MOST_SEED = 9999


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteWeights(Settings[WriteFileReport]):
    """Write one of the two files that ``CompareFormats`` compares.

    Args:
        of: Which tensors.
        format: What writes the file.
    """

    deterministic: ClassVar[bool] = False  # so that no report is kept
    uses_hardware: ClassVar[bool] = False

    of: CompareFormats = CompareFormats()
    format: FileFormat = FileFormat.TORCH

    @property
    def file_name(self) -> str:
        """What the file is called."""
        return self.format.file_name


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteParameters(Settings[WriteFileReport]):
    """Build a network and save its ``state_dict``.

    Args:
        network: The network, as JSON.
        format: What writes the file.
        seed: Of its parameters.
    """

    deterministic: ClassVar[bool] = False  # so that no report is kept
    uses_hardware: ClassVar[bool] = False

    network: str = MLP.to_json()
    format: FileFormat = FileFormat.TORCH
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what is no network."""
        self.check_types()
        read(self.network)
        check_within("seed", self.seed, least=0, most=MOST_SEED)

    @property
    def file_name(self) -> str:
        """What the file is called."""
        return self.format.file_name.replace("weights", "network")
