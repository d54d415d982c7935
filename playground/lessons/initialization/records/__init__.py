"""What this lesson can be asked, and what it answers: plain data, no torch."""

from playground.lessons.initialization.records.arguments import read_shape
from playground.lessons.initialization.records.counting import (
    CountFans,
    CountFansReport,
    Layout,
    Mode,
)
from playground.lessons.initialization.records.depth import (
    Activation,
    Scheme,
    Signal,
    SignalThroughDepth,
    SignalThroughDepthReport,
    Theory,
)
from playground.lessons.initialization.records.initialising import (
    Initialize,
    InitializeReport,
    ListInitialisers,
    ListInitialisersReport,
)
from playground.lessons.initialization.records.measured import Measured
from playground.lessons.initialization.records.networks import (
    DEFAULT,
    Entry,
    ListParameters,
    ListParametersReport,
)
from playground.lessons.initialization.records.reading import ReadDefault, ReadDefaultReport
from playground.lessons.initialization.records.recipes import (
    ApplyPerLayer,
    ApplyPerLayerReport,
    ApplyToAll,
    ApplyToAllReport,
    Reach,
    Recipe,
    RecipeReport,
    Row,
    Way,
)
from playground.lessons.initialization.records.ruling import (
    FollowOwnRule,
    FollowOwnRuleReport,
    Spelling,
)
from playground.lessons.initialization.records.symmetry import (
    Start,
    SymmetricUnits,
    SymmetricUnitsReport,
    UnitsAfterStep,
)

__all__ = [
    "DEFAULT",
    "ApplyPerLayer",
    "ApplyPerLayerReport",
    "ApplyToAll",
    "ApplyToAllReport",
    "CountFans",
    "CountFansReport",
    "Entry",
    "FollowOwnRule",
    "FollowOwnRuleReport",
    "Initialize",
    "InitializeReport",
    "Layout",
    "ListInitialisers",
    "ListInitialisersReport",
    "ListParameters",
    "ListParametersReport",
    "Measured",
    "Mode",
    "Reach",
    "ReadDefault",
    "ReadDefaultReport",
    "Recipe",
    "RecipeReport",
    "Row",
    "Spelling",
    "Way",
    "read_shape",
    "Activation",
    "Scheme",
    "Signal",
    "SignalThroughDepth",
    "SignalThroughDepthReport",
    "Theory",
    "Start",
    "SymmetricUnits",
    "SymmetricUnitsReport",
    "UnitsAfterStep",
]
