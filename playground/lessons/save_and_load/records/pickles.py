"""A file whose pickle asks for more than numbers: what it would do, and who refuses it."""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.checkpoints.inspect import Disassembly, Inspection
from playground.compute.settings import Settings
from playground.explained import Explained, Told


@unique
class Cargo(StrEnum):
    """What is saved. None of it is ever executed here."""

    COMMAND = "command"
    PROGRAM = "program"
    MODULE = "module"
    WEIGHTS = "weights"

    @property
    def is_hostile(self) -> bool:
        """Whoever loads it without ``weights_only`` runs what it asks for."""
        return self in (Cargo.COMMAND, Cargo.PROGRAM)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPickleReport(Explained):
    """A file, what its pickle asks for, and what ``torch.load`` says; ``outcome`` is that.

    Attributes:
        is_cut: Torch's message goes on with the advice to switch the check off, and it is left out.
        inspection: What the inspector of this playground says.
        disassembly: The steps of the pickle.
    """

    cargo: Cargo
    is_cut: bool
    inspection: Inspection
    disassembly: Disassembly

    @property
    def actual(self) -> str:
        """Whether it loads; a name of the error where it does not."""
        return "works" if self.outcome.ok else self.outcome.error_type

    @property
    def told(self) -> Told:
        """How much the pickle asks for."""
        return {
            "opcodes": len(self.disassembly.lines),
            "forbidden": len(self.disassembly.forbidden),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.outcome.ok:
            return "only-numbers"
        return "would-have-run" if self.cargo.is_hostile else "needs-the-code"

    @property
    def is_refused_without_harm(self) -> bool:
        """``torch.load`` refuses it, although it asks for no command and no program."""
        return not self.outcome.ok and not self.cargo.is_hostile


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPickle(Settings[AskPickleReport]):
    """Save something, look at its pickle, and let ``torch.load`` answer with its check on.

    Args:
        cargo: What is saved.
    """

    uses_hardware: ClassVar[bool] = False

    cargo: Cargo = Cargo.COMMAND
