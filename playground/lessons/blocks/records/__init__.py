"""What this lesson can be asked, and what it answers: plain data, no torch."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, cast

from playground.compute.settings import Settings
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
from playground.lessons.blocks.records.explained import Explained, Told, TreeRow
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
    "Explained",
    "Infinite",
    "Keeping",
    "ListLayers",
    "ListLayersReport",
    "ModuleRow",
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
    "Told",
    "TrainShared",
    "TrainSharedReport",
    "TreeRow",
    "Use",
    "UseMySequential",
    "UseMySequentialReport",
    "asked_fields",
]


def asked_fields(
    kind: type[Settings[Any]], chosen: Mapping[str, object]
) -> Iterator[tuple[str, Any]]:
    """The fields that a student is asked for, with their defaults, one after the other.

    Args:
        kind: A settings class of this lesson.
        chosen: Filled by the caller between two fields; a field that means nothing beside what was
            chosen before it is left out.
    """
    conditions: Mapping[str, tuple[str, tuple[object, ...]]] = getattr(kind, "ONLY_WITH", {})
    for field in fields(cast("Any", kind)):
        other, values = conditions.get(field.name, ("", ()))
        if field.name != "machine" and (not other or chosen[other] in values):
            yield field.name, field.default
