"""A file of this lesson to take away, made when it is asked for and kept nowhere."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Settings
from playground.errors import InvalidSettingError
from playground.lessons.save_and_load.records.comparing import CompareKeys
from playground.lessons.save_and_load.records.elsewhere import LoadElsewhere
from playground.lessons.save_and_load.records.folders import Place, SaveInto
from playground.lessons.save_and_load.records.restoring import RestoreModel
from playground.lessons.save_and_load.records.resuming import ResumeTraining
from playground.lessons.save_and_load.records.saving import RoundTrip
from playground.lessons.save_and_load.records.views import SaveView

FILE_NAMES: dict[type, str] = {
    SaveInto: "x",
    RestoreModel: "net.params",
    CompareKeys: "net.params",
    ResumeTraining: "checkpoint.pt",
    LoadElsewhere: "mlp.params",
    SaveView: "part.pt",
}
Saving = (
    RoundTrip | SaveInto | RestoreModel | CompareKeys | ResumeTraining | LoadElsewhere | SaveView
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFileReport:
    """The file.

    Attributes:
        data: Its bytes.
        file_name: What the program calls it.
    """

    data: bytes
    file_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFile(Settings[WriteFileReport]):
    """Write the file of a step, with the settings of the step.

    Args:
        of: The step's settings.
    """

    deterministic: ClassVar[bool] = False  # so that no report is kept
    uses_hardware: ClassVar[bool] = False

    of: Saving = RoundTrip()

    def __post_init__(self) -> None:
        """Refuse what writes no file, and what every record refuses."""
        self.check_types()
        if isinstance(self.of, SaveInto) and not self.of.leaves_file:
            allowed = ", ".join(each for each in Place if SaveInto(place=each).leaves_file)
            raise InvalidSettingError("choice", field="of", given=self.of.place, allowed=allowed)

    @property
    def file_name(self) -> str:
        """What the program calls the file, without the folder; known before it is made."""
        if isinstance(self.of, RoundTrip):
            return self.of.thing.file_name
        return FILE_NAMES[type(self.of)]
