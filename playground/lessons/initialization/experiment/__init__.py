"""The torch code of this lesson: settings → report, one function for each settings class."""

from playground.lessons.initialization.experiment.counting import count_fans
from playground.lessons.initialization.experiment.depth import signal_through_depth
from playground.lessons.initialization.experiment.initialising import initialize, list_initialisers
from playground.lessons.initialization.experiment.networks import list_parameters
from playground.lessons.initialization.experiment.reading import read_default
from playground.lessons.initialization.experiment.recipes import apply_per_layer, apply_to_all
from playground.lessons.initialization.experiment.ruling import follow_own_rule
from playground.lessons.initialization.experiment.symmetry import symmetric_units

__all__ = [
    "apply_per_layer",
    "apply_to_all",
    "count_fans",
    "follow_own_rule",
    "initialize",
    "list_initialisers",
    "list_parameters",
    "read_default",
    "signal_through_depth",
    "symmetric_units",
]
