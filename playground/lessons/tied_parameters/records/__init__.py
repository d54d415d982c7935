"""What this lesson can be asked, and what it answers: plain data, no torch."""

from playground.lessons.tied_parameters.records.adding import TiedGradient, TiedGradientReport
from playground.lessons.tied_parameters.records.explained import Matrix
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
    "shared_network",
]
