"""What this lesson can be asked, and what it answers: plain data, no torch."""

from playground.lessons.blocks.records.building import (
    BuildNetwork,
    BuildNetworkReport,
    ListLayers,
    ListLayersReport,
)
from playground.lessons.blocks.records.choices import (
    Call,
    Container,
    Copying,
    Duty,
    DutyBlock,
    Infinite,
    Keeping,
    Piece,
    Use,
)
from playground.lessons.blocks.records.comparing import (
    CompareWithSequential,
    CompareWithSequentialReport,
)
from playground.lessons.blocks.records.containing import UseMySequential, UseMySequentialReport
from playground.lessons.blocks.records.duties import (
    CheckDuties,
    CheckDutiesReport,
    ParameterRow,
    Slope,
)
from playground.lessons.blocks.records.keeping import MoveConstant, MoveConstantReport
from playground.lessons.blocks.records.looping import (
    EXPONENTS,
    MOST_LOOPS,
    Counted,
    CountLoops,
    CountLoopsReport,
)
from playground.lessons.blocks.records.nesting import NestBlocks, NestBlocksReport, Piecewise
from playground.lessons.blocks.records.sequential import (
    Called,
    CallSequential,
    CallSequentialReport,
)
from playground.lessons.blocks.records.sharing import Share, TrainShared, TrainSharedReport
from playground.lessons.blocks.records.starts import STARTS
from playground.lessons.blocks.records.trees import TreeRow

__all__ = [
    "EXPONENTS",
    "MOST_LOOPS",
    "STARTS",
    "BuildNetwork",
    "BuildNetworkReport",
    "Call",
    "CallSequential",
    "CallSequentialReport",
    "Called",
    "CheckDuties",
    "CheckDutiesReport",
    "CompareWithSequential",
    "CompareWithSequentialReport",
    "Container",
    "Copying",
    "CountLoops",
    "CountLoopsReport",
    "Counted",
    "Duty",
    "DutyBlock",
    "Infinite",
    "Keeping",
    "ListLayers",
    "ListLayersReport",
    "ListLayers",
    "ListLayersReport",
    "MoveConstant",
    "MoveConstantReport",
    "NestBlocks",
    "NestBlocksReport",
    "ParameterRow",
    "Piece",
    "Piecewise",
    "Share",
    "Slope",
    "TrainShared",
    "TrainSharedReport",
    "TreeRow",
    "Use",
    "UseMySequential",
    "UseMySequentialReport",
]
