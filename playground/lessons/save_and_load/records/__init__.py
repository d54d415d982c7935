"""What this lesson can be asked, and what it answers: plain data, no torch."""

from playground.lessons.save_and_load.records.comparing import CompareKeys, CompareKeysReport
from playground.lessons.save_and_load.records.elsewhere import (
    GPUS_WHERE_SAVED,
    LoadElsewhere,
    LoadElsewhereReport,
    MapLocation,
    Source,
)
from playground.lessons.save_and_load.records.folders import Place, SaveInto, SaveIntoReport
from playground.lessons.save_and_load.records.formats import (
    CompareFormats,
    CompareFormatsReport,
    FileFormat,
    FormatsProgress,
    FormatTimes,
    Span,
)
from playground.lessons.save_and_load.records.networks import SMALL, Other, Own
from playground.lessons.save_and_load.records.parameters import WriteParameters, WriteWeights
from playground.lessons.save_and_load.records.pickles import AskPickle, AskPickleReport, Cargo
from playground.lessons.save_and_load.records.restoring import RestoreModel, RestoreModelReport
from playground.lessons.save_and_load.records.resuming import (
    LeftOut,
    Optimizer,
    ResumeTraining,
    ResumeTrainingReport,
)
from playground.lessons.save_and_load.records.samples import MakeSample, MakeSampleReport, Sample
from playground.lessons.save_and_load.records.saving import (
    Piece,
    RoundTrip,
    RoundTripReport,
    Thing,
)
from playground.lessons.save_and_load.records.views import (
    Copying,
    Part,
    SaveView,
    SaveViewReport,
)
from playground.lessons.save_and_load.records.writing import Saving, WriteFile, WriteFileReport

__all__ = [
    "GPUS_WHERE_SAVED",
    "SMALL",
    "AskPickle",
    "AskPickleReport",
    "Cargo",
    "CompareFormats",
    "CompareFormatsReport",
    "CompareKeys",
    "CompareKeysReport",
    "Copying",
    "FileFormat",
    "FormatTimes",
    "FormatsProgress",
    "LeftOut",
    "LoadElsewhere",
    "LoadElsewhereReport",
    "MakeSample",
    "MakeSampleReport",
    "MapLocation",
    "Optimizer",
    "Other",
    "Own",
    "Part",
    "Piece",
    "Place",
    "RestoreModel",
    "RestoreModelReport",
    "ResumeTraining",
    "ResumeTrainingReport",
    "RoundTrip",
    "RoundTripReport",
    "Sample",
    "SaveInto",
    "SaveIntoReport",
    "SaveView",
    "SaveViewReport",
    "Saving",
    "Source",
    "Span",
    "Thing",
    "WriteFile",
    "WriteFileReport",
    "WriteParameters",
    "WriteWeights",
]
