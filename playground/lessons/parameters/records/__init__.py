"""What this lesson can be asked, and what it answers: plain data, no torch."""

from playground.lessons.parameters.records.choices import (
    Freezing,
    Given,
    Keeping,
    Moment,
    Setting,
    Way,
)
from playground.lessons.parameters.records.counting import (
    Counted,
    FreezeByName,
    FreezeByNameReport,
)
from playground.lessons.parameters.records.feeding import FeedNetwork, FeedNetworkReport, Stop
from playground.lessons.parameters.records.listing import (
    KeepState,
    KeepStateReport,
    Kept,
    NameParameters,
    NameParametersReport,
    parts_of,
)
from playground.lessons.parameters.records.networks import NORMED, PLAIN, RGNET, variable_of
from playground.lessons.parameters.records.paths import index_path
from playground.lessons.parameters.records.reaching import (
    ListParameters,
    ListParametersReport,
    OpenLayer,
    OpenLayerReport,
    ReachParameter,
    ReachParameterReport,
)
from playground.lessons.parameters.records.setting import SetValue, SetValueReport
from playground.lessons.parameters.records.views import Branch, Filled, Leaf, View

__all__ = [
    "NORMED",
    "PLAIN",
    "RGNET",
    "Branch",
    "Counted",
    "FeedNetwork",
    "FeedNetworkReport",
    "Filled",
    "FreezeByName",
    "FreezeByNameReport",
    "Freezing",
    "Given",
    "KeepState",
    "KeepStateReport",
    "Keeping",
    "Kept",
    "Leaf",
    "ListParameters",
    "ListParametersReport",
    "Moment",
    "NameParameters",
    "NameParametersReport",
    "OpenLayer",
    "OpenLayerReport",
    "ReachParameter",
    "ReachParameterReport",
    "SetValue",
    "SetValueReport",
    "Setting",
    "Stop",
    "View",
    "Way",
    "index_path",
    "parts_of",
    "variable_of",
]
