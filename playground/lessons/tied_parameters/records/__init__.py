"""What this lesson can be asked, and what it answers: plain data, no torch."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, cast

from playground.compute.settings import Settings
from playground.lessons.tied_parameters.records.adding import TiedGradient, TiedGradientReport
from playground.lessons.tied_parameters.records.explained import Explained, Matrix
from playground.lessons.tied_parameters.records.identity import (
    DEFAULT,
    LEAST_PLACES,
    MOST_PLACES,
    CountTied,
    CountTiedReport,
    Named,
    shared_network,
)
from playground.lessons.tied_parameters.records.loading import Given, LoadTied, LoadTiedReport
from playground.lessons.tied_parameters.records.replaying import (
    Action,
    Replayed,
    Tie,
    TiedBy,
    TieReplay,
    TieReplayReport,
)
from playground.lessons.tied_parameters.records.sharing import (
    Position,
    ShareLayer,
    ShareLayerReport,
    Sharing,
)
from playground.lessons.tied_parameters.records.stepping import (
    LR,
    Handed,
    Stepped,
    StepTied,
    StepTiedReport,
)

__all__ = [
    "DEFAULT",
    "LEAST_PLACES",
    "LR",
    "MOST_PLACES",
    "Action",
    "CountTied",
    "CountTiedReport",
    "Explained",
    "Given",
    "Handed",
    "LoadTied",
    "LoadTiedReport",
    "Matrix",
    "Named",
    "Position",
    "Replayed",
    "ShareLayer",
    "ShareLayerReport",
    "Sharing",
    "StepTied",
    "StepTiedReport",
    "Stepped",
    "Tie",
    "TieReplay",
    "TieReplayReport",
    "TiedBy",
    "TiedGradient",
    "TiedGradientReport",
    "asked_fields",
    "shared_network",
]


def asked_fields(kind: type[Settings[Any]]) -> Iterator[tuple[str, Any]]:
    """The fields that a student is asked for, with their defaults."""
    for field in fields(cast("Any", kind)):
        if field.name != "machine":
            yield field.name, field.default
